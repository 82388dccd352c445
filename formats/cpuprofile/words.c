// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - size and byte order of the words of a CPU profile */
#include <stdio.h>
#include <string.h>

#include "formats/cpuprofile/cpuprofile.h"

#define LARGEST_HEADER	65535		/* slots; larger numbers are not a header */
#define MARK		"cpuprofile words: "

static const struct {
	struct cpuprofile_words words;
	const char *name;
} kinds[] = {
	{ { 8, false }, "64-bit little-endian" }, { { 8, true }, "64-bit big-endian" },
	{ { 4, false }, "32-bit little-endian" }, { { 4, true }, "32-bit big-endian" },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

bool cpuprofile_find_words(const unsigned char *bytes, size_t size, struct cpuprofile_words *ret)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		struct cpuprofile_words words = kinds[i].words;
		uint64_t slots;

		if (size < CPUPROFILE_FIXED * words.size || cpuprofile_get(bytes, words))
			continue;
		slots = cpuprofile_get(bytes + words.size, words);
		if (slots && slots <= LARGEST_HEADER) {
			*ret = words;
			return true;
		}
	}
	return false;
}

void cpuprofile_save_words(struct profile *p, struct cpuprofile_words words)
{
	char text[64];

	for (size_t i = 1; i < NR_KINDS; i++)
		if (kinds[i].words.size == words.size &&
		    kinds[i].words.big_endian == words.big_endian) {
			snprintf(text, sizeof(text), MARK "%s", kinds[i].name);
			profile_comment(p, text);
		}
}

bool cpuprofile_is_words_comment(const char *comment)
{
	return !strncmp(comment, MARK, strlen(MARK));
}

struct cpuprofile_words cpuprofile_saved_words(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_comments; i++) {
		const char *text = profile_text(p, p->comments[i]);

		if (!cpuprofile_is_words_comment(text))
			continue;
		for (size_t k = 0; k < NR_KINDS; k++)
			if (!strcmp(text + strlen(MARK), kinds[k].name))
				return kinds[k].words;
	}
	return kinds[0].words;
}
