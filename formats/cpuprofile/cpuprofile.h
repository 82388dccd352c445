/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuprofile.h - the Google CPU profile: the words of a file, which reader and writer share
 *
 * Rules: doc/cpuprofile.md [GC-n].
 */
#ifndef FORMATS_CPUPROFILE_CPUPROFILE_H
#define FORMATS_CPUPROFILE_CPUPROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/format.h"

#define CPUPROFILE_HEADER_SLOTS	5	/* of every header */
#define CPUPROFILE_FIXED	2	/* slots 0 and 1, which slot 1 does not count */
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

/* Detect the size and byte order of the words by the first two slots of the file. [GC-3] */
bool cpuprofile_find_words(const unsigned char *bytes, size_t size, struct cpuprofile_words *ret);

/*
 * A profile read from words other than 64-bit little-endian has a comment with their kind, so that
 * it is written in the same way [GC-15].
 */
void cpuprofile_save_words(struct profile *p, struct cpuprofile_words words);
struct cpuprofile_words cpuprofile_saved_words(const struct profile *p);
bool cpuprofile_is_words_comment(const char *comment);

/* Drop what looks like frames of the signal handler, with a warning. [GC-23] */
void cpuprofile_drop_handler_frames(struct profile *p, const struct format_warnings *w);

int cpuprofile_write(const struct profile *p, const struct format_write_options *options,
		     FILE *out, struct op_error *e);

#endif
