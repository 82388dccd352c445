/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notices.c - a short list without duplicates */
#include "pp/select/notices.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define MAX_NOTICES 1000	/* bounds the search for duplicates in hostile sessions */

#define MAX_BRIEF 3

static void add(struct notices *notices, enum notice_kind kind, const char *format, va_list args)
{
	struct strbuf text = STRBUF_INIT;

	if (notices->nr == MAX_NOTICES)
		return;
	strbuf_vaddf(&text, format, args);
	if (notices->nr == MAX_NOTICES - 1) {
		strbuf_reset(&text);
		strbuf_add(&text, "further messages of this kind are suppressed");
	}
	for (size_t i = 0; i < notices->nr; i++) {
		if (!strcmp(notices->texts[i], text.text)) {
			strbuf_free(&text);
			return;
		}
	}
	xgrow(notices->kinds, notices->nr, notices->kinds_room);
	xgrow(notices->texts, notices->nr, notices->room);
	notices->kinds[notices->nr] = kind;
	notices->texts[notices->nr++] = strbuf_steal(&text);
}

void notice_add(struct notices *notices, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(notices, NOTICE_WARNING, format, args);
	va_end(args);
}

void notice_add_kind(struct notices *notices, enum notice_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(notices, kind, format, args);
	va_end(args);
}

bool notice_is_listed(const struct notices *notices, size_t i)
{
	return notices->kinds[i] != NOTICE_SUMMARY;
}

/* The line that stands for @nr notices of a kind. */
static void add_line(struct notices *ret, enum notice_kind kind, size_t nr)
{
	switch (kind) {
	case NOTICE_NOT_FOUND:
		notice_add(ret, "%zu images were not found and are shown without symbols; name "
			   "folders to search with --image-path, --verbose lists them", nr);
		break;
	case NOTICE_CHANGED:
		notice_add(ret, "%zu images may have changed since they were profiled, their "
			   "symbols may be wrong; --verbose lists them", nr);
		break;
	case NOTICE_NOT_FETCHED:
		notice_add(ret, "cannot fetch the debug files of %zu images from DEBUGINFOD_URLS; "
			   "--verbose lists them", nr);
		break;
	case NOTICE_NO_LINES:
		notice_add(ret, "%zu images have no source lines; --verbose lists them", nr);
		break;
	default:		/* a summary stands for them */
		break;
	}
}

/* All lines, however many. */
static void add_lines(const struct notices *notices, struct notices *ret)
{
	size_t nr[NR_NOTICE_KINDS] = { 0 };

	for (size_t i = 0; i < notices->nr; i++)
		nr[notices->kinds[i]]++;
	for (size_t i = 0; i < notices->nr; i++) {
		enum notice_kind kind = notices->kinds[i];

		if (kind <= NOTICE_SUMMARY || (kind > NOTICE_DETAIL && nr[kind] == 1))
			notice_add(ret, "%s", notices->texts[i]);
		else if (nr[kind])
			add_line(ret, kind, nr[kind]);
		if (kind > NOTICE_SUMMARY)
			nr[kind] = 0;	/* its line is there */
	}
}

void notices_brief(const struct notices *notices, struct notices *ret)
{
	struct notices lines = { 0 };
	size_t nr;

	add_lines(notices, &lines);
	nr = lines.nr > MAX_BRIEF ? MAX_BRIEF - 1 : lines.nr;
	for (size_t i = 0; i < nr; i++)
		notice_add(ret, "%s", lines.texts[i]);
	if (nr < lines.nr)
		notice_add(ret, "%zu more warnings; --verbose prints them", lines.nr - nr);
	notices_free(&lines);
}

void notices_append(struct notices *notices, struct notices *more)
{
	for (size_t i = 0; i < more->nr; i++)
		notice_add_kind(notices, more->kinds[i], "%s", more->texts[i]);
	notices_free(more);
}

void notices_free(struct notices *notices)
{
	for (size_t i = 0; i < notices->nr; i++)
		free(notices->texts[i]);
	free(notices->texts);
	free(notices->kinds);
	*notices = (struct notices){ 0 };
}
