/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_words.c - lists in options */
#include "pp/cli/option_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

static int unknown_word(const char *option, const char *word, size_t len,
			const struct option_word *words, struct op_error *e)
{
	struct strbuf all = STRBUF_INIT;
	int err;

	for (const struct option_word *w = words; w->name; w++)
		strbuf_addf(&all, "%s%s", w == words ? "" : ", ", w->name);
	err = op_error_set(e, -EINVAL, "invalid value '%.*s' for --%s: expected one of %s",
			   (int)(len > 80 ? 80 : len), word, option, all.text);
	strbuf_free(&all);
	return err;
}

int option_words_parse(const char *option, const char *list, const struct option_word *words,
		       unsigned int *bits, struct op_error *e)
{
	while (list && *list) {
		size_t len = strcspn(list, ",");
		const struct option_word *w = words;

		while (w->name && (strlen(w->name) != len || strncmp(w->name, list, len)))
			w++;
		if (!w->name)
			return unknown_word(option, list, len, words, e);
		*bits |= w->bit;
		list += len + (list[len] == ',');
	}
	return 0;
}

void option_list_split(const char *text, struct spec_list *list)
{
	while (text && *text) {
		size_t len = strcspn(text, ",");

		if (len) {
			xgrow(list->items, list->nr, list->room);
			list->items[list->nr++] = (struct spec_item){
				.text = xasprintf("%.*s", (int)len, text),
			};
		}
		text += len + (text[len] == ',');
	}
}

void option_list_free(struct spec_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->items[i].text);
	free(list->items);
}

char *option_words_join(const char *first, const char *const *words, size_t nr,
			const char *between)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_add(&text, first);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s%s", i || *first ? between : "", words[i]);
	return strbuf_steal(&text);
}
