/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_words.h - options whose values are lists: "cpu,tid", "f,g,h" */
#ifndef PP_CLI_OPTION_WORDS_H
#define PP_CLI_OPTION_WORDS_H

#include <stddef.h>
#include "libutil/error.h"
#include "pp/select/spec.h"

struct option_word {
	const char *name;	/* NULL ends the list */
	unsigned int bit;
};

/* OR the bits of @list's comma separated words into @bits. @list may be NULL. 0 or -EINVAL. */
int option_words_parse(const char *option, const char *list, const struct option_word *words,
		       unsigned int *bits, struct op_error *e);

/* Append the comma separated values of @text, which may be NULL, to @list. */
void option_list_split(const char *text, struct spec_list *list);
void option_list_free(struct spec_list *list);

/* @first, then @words, with @between after each but the last; malloc'd. */
char *option_words_join(const char *first, const char *const *words, size_t nr,
			const char *between);

#endif
