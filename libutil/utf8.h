/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.h - length of the character at the start of a text */
#ifndef LIBUTIL_UTF8_H
#define LIBUTIL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the first character of @text, which is not empty; 0 if it is not valid UTF-8. */
static inline size_t utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3
		 : p[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, beyond U+10FFFF, U+FFFE and U+FFFF */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f) ||
	    (p[0] == 0xef && p[1] == 0xbf && p[2] > 0xbd))
		return 0;
	return n;
}

#endif
