/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read.c - profile feedback text: the header, the sections, and what is in all of them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/reader.h"
#include "feedback/xprof/split.h"
#include "formats/format.h"
#include "libutil/xalloc.h"

static int read_type(struct xprof_reader *r, struct span word)
{
	for (int i = XPROF_FEEDBACK + 1; i < NR_XPROF_TYPES; i++)
		if (span_len(&word) == strlen(xprof_type_names[i]) &&
		    !memcmp(word.at, xprof_type_names[i], span_len(&word))) {
			r->x->type = i;
			return 0;
		}
	return xprof_lines_fail(&r->lines, r->lines.number,
				"the type is neither tcovd nor objfd nor tcovsd [XP-3]");
}

static int read_version(struct xprof_reader *r)
{
	struct span version = span_first(&r->lines.line);
	uint32_t major, minor;

	if (!span_number(&version, &major) || !span_skip(&version, '.') ||
	    !span_u32(version, &minor))
		return xprof_lines_fail(&r->lines, r->lines.number, "no version number [XP-3]");
	if (major != XPROF_MAJOR || minor != XPROF_MINOR)
		return xprof_lines_fail(&r->lines, r->lines.number, "version %u.%u is not known, "
					"only %u.%u is [XP-17]", major, minor, XPROF_MAJOR,
					XPROF_MINOR);
	return 0;
}

static int read_header(struct xprof_reader *r)
{
	uint32_t *numbers[] = {
		&r->nr_objects, &r->nr_programs, &r->nr_proc_names, &r->nr_sources
	};
	int err;

	xprof_lines_next(&r->lines);
	if (!xprof_lines_skip(&r->lines, "PROFILE-FEEDBACK-DATA:"))
		return xprof_lines_fail(&r->lines, r->lines.number, "no profile feedback text: it "
					"does not begin with 'PROFILE-FEEDBACK-DATA:' [XP-3]");
	err = read_version(r);
	for (size_t i = 0; !err && i < 4; i++)
		if (!span_u32(span_first(&r->lines.line), numbers[i]))
			err = xprof_lines_fail(&r->lines, r->lines.number, "four numbers below "
					       "2^32 follow the version [XP-3]");
	if (!err && span_len(&r->lines.line))
		err = read_type(r, r->lines.line);
	return err;
}

/* Procedures' names stood for themselves until all objects were known [XP-10]. */
static int split_values(struct xprof_reader *r)
{
	const uint32_t *lines = r->places.at[XPROF_ARRAY_values];
	int err = 0;

	for (uint32_t i = 0; !err && i < r->x->nr_values; i++) {
		struct xprof_value *v = &r->x->values[i];
		struct span text;
		char *copy;

		if (!v->name)
			continue;
		copy = xstrdup(xprof_text(r->x, v->name));	/* strings may move */
		text = (struct span){ copy, copy + strlen(copy) };
		err = xprof_split_ref(r, lines[i], text, &v->name, &v->path);
		free(copy);
	}
	return err;
}

static int read_sections(struct xprof_reader *r)
{
	int err = 0;

	while (!err && xprof_lines_skip(&r->lines, "OBJFILE:"))
		err = xprof_read_object(r);
	xprof_index_make(r->x, &r->index);
	if (!err)
		err = split_values(r);
	while (!err && xprof_lines_skip(&r->lines, "PROGRAM:"))
		err = xprof_read_program(r);
	while (!err && xprof_lines_skip(&r->lines, "SRCFILE:"))
		err = xprof_read_source(r);
	if (err || r->lines.is_end)
		return err;
	return xprof_lines_fail(&r->lines, r->lines.number, "'%.*s' does not belong here: sections "
				"are OBJFILE, then PROGRAM, then SRCFILE [XP-1]",
				span_short(&r->lines.line), r->lines.line.at);
}

static int check_header(struct xprof_reader *r, uint32_t line)
{
	const struct xprof *x = r->x;
	const struct {
		const char *what;
		uint32_t said, found;
	} counts[] = {
		{ "object files", r->nr_objects, x->nr_objects },
		{ "programs", r->nr_programs, x->nr_programs },
		{ "source files", r->nr_sources, x->nr_sources },
	};
	uint32_t names = xprof_nr_proc_names(x);

	for (size_t i = 0; i < 3; i++)
		if (counts[i].said != counts[i].found)
			return xprof_lines_fail(&r->lines, line, "the header has %u %s, the file "
						"%u [XP-6]", counts[i].said, counts[i].what,
						counts[i].found);
	if (!x->nr_objects && !x->nr_programs && !x->nr_sources)
		return xprof_lines_fail(&r->lines, line, "nothing follows the header [XP-1]");
	if (x->type == XPROF_OBJFD && x->nr_objects != 1)
		return xprof_lines_fail(&r->lines, line, "objfd is of one object file, this has %u "
					"[XP-9]", x->nr_objects);
	if (names != r->nr_proc_names)
		format_warn(r->lines.warnings, "line %u: the header has %u procedure names, the "
			    "file %u [XP-7]", line, r->nr_proc_names, names);
	return 0;
}

static int read_all(struct xprof_reader *r, const struct xprof_options *options,
		    struct op_error *e)
{
	uint32_t header;
	int err = read_header(r);

	if (err)
		return err;
	header = r->lines.number;
	xprof_lines_next(&r->lines);
	err = read_sections(r);
	if (!err)
		err = check_header(r, header);
	return err ? err : xprof_check(r->x, &r->places, options, e);
}

int xprof_text_read(const char *text, size_t size, const struct xprof_options *options,
		    struct xprof **ret, struct op_error *e)
{
	struct xprof_reader r = {
		.lines = { .at = text, .end = text + size, .warnings = options->warnings, .e = e },
		.x = xprof_new(XPROF_FEEDBACK),
	};
	int err;

	if (size >= UINT32_MAX)
		err = op_error_set(e, -EFBIG, "4 GiB of text are more than is read");
	else
		err = read_all(&r, options, e);
	for (int i = 0; i < NR_XPROF_ARRAYS; i++)
		free(r.places.at[i]);
	xprof_index_free(&r.index);
	free(r.ids);
	if (err)
		xprof_free(r.x);
	else
		*ret = r.x;
	return err;
}
