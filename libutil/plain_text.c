// SPDX-License-Identifier: GPL-2.0-or-later
/* plain_text.c - see plain_text.h */
#include "libutil/plain_text.h"

#include <string.h>

#define WORD_MAX	300
#define HEAD		100	/* shown of a longer word, before "..." */
#define TAIL		(WORD_MAX - HEAD - 3)

void shorten_words(char *text)
{
	char *to = text;

	while (*text) {
		size_t spaces = strspn(text, " "), len = strcspn(text + spaces, " ");

		memmove(to, text, spaces + len);
		to += spaces;
		text += spaces + len;
		if (len > WORD_MAX) {
			memcpy(to + HEAD, "...", 3);
			memmove(to + HEAD + 3, to + len - TAIL, TAIL);
			len = WORD_MAX;
		}
		to += len;
	}
	*to = '\0';
}
