/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read.c - read gcc's notes and data */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/gcov/cursor.h"
#include "feedback/gcov/files.h"
#include "libutil/xalloc.h"

#define NOTES_MAGIC	0x67636e6f	/* "gcno" */
#define DATA_MAGIC	0x67636461	/* "gcda" */

struct notes_reader {
	struct gcov_cursor c;
	struct gcov_notes *notes;
	uint64_t blocks_left;		/* a file cannot have more blocks than words */
};

static struct gcov_function *last_function(struct notes_reader *r)
{
	return r->notes->nr ? &r->notes->functions[r->notes->nr - 1] : NULL;
}

static void read_function(struct notes_reader *r)
{
	struct gcov_notes *n = r->notes;
	struct gcov_function f = { .ident = gcov_cursor_u32(&r->c) };

	f.lineno_checksum = gcov_cursor_u32(&r->c);
	f.cfg_checksum = gcov_cursor_u32(&r->c);
	f.name = gcov_cursor_string(&r->c);
	f.is_artificial = gcov_cursor_u32(&r->c);
	xgrow(n->functions, n->nr, n->room);
	n->functions[n->nr++] = f;
}

static int read_blocks(struct notes_reader *r, struct gcov_function *f)
{
	uint32_t nr = gcov_cursor_u32(&r->c);

	if (f->nr_blocks)
		return gcov_cursor_fail(&r->c, "duplicate record of blocks");
	if (nr > r->blocks_left)
		return gcov_cursor_fail(&r->c, "too many blocks");
	r->blocks_left -= nr;
	f->nr_blocks = nr;
	return 0;
}

static int read_arcs(struct notes_reader *r, struct gcov_function *f)
{
	uint32_t from = gcov_cursor_u32(&r->c);

	while (r->c.at < r->c.end && !r->c.is_short) {
		uint32_t to = gcov_cursor_u32(&r->c), flags = gcov_cursor_u32(&r->c);

		if (from >= f->nr_blocks || to >= f->nr_blocks)
			return gcov_cursor_fail(&r->c, "arc from or to an unknown block");
		xgrow(f->arcs, f->nr_arcs, f->arcs_room);
		f->arcs[f->nr_arcs++] = (struct gcov_arc){ from, to, flags };
		f->nr_counted += !(flags & GCOV_ON_TREE);
	}
	return 0;
}

/* Line numbers, and names of files after a 0; an empty name ends the list. */
static int read_lines(struct notes_reader *r, struct gcov_function *f)
{
	uint32_t block = gcov_cursor_u32(&r->c);
	const char *file = "";

	if (block >= f->nr_blocks)
		return gcov_cursor_fail(&r->c, "lines of an unknown block");
	while (!r->c.is_short) {
		uint32_t line = gcov_cursor_u32(&r->c);

		if (line && !*file)
			return gcov_cursor_fail(&r->c, "line without a file");
		if (line) {
			xgrow(f->lines, f->nr_lines, f->lines_room);
			f->lines[f->nr_lines++] = (struct gcov_line){ block, line, file };
			continue;
		}
		file = gcov_cursor_string(&r->c);
		if (!*file)
			break;
	}
	return 0;
}

static int read_record(struct notes_reader *r, uint32_t tag)
{
	struct gcov_function *f = last_function(r);
	int err = 0;

	if (tag == GCOV_FUNCTION)
		read_function(r);
	else if (tag == GCOV_BLOCKS && f)
		err = read_blocks(r, f);
	else if (tag == GCOV_ARCS && f)
		err = read_arcs(r, f);
	else if (tag == GCOV_LINES && f)
		err = read_lines(r, f);
	if (!err && r->c.is_short)
		err = gcov_cursor_fail(&r->c, "truncated record");
	return err;
}

static int read_notes(struct notes_reader *r)
{
	uint32_t tag;
	int32_t length;
	int err = 0;

	r->notes->stamp = gcov_cursor_u32(&r->c);
	gcov_cursor_u32(&r->c);		/* checksum, unused */
	r->notes->cwd = gcov_cursor_string(&r->c);
	gcov_cursor_u32(&r->c);		/* flag: unexecuted blocks are supported */
	if (r->c.is_short)
		return gcov_cursor_fail(&r->c, "truncated header");
	while (!err && gcov_cursor_record(&r->c, &tag, &length))
		err = length < 0 ? gcov_cursor_fail(&r->c, "negative record length")
				 : read_record(r, tag);
	if (!err && r->c.is_short)
		err = gcov_cursor_fail(&r->c, "truncated file");
	return err;
}

int gcov_notes_read(char *bytes, size_t size, struct gcov_notes *ret, struct op_error *e)
{
	struct notes_reader r = { .notes = ret, .blocks_left = size / 4 };
	int err;

	*ret = (struct gcov_notes){ .bytes = bytes, .cwd = "", .size = size };
	err = gcov_cursor_open(&r.c, bytes, size, NOTES_MAGIC, e);
	ret->version = r.c.version;
	ret->swapped = r.c.swapped;
	if (!err)
		err = read_notes(&r);
	if (err)
		gcov_notes_free(ret);
	return err;
}

static void free_data(struct gcov_function *f)
{
	free(f->counters);
	f->counters = NULL;
	for (int kind = 0; kind < NR_GCOV_KINDS; kind++) {
		free(f->values[kind].words);
		f->values[kind] = (struct gcov_values){ 0 };
	}
}

void gcov_notes_free(struct gcov_notes *n)
{
	for (uint32_t i = 0; i < n->nr; i++) {
		free(n->functions[i].arcs);
		free(n->functions[i].lines);
		free_data(&n->functions[i]);
	}
	free(n->functions);
	free(n->bytes);
	*n = (struct gcov_notes){ .cwd = "" };
}

