// SPDX-License-Identifier: GPL-2.0-or-later
/* strings.c - indices of strings, and repair of strings that are not UTF-8 */
#include "formats/proto/strings.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/utf8.h"
#include "libutil/xalloc.h"

void proto_strings_start(struct proto_strings *s, const struct profile *p)
{
	*s = (struct proto_strings){ .p = p, .repaired_text = STRBUF_INIT };
	s->indices = xcalloc(p->nr_strings, sizeof(*s->indices));
	xgrow(s->texts, s->nr, s->room);
	s->texts[s->nr++] = "";
}

void proto_strings_free(struct proto_strings *s)
{
	for (size_t i = 0; i < s->nr_own; i++)
		free(s->own[i]);
	free(s->own);
	free(s->indices);
	free(s->texts);
	strbuf_free(&s->repaired_text);
}

static uint32_t add(struct proto_strings *s, const char *text)
{
	xgrow(s->texts, s->nr, s->room);
	s->texts[s->nr] = text;
	return s->nr++;
}

uint32_t proto_string_index(struct proto_strings *s, uint32_t string)
{
	if (string && !s->indices[string])
		s->indices[string] = add(s, profile_text(s->p, string));
	return s->indices[string];
}

uint32_t proto_text_index(struct proto_strings *s, const char *text)
{
	for (uint32_t i = 0; i < s->p->nr_strings; i++)
		if (!strcmp(profile_text(s->p, i), text))
			return proto_string_index(s, i);
	for (uint32_t i = 0; i < s->nr; i++)
		if (!strcmp(s->texts[i], text))
			return i;
	xgrow(s->own, s->nr_own, s->room_own);
	s->own[s->nr_own] = xstrdup(text);
	return add(s, s->own[s->nr_own++]);
}

static bool is_valid(const char *text)
{
	for (size_t n; *text; text += n) {
		n = utf8_length(text);
		if (!n)
			return false;
	}
	return true;
}

const char *proto_string_bytes(struct proto_strings *s, uint32_t index, size_t *ret_len)
{
	const char *text = s->texts[index];

	*ret_len = strlen(text);
	if (is_valid(text))
		return text;
	s->nr_repaired++;
	strbuf_reset(&s->repaired_text);
	while (*text) {
		size_t n = utf8_length(text);

		strbuf_add_bytes(&s->repaired_text, n ? text : "\xef\xbf\xbd", n ? n : 3);
		text += n ? n : 1;
	}
	*ret_len = s->repaired_text.len;
	return s->repaired_text.text;
}
