/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notices.c - a short list without duplicates */
#include "pp/select/notices.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define MAX_NOTICES 1000	/* bounds the search for duplicates in hostile sessions */

void notice_add(struct notices *notices, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	if (notices->nr == MAX_NOTICES)
		return;
	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
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
	xgrow(notices->texts, notices->nr, notices->room);
	notices->texts[notices->nr++] = strbuf_steal(&text);
}

void notices_append(struct notices *notices, struct notices *more)
{
	for (size_t i = 0; i < more->nr; i++)
		notice_add(notices, "%s", more->texts[i]);
	notices_free(more);
}

void notices_free(struct notices *notices)
{
	for (size_t i = 0; i < notices->nr; i++)
		free(notices->texts[i]);
	free(notices->texts);
	*notices = (struct notices){ 0 };
}
