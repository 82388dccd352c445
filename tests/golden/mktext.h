/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mktext.h - words of the texts that become sessions; a bad one ends the program */
#ifndef TESTS_GOLDEN_MKTEXT_H
#define TESTS_GOLDEN_MKTEXT_H

#include <stdlib.h>
#include <string.h>

#include "libdb/session/name.h"
#include "libutil/message.h"
#include "libutil/number.h"

static struct {			/* where we are in the text */
	const char *path;
	unsigned int line;
} at;

static inline __attribute__((noreturn)) void fail(const char *what, const char *word)
{
	report_error("%s:%u: %s: '%s'", at.path, at.line, what, word ? word : "");
	exit(1);
}

static inline uint64_t number(const char *word)
{
	uint64_t n = 0;

	if (!word || number_parse_u64(word, &n))
		fail("not a number", word);
	return n;
}

static inline int64_t number_or_all(const char *word)
{
	return word && !strcmp(word, "all") ? SAMPLE_ALL : (int64_t)number(word);
}

/*
 * An absolute path, {kern}NAME, or {anon}NAME,TGID,START,END. @text is spoilt and stays what
 * @ret's strings point into.
 */
static inline void parse_image(char *text, struct image_name *ret)
{
	char *save = NULL;

	*ret = (struct image_name){ .kind = IMAGE_FILE, .path = text };
	if (!strncmp(text, "{kern}", 6)) {
		ret->kind = IMAGE_KERNEL;
		ret->path = text + 6;
	} else if (!strncmp(text, "{anon}", 6)) {
		ret->kind = IMAGE_ANON;
		ret->path = strtok_r(text + 6, ",", &save);
		ret->anon_tgid = (uint32_t)number(strtok_r(NULL, ",", &save));
		ret->anon_start = number(strtok_r(NULL, ",", &save));
		ret->anon_end = number(strtok_r(NULL, ",", &save));
	} else if (*text != '/') {
		fail("an image is an absolute path, {kern}NAME or {anon}...", text);
	}
}

#endif
