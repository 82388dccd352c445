// SPDX-License-Identifier: GPL-2.0-or-later
/* plain_text.c - see plain_text.h */
#include "libutil/plain_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libutil/utf8.h"

#define WORD_MAX	300
#define HEAD		100	/* shown of a longer word, before "..." */
#define TAIL		(WORD_MAX - HEAD - 3)

static const struct {
	uint32_t first, last;
} unprintable[] = {
	{ 0x80, 0x9f },			/* C1 */
	{ 0xad, 0xad },			/* soft hyphen */
	{ 0x61c, 0x61c },		/* writing direction */
	{ 0x200b, 0x200b },		/* a space without width (not joiners, which words need) */
	{ 0x200e, 0x200f },		/* writing direction */
	{ 0x2028, 0x202e },		/* separators of lines and paragraphs, writing direction */
	{ 0x2060, 0x206f },		/* invisible operators, writing direction */
	{ 0xfeff, 0xfeff },		/* a space without width */
	{ 0xfff9, 0xfffb },		/* annotations */
	{ 0xe0000, 0xe007f },		/* invisible letters */
};

static uint32_t code_point(const unsigned char *p, size_t n)
{
	uint32_t code = n == 2 ? p[0] & 0x1f : n == 3 ? p[0] & 0x0f : p[0] & 0x07;

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

/* A character of @n bytes, more than one, that is not printed as such. */
static bool acts_on_text(const unsigned char *p, size_t n)
{
	const uint32_t code = code_point(p, n);

	for (size_t i = 0; i < sizeof(unprintable) / sizeof(*unprintable); i++)
		if (code >= unprintable[i].first && code <= unprintable[i].last)
			return true;
	return false;
}

size_t plain_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n;

	if (p[0] < 0x80)
		return p[0] >= ' ' && p[0] != 0x7f;
	n = utf8_length(text);
	return n > 1 && acts_on_text(p, n) ? 0 : n;
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
