/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taken_words.h - the words that a collector hands out, kept to be compared */
#ifndef TESTS_UNIT_TAKEN_WORDS_H
#define TESTS_UNIT_TAKEN_WORDS_H

#include <string.h>
#include "oprofilefs/op_abi.h"
#include "tests/tap.h"

static op_word words[100000];
static size_t nr_words;

static inline void take_words(void *context, const op_word *w, size_t nr)
{
	(void)context;
	memcpy(words + nr_words, w, nr * sizeof(*w));
	nr_words += nr;
}

/* They are forgotten then. */
static inline void check_words(const op_word *want, size_t nr, const char *what)
{
	CHECK(nr_words == nr, "%s: %zu words, not %zu", what, nr_words, nr);
	for (size_t i = 0; i < nr && i < nr_words; i++)
		CHECK(words[i] == want[i], "%s: word %zu is %llx, not %llx", what, i,
		      (unsigned long long)words[i], (unsigned long long)want[i]);
	nr_words = 0;
}

#define CHECK_WORDS(what, ...)                                                                     \
	do {                                                                                       \
		const op_word want[] = {__VA_ARGS__};                                              \
		check_words(want, sizeof(want) / sizeof(want[0]), what);                           \
	} while (0)

#endif
