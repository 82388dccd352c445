// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read the text of LLVM's profiles [XP-50]
 *
 * Header lines, then functions: name, hash, number of counters, the counters, and perhaps values.
 * All fields are lines; empty lines and those that begin with # are skipped.
 */
#include "feedback/llvm/profile.h"

#include <errno.h>
#include <string.h>

#include "feedback/llvm/format.h"
#include "feedback/xprof/lines.h"
#include "libutil/hash.h"

#define VALUES_ALWAYS_ALLOWED	65536

struct reader {
	struct xprof_lines lines;
	struct xprof *x;
	uint32_t path;			/* string: of the object */
	uint32_t id;			/* of the last procedure */
	uint64_t values_max;		/* limit of memory [XP-45] */
};

static void next_line(struct reader *r)
{
	do
		xprof_lines_next(&r->lines);
	while (!r->lines.is_end && *r->lines.line.at == '#');
}

static int fail(struct reader *r, const char *expected)
{
	if (r->lines.is_end)
		return xprof_lines_fail(&r->lines, r->lines.number, "truncated: expected %s",
					expected);
	return xprof_lines_fail(&r->lines, r->lines.number, "expected %s, got '%.*s'", expected,
				span_short(&r->lines.line), r->lines.line.at);
}

static int read_u64(struct reader *r, const char *what, uint64_t *ret)
{
	if (r->lines.is_end || !span_u64(r->lines.line, ret))
		return fail(r, what);
	next_line(r);
	return 0;
}

static int read_u32(struct reader *r, const char *what, uint32_t max, uint32_t *ret)
{
	if (r->lines.is_end || !span_u32(r->lines.line, ret) || *ret > max)
		return fail(r, what);
	next_line(r);
	return 0;
}

static int add_name(struct reader *r, struct span name, uint32_t *ret)
{
	const char *fault = xprof_name_fault(name.at, span_len(&name));

	if (fault)
		return xprof_lines_fail(&r->lines, r->lines.number, "%s", fault);
	*ret = xprof_intern_n(r->x, name.at, span_len(&name));
	return 0;
}

/* "VALUE:COUNT"; names of callees may contain colons. */
static int read_value(struct reader *r, uint32_t kind, struct xprof_value *v)
{
	struct span line = r->lines.line, count, name;
	const char *colon;
	int err = 0;

	colon = r->lines.is_end ? NULL : memrchr(line.at, ':', span_len(&line));
	if (!colon)
		return fail(r, "VALUE:COUNT");
	name = (struct span){ line.at, colon };
	count = (struct span){ colon + 1, line.end };
	if (!span_u64(count, &v->count) || (kind != LLVM_CALLEES && !span_u64(name, &v->value)))
		return fail(r, "VALUE:COUNT");
	if (kind == LLVM_CALLEES && v->count) {
		err = add_name(r, name, &v->name);
		v->path = r->path;
	}
	if (!v->count)
		v->value = 0;
	next_line(r);
	return err;
}

static int read_site(struct reader *r, struct xprof_proc *p, uint32_t kind, uint32_t site)
{
	struct xprof_value v = {
		.type = kind == LLVM_CALLEES ? XPROF_PROC : XPROF_LLONG,
		.expr = (kind + 1) * LLVM_KIND_EXPRS + site + 1,
	}, none = v;
	uint32_t nr;
	int err = read_u32(r, "the number of values of a site", LLVM_VALUES_MAX, &nr);

	for (uint32_t i = 0; i < nr && !err; i++) {
		struct xprof_value value = none;

		err = read_value(r, kind, &value);
		if (!err)
			*xprof_add_values(r->x) = value;
	}
	if (!err && !nr)
		*xprof_add_values(r->x) = none;
	while (!err && (r->x->nr_values - p->first_value) % LLVM_RECORD_VALUES)
		*xprof_add_values(r->x) = none;
	p->nr_vp_sites++;
	return err || r->x->nr_values <= r->values_max ? err : fail(r, "fewer empty sites");
}

/* Optional: a function without values is followed by the name of the next one. */
static int read_values(struct reader *r, struct xprof_proc *p)
{
	uint32_t nr_kinds, kind, nr;
	uint64_t ignored;
	int err = 0;

	if (r->lines.is_end || !span_u64(r->lines.line, &ignored))
		return 0;
	err = read_u32(r, "the number of kinds of values", LLVM_NR_KINDS, &nr_kinds);
	for (uint32_t i = 0; i < nr_kinds && !err; i++) {
		err = read_u32(r, "the kind of values, 0 or 1", LLVM_NR_KINDS - 1, &kind);
		if (!err)
			err = read_u32(r, "the number of sites", LLVM_KIND_EXPRS - 1, &nr);
		for (uint32_t site = 0; !err && site < nr; site++)
			err = read_site(r, p, kind, site);
	}
	p->nr_vp_records = (r->x->nr_values - p->first_value) / LLVM_RECORD_VALUES;
	return err;
}

static int read_function(struct reader *r)
{
	uint32_t name = 0, nr = 0;
	uint64_t signature = 0, value;
	struct xprof_proc *p;
	int err;

	/* a number would be read as that of kinds of values of the function before it */
	if (*r->lines.line.at == ':' || span_u64(r->lines.line, &value))
		return fail(r, "the name of a function");
	err = add_name(r, r->lines.line, &name);
	if (err)
		return err;
	next_line(r);
	err = read_u64(r, "the hash of the function", &signature);
	if (!err)
		err = read_u32(r, "the number of counters", UINT32_MAX - 1, &nr);
	if (err)
		return err;
	p = xprof_begin_proc(r->x);
	p->name = name;
	p->id = ++r->id;
	p->signature = signature;
	p->has = XPROF_HAS_MAX | XPROF_HAS_SUM;
	p->nr_counters = nr;
	for (uint32_t i = 0; i < nr && !err; i++) {
		err = read_u64(r, "a counter", &value);
		if (!err)
			*xprof_add_counters(r->x) = value;
	}
	return err ? err : read_values(r, p);
}

/* ":ir" and the like: kept as a procedure without counters. */
static void add_header_line(struct reader *r, uint32_t name)
{
	struct xprof_proc *p = xprof_begin_proc(r->x);

	p->name = name;
	p->id = ++r->id;
}

static int read_header_line(struct reader *r)
{
	uint32_t name = 0;
	int err = add_name(r, r->lines.line, &name);

	if (!err)
		add_header_line(r, name);
	next_line(r);
	return err;
}

int llvm_profile_read(const char *path, const char *text, size_t size, struct xprof *x,
		      struct op_error *e)
{
	struct reader r = {
		.lines = { .path = path, .at = text, .end = text + size, .e = e }, .x = x,
		.values_max = x->nr_values + size + VALUES_ALWAYS_ALLOWED,
	};
	struct xprof_object *o;
	int err = add_name(&r, (struct span){ path, path + strlen(path) }, &r.path);

	if (err)
		return err;
	o = xprof_begin_object(x);
	o->path = r.path;
	o->has = XPROF_HAS_MAX | XPROF_HAS_SUM;
	o->nr_values = LLVM_RECORD_VALUES;
	next_line(&r);
	while (!err && !r.lines.is_end && *r.lines.line.at == ':')
		err = read_header_line(&r);
	if (!err && r.lines.is_end)
		err = xprof_lines_fail(&r.lines, r.lines.number, "no function in the profile");
	if (!err && !r.id)
		add_header_line(&r, xprof_intern(x, ":fe"));
	while (!err && !r.lines.is_end)
		err = read_function(&r);
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++)
		o->signature = hash_mix(o->signature, x->procs[i].signature);
	return err;
}
