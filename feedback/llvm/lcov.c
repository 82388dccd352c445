// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lcov.c - read counts of source lines, as `llvm-cov export --format=lcov` writes them [XP-51]
 *
 * Records of a source: SF with its path, FN with the line and name of each function, DA with the
 * count of each line, end_of_record. Others are skipped.
 */
#include "feedback/llvm/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/add.h"
#include "feedback/xprof/lines.h"
#include "libutil/xalloc.h"

struct function {
	uint32_t line, name;
};

struct lcov {
	struct xprof_lines lines;
	struct xprof *x;
	uint32_t source;		/* string: the current one; 0: none */
	uint32_t file;			/* string: its name without folders */
	uint32_t run;			/* its number */
	struct function *functions;	/* of the source */
	size_t nr_functions, functions_room;
	struct xprof_source_entry *entries;
	size_t nr, room, first;		/* @first: of the source */
};

static int fail(struct lcov *l, const char *expected)
{
	return xprof_lines_fail(&l->lines, l->lines.number, "expected %s, got '%.*s'", expected,
				span_short(&l->lines.line), l->lines.line.at);
}

static bool skip_word(struct span *s, const char *word)
{
	size_t n = strlen(word);

	if (span_len(s) < n || memcmp(s->at, word, n) != 0)
		return false;
	s->at += n;
	return true;
}

/* Remove the part up to the next comma, or all of it. */
static struct span next_part(struct span *s)
{
	const char *comma = memchr(s->at, ',', span_len(s));
	struct span part = { s->at, comma ? comma : s->end };

	s->at = comma ? comma + 1 : s->end;
	return part;
}

static int add_name(struct lcov *l, struct span name, uint32_t *ret)
{
	const char *fault = xprof_name_fault(name.at, span_len(&name));

	if (fault)
		return xprof_lines_fail(&l->lines, l->lines.number, "%s", fault);
	*ret = xprof_intern_n(l->x, name.at, span_len(&name));
	return 0;
}

static int read_source(struct lcov *l, struct span path)
{
	const char *slash = memrchr(path.at, '/', span_len(&path));
	struct span base = path;
	int err;

	if (l->source)
		return fail(l, "end_of_record");
	l->run++;
	l->first = l->nr;
	l->nr_functions = 0;
	err = add_name(l, path, &l->source);
	if (err)
		return err;
	base.at = slash ? slash + 1 : path.at;
	if (xprof_name_fault(base.at, span_len(&base)))
		base = path;
	l->file = xprof_intern_n(l->x, base.at, span_len(&base));
	return 0;
}

/* "LINE,NAME", from lcov 2.0 on also "LINE,END,NAME". */
static int read_function(struct lcov *l, struct span rest)
{
	struct span line = next_part(&rest), all = rest, end = next_part(&rest);
	struct function f;
	uint32_t ignored;
	int err;

	if (!span_u32(line, &f.line) || !f.line)
		return fail(l, "FN:LINE,NAME");
	err = add_name(l, span_u32(end, &ignored) && span_len(&rest) ? rest : all, &f.name);
	if (err)
		return err;
	xgrow(l->functions, l->nr_functions, l->functions_room);
	l->functions[l->nr_functions++] = f;
	return 0;
}

/* "LINE,COUNT", perhaps with a checksum. */
static int read_line(struct lcov *l, struct span rest)
{
	struct span line = next_part(&rest), count = next_part(&rest);
	struct xprof_source_entry e = { .file = l->source, .path = l->source, .run = l->run };

	if (!span_u32(line, &e.line) || !e.line || !span_u64(count, &e.count))
		return fail(l, "DA:LINE,COUNT");
	xgrow(l->entries, l->nr, l->room);
	l->entries[l->nr++] = e;
	return 0;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
				  : (x->name > y->name) - (x->name < y->name);
}

static int compare_lines(const void *a, const void *b)
{
	const struct xprof_source_entry *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

/* A line belongs to the last function that begins before it; before all, to the file. */
static int end_source(struct lcov *l)
{
	struct function f = { .line = 1, .name = l->file };
	size_t next = 0;

	if (!l->source)
		return fail(l, "SF:PATH");
	if (l->nr_functions)
		qsort(l->functions, l->nr_functions, sizeof(f), compare_functions);
	if (l->nr > l->first)
		qsort(l->entries + l->first, l->nr - l->first, sizeof(*l->entries), compare_lines);
	for (size_t i = l->first; i < l->nr; i++) {
		struct xprof_source_entry *e = &l->entries[i];

		while (next < l->nr_functions && l->functions[next].line <= e->line)
			f = l->functions[next++];
		e->name = f.name;
		e->block = e->line - f.line + 1;
	}
	l->source = 0;
	return 0;
}

static int read_record(struct lcov *l)
{
	struct span rest = l->lines.line;

	if (skip_word(&rest, "SF:"))
		return read_source(l, rest);
	if (skip_word(&rest, "end_of_record"))
		return end_source(l);
	if (skip_word(&rest, "FN:"))
		return l->source ? read_function(l, rest) : fail(l, "SF:PATH");
	if (skip_word(&rest, "DA:"))
		return l->source ? read_line(l, rest) : fail(l, "SF:PATH");
	return 0;
}

bool lcov_detect(const char *text, size_t size)
{
	struct op_error e;
	struct xprof_lines lines = { .at = text, .end = text + size, .path = "", .e = &e };

	xprof_lines_next(&lines);
	return !lines.is_end && (skip_word(&lines.line, "SF:") || skip_word(&lines.line, "TN:"));
}

int lcov_read(const char *path, const char *text, size_t size, struct xprof *x,
	      struct op_error *e)
{
	struct lcov l = {
		.lines = { .path = path, .at = text, .end = text + size, .e = e }, .x = x,
	};
	int err = 0;

	for (xprof_lines_next(&l.lines); !err && !l.lines.is_end; xprof_lines_next(&l.lines))
		err = read_record(&l);
	if (!err && l.source)
		err = xprof_lines_fail(&l.lines, l.lines.number, "truncated: expected "
				       "end_of_record");
	if (!err && !l.nr)
		err = xprof_lines_fail(&l.lines, l.lines.number, "no counts of source lines");
	if (!err)
		xprof_add_source_entries(x, l.entries, l.nr);
	free(l.functions);
	free(l.entries);
	return err;
}