/* --- data --- */

static int compare_idents(const void *a, const void *b)
{
	const struct gcov_function *const *x = a, *const *y = b;

	return (*x)->ident < (*y)->ident ? -1 : (*x)->ident > (*y)->ident;
}

static int find_by_ident(const void *key, const void *item)
{
	uint32_t ident = *(const uint32_t *)key;
	const struct gcov_function *const *f = item;

	return ident < (*f)->ident ? -1 : ident > (*f)->ident;
}

struct data_reader {
	struct gcov_cursor c;
	struct gcov_function **by_ident;
	uint32_t nr;
	struct gcov_function *function;		/* owner of the next counters, or NULL */
	uint64_t zeros_left;			/* values that may still be declared to be 0 */
};

static int read_data_function(struct data_reader *r)
{
	uint32_t ident = gcov_cursor_u32(&r->c), lineno = gcov_cursor_u32(&r->c);
	uint32_t cfg = gcov_cursor_u32(&r->c);
	struct gcov_function **found = bsearch(&ident, r->by_ident, r->nr, sizeof(*found),
					       find_by_ident);

	r->function = found ? *found : NULL;
	if (found && ((*found)->lineno_checksum != lineno || (*found)->cfg_checksum != cfg))
		return op_error_set(r->c.e, -ESTALE, "data from another compilation: checksums of "
				    "function '%s' differ", (*found)->name);	/* [XP-34] */
	return 0;
}

static int read_counters(struct data_reader *r, int32_t length)
{
	struct gcov_function *f = r->function;
	int64_t nr = length < 0 ? -(int64_t)length / 8 : length / 8;

	if (!f)
		return 0;
	if (nr != f->nr_counted || length % 8 || f->counters)
		return gcov_cursor_fail(&r->c, "unexpected number of counters");
	f->counters = xcalloc(f->nr_counted + 1, sizeof(*f->counters));
	for (uint32_t i = 0; i < f->nr_counted && length > 0; i++)
		f->counters[i] = gcov_cursor_u64(&r->c);
	return 0;
}

/* Do lists fill the words? */
static bool are_lists(const struct gcov_values *v)
{
	uint32_t at = 0;

	while (v->words && at < v->nr) {
		if (v->nr - at < 2 || v->words[at + 1] > (v->nr - at - 2) / 2)
			return false;
		at += 2 + 2 * (uint32_t)v->words[at + 1];
	}
	return v->words || v->nr % 2 == 0;
}

static int read_values(struct data_reader *r, enum gcov_kind kind, int32_t length)
{
	struct gcov_values *v;
	int64_t nr = length < 0 ? -(int64_t)length / 8 : length / 8;

	if (!r->function)
		return 0;
	v = &r->function->values[kind];
	if (length % 8 || v->nr)
		return gcov_cursor_fail(&r->c, "unexpected number of values");
	if (length < 0 && (uint64_t)nr > r->zeros_left)		/* [XP-45] */
		return gcov_cursor_fail(&r->c, "too many values");
	r->zeros_left -= length < 0 ? (uint64_t)nr : 0;
	v->nr = (uint32_t)nr;
	if (length > 0)
		v->words = xcalloc((size_t)nr, sizeof(*v->words));
	for (int64_t i = 0; i < nr && length > 0; i++)
		v->words[i] = gcov_cursor_u64(&r->c);
	return gcov_has_lists(kind) && !are_lists(v)
	       ? gcov_cursor_fail(&r->c, "malformed list of values") : 0;
}

/* The kind of values that records with @tag have; 0: others. */
static enum gcov_kind kind_of(uint32_t tag)
{
	uint32_t kind = (tag - GCOV_ARC_COUNTERS) >> 17;

	return tag > GCOV_ARC_COUNTERS && !((tag - GCOV_ARC_COUNTERS) & 0x1ffff) &&
	       kind < NR_GCOV_KINDS ? kind : 0;
}

static int read_data(struct data_reader *r, uint32_t stamp)
{
	uint32_t tag;
	int32_t length;
	int err = 0;

	if (gcov_cursor_u32(&r->c) != stamp && !r->c.is_short)		/* [XP-34] */
		return op_error_set(r->c.e, -ESTALE, "data from another compilation");
	gcov_cursor_u32(&r->c);
	while (!err && gcov_cursor_record(&r->c, &tag, &length)) {
		if (tag == GCOV_FUNCTION && !length)
			r->function = NULL;	/* the program has another instance of it */
		else if (tag == GCOV_FUNCTION)
			err = read_data_function(r);
		else if (tag == GCOV_ARC_COUNTERS)
			err = read_counters(r, length);
		else if (kind_of(tag))
			err = read_values(r, kind_of(tag), length);
		if (!err && r->c.is_short)
			err = gcov_cursor_fail(&r->c, "truncated record");
	}
	if (!err && r->c.is_short)
		err = gcov_cursor_fail(&r->c, "truncated file");
	return err;
}

int gcov_data_read(const char *bytes, size_t size, struct gcov_notes *n, struct op_error *e)
{
	struct data_reader r = { .nr = n->nr, .zeros_left = (n->size + size) / 4 };
	int err = gcov_cursor_open(&r.c, bytes, size, DATA_MAGIC, e);

	if (err)
		return err;
	r.by_ident = xcalloc((size_t)n->nr + 1, sizeof(*r.by_ident));
	for (uint32_t i = 0; i < n->nr; i++)
		r.by_ident[i] = &n->functions[i];
	qsort(r.by_ident, n->nr, sizeof(*r.by_ident), compare_idents);
	err = read_data(&r, n->stamp);
	free(r.by_ident);
	n->has_data = !err;
	for (uint32_t i = 0; err && i < n->nr; i++)
		free_data(&n->functions[i]);
	return err;
}
