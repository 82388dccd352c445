/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuprofile.h - between the halves of the Google CPU profile: the words a file is made of
 *
 * Rules: doc/cpuprofile.md [GC-n].
 */
#ifndef FORMATS_CPUPROFILE_CPUPROFILE_H
#define FORMATS_CPUPROFILE_CPUPROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/format.h"

#define CPUPROFILE_HEADER_SLOTS	5	/* that every header has */
#define CPUPROFILE_FIXED	2	/* slots 0 and 1, which slot 1 doesn't count */
#define CPUPROFILE_JAVA		1	/* version: addresses are ids */

struct cpuprofile_words {
	unsigned int size;		/* 4 or 8 bytes */
	bool big_endian;
};

static inline uint64_t cpuprofile_get(const unsigned char *bytes, struct cpuprofile_words words)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < words.size; i++)
		value |= (uint64_t)bytes[i] << 8 * (words.big_endian ? words.size - 1 - i : i);
	return value;
}

static inline void cpuprofile_put(unsigned char *bytes, struct cpuprofile_words words,
				  uint64_t value)
{
	for (unsigned int i = 0; i < words.size; i++)
		bytes[words.big_endian ? words.size - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* The kind that the words of these bytes are of, by the file's first two slots [GC-3]. */
bool cpuprofile_find_words(const unsigned char *bytes, size_t size, struct cpuprofile_words *ret);

/*
 * A profile whose words are not 8 bytes, the low one first, has their kind among its comments, by
 * which it is written again in the same way [GC-15].
 */
void cpuprofile_words_remember(struct profile *p, struct cpuprofile_words words);
struct cpuprofile_words cpuprofile_words_remembered(const struct profile *p);

/* What can be a frame of the signal handler is dropped, and told [GC-23]. */
void cpuprofile_drop_handler_frames(struct profile *p, const struct format_warnings *w);

int cpuprofile_write(const struct profile *p, const struct format_write_options *options,
		     FILE *out, struct op_error *e);

#endif
