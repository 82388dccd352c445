/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sorted.h - sort texts, and search in what is sorted */
#ifndef LIBUTIL_SORTED_H
#define LIBUTIL_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* For qsort() and bsearch() of an array of texts. */
static inline int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The same of an array of uint64_t. */
static inline int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * The first of the indexes @i below @nr for which @holds, an expression of @i, is false; @nr: none.
 * It is true for all indexes before that one, and false for all behind it.
 */
#define first_not(nr, i, holds) ({					\
	size_t first_ = 0, end_ = (nr);					\
									\
	while (first_ < end_) {						\
		size_t i = first_ + (end_ - first_) / 2;		\
									\
		if (holds)						\
			first_ = i + 1;					\
		else							\
			end_ = i;					\
	}								\
	first_;								\
})

#endif
