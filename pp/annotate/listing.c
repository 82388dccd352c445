/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listing.c - choose the source lines before an instruction */
#include "pp/annotate/listing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/annotate/missing.h"
#include "pp/annotate/paths.h"

#define LINES_BEFORE	5
#define SOURCE_MAX	(64u << 20)	/* bytes of a source file */

struct source {
	char *path;
	char *text;		/* NULL: unreadable */
	char **lines;
	size_t nr_lines;
	bool ends_early;	/* the code has lines past its end */
	size_t last, furthest;	/* of the lines shown in this symbol: the last, the highest */
};

struct listing {
	const struct binary *binary;
	const struct annotate_options *options;
	struct notices *notices;
	struct source_binary of;
	struct line_binary *tables;
	const struct code_section *section;	/* of the last instruction */
	struct source *sources;
	size_t nr, room;
	size_t at;				/* the source of the last instruction */
	size_t line;				/* and its line, for -l */
};

struct listing *listing_open(const struct binary *b, const char *path,
			     const struct annotate_options *options, const char *cache_dir,
			     struct notices *notices)
{
	const struct line_options how = {
		.root = options->root ? options->root : "",
		.cache_dir = cache_dir,
	};
	struct line_binary *tables;
	struct op_error e = { "" };
	struct listing *l;

	if (line_binary_open(b, path, &how, &tables, &e)) {
		notice_add(notices, "%s", e.text);
		return NULL;
	}
	l = xcalloc(1, sizeof(*l));
	l->binary = b;
	l->options = options;
	l->of = source_binary_of(path);
	l->notices = notices;
	l->tables = tables;
	return l;
}

void listing_close(struct listing *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nr; i++) {
		free(l->sources[i].path);
		free(l->sources[i].text);
		free(l->sources[i].lines);
	}
	free(l->sources);
	line_binary_close(l->tables);
	free(l);
}

void listing_restart(struct listing *l)
{
	for (size_t i = 0; i < l->nr; i++)
		l->sources[i].last = l->sources[i].furthest = 0;
	l->line = 0;
}

static void cut_lines(struct source *s)
{
	size_t room = 0;

	for (char *at = s->text; *at; ) {
		char *end = strchr(at, '\n');

		xgrow(s->lines, s->nr_lines, room);
		s->lines[s->nr_lines++] = at;
		if (!end)
			break;
		*end = '\0';
		at = end + 1;
	}
}

static void read_source(struct listing *l, struct source *s)
{
	char *found = NULL;
	FILE *f = source_open(l->options, s->path, l->of.owner, &found);
	int err = f ? file_read_all_fd(fileno(f), SOURCE_MAX, &s->text, NULL) : -errno;

	if (err) {
		s->text = NULL;
		notice_add(l->notices, "cannot read source '%s': %s", s->path, source_error(-err));
	} else {
		cut_lines(s);
		if (!l->options->compat && source_is_newer(f, l->of.built))
			notice_add(l->notices, "source '%s' is newer than the binary; lines may "
				   "have moved", found);
	}
	if (f)
		fclose(f);
	free(found);
}

static struct source *get_source(struct listing *l, const char *path)
{
	if (l->at < l->nr && !strcmp(l->sources[l->at].path, path))
		return &l->sources[l->at];
	for (l->at = 0; l->at < l->nr; l->at++)
		if (!strcmp(l->sources[l->at].path, path))
			return &l->sources[l->at];
	xgrow(l->sources, l->nr, l->room);
	l->sources[l->nr++] = (struct source){ .path = xstrdup(path) };
	read_source(l, &l->sources[l->at]);
	return &l->sources[l->at];
}

static bool find_place(struct listing *l, const char *section, uint64_t offset, uint64_t *ret)
{
	const struct binary *b = l->binary;

	if (!l->section || strcmp(l->section->name, section)) {
		l->section = NULL;
		for (size_t i = 0; i < b->nr_sections && !l->section; i++)
			if (!strcmp(b->sections[i].name, section))
				l->section = &b->sections[i];
	}
	if (!l->section)
		return false;
	*ret = l->section->start + offset;
	return true;
}

/* Report a source that is not the one that was compiled [AN-17]. */
static void check_end(struct listing *l, struct source *s, size_t line)
{
	if (s->ends_early || !s->text || line <= s->nr_lines || l->options->compat)
		return;
	s->ends_early = true;
	notice_add(l->notices, "source '%s' is not the compiled version: it has no line %zu",
		   s->path, line);
}

/* The first line to show: with some lines before it, but none twice. */
static size_t first_line(const struct source *s, size_t line)
{
	size_t first = line > LINES_BEFORE ? line - LINES_BEFORE : 1;

	if (s->furthest < first)
		return first;
	return s->furthest < line ? s->furthest + 1 : line;
}

void listing_before(struct listing *l, const char *section, uint64_t offset,
		    void (*put)(void *context, const char *text), void *context)
{
	struct line_place place;
	struct source *s;
	uint64_t where;

	if (!find_place(l, section, offset, &where))
		return;
	line_binary_find(l->tables, &where, 1, &place);
	if (!place.file || !place.line)
		return;
	s = get_source(l, place.file);
	check_end(l, s, place.line);
	if (l->options->disassembly.line_numbers &&
	    (l->line != place.line || s->last != place.line)) {
		char *text = xasprintf("%s:%u", place.file, place.line);

		put(context, text);
		free(text);
		l->line = place.line;
	}
	if (s->last == place.line)
		return;
	for (size_t i = first_line(s, place.line); l->options->source && i <= place.line; i++)
		if (i <= s->nr_lines)
			put(context, s->lines[i - 1]);
	s->last = place.line;
	if (s->furthest < place.line)
		s->furthest = place.line;
}
