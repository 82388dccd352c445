// SPDX-License-Identifier: GPL-2.0-or-later
/* hash.c - hashes of byte strings, eight bytes at a time */
#include <string.h>
#include "libutil/hash.h"

uint64_t hash_bytes(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = n, word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = hash_mix(h, word);
	}
	word = 0;
	if (n)
		memcpy(&word, p, n);
	return hash_mix(h, word);
}

uint64_t hash_string(const char *s)
{
	return hash_bytes(s, strlen(s));
}
