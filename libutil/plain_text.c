// SPDX-License-Identifier: GPL-2.0-or-later
/* plain_text.c - see plain_text.h */
#include "libutil/plain_text.h"

#include <stdbool.h>
#include <string.h>

#include "libutil/utf8.h"

#define WORD_MAX	300
#define HEAD		100	/* shown of a longer word, before "..." */
#define TAIL		(WORD_MAX - HEAD - 3)

/* A character of two or three bytes that is not printed as such. */
static bool acts_on_text(const unsigned char *p, size_t n)
{
	if (n == 2)
		return (p[0] == 0xc2 && p[1] < 0xa0) ||		/* C1 */
		       (p[0] == 0xd8 && p[1] == 0x9c);		/* U+061C */
	if (n != 3 || p[0] != 0xe2)
		return false;
	return (p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f ||	/* U+200E, U+200F */
				 (p[2] >= 0xa8 && p[2] <= 0xae))) ||	/* U+2028 to U+202E */
	       (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);		/* U+2066 to U+2069 */
}

size_t plain_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n;

	if (p[0] < 0x80)
		return p[0] >= ' ' && p[0] != 0x7f;
	n = utf8_length(text);
	return acts_on_text(p, n) ? 0 : n;
}

void plain_text(char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = plain_length(text + i);
		if (!n)
			text[i] = '?';
	}
}

void plain_put(const char *text, FILE *out)
{
	for (size_t n; *text; text += n ? n : 1) {
		n = plain_length(text);
		fwrite(n ? text : "?", 1, n ? n : 1, out);
	}
}

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
