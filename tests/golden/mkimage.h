/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mkimage.h - how images are written in the texts that become sessions */
#ifndef MKIMAGE_H
#define MKIMAGE_H

#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "sample_name.h"

/*
 * An absolute path, {kern}NAME, or {anon}NAME,TGID,START,END. @text is spoilt and stays what
 * @ret's strings point into. NULL, or what is wrong.
 */
static inline const char *mkimage_parse(char *text, struct image_name *ret)
{
	uint64_t numbers[3];
	char *save = NULL;

	*ret = (struct image_name){ .kind = IMAGE_FILE, .path = text };
	if (!strncmp(text, "{kern}", 6)) {
		ret->kind = IMAGE_KERNEL;
		ret->path = text + 6;
	} else if (!strncmp(text, "{anon}", 6)) {
		ret->kind = IMAGE_ANON;
		ret->path = strtok_r(text + 6, ",", &save);
		for (int i = 0; i < 3; i++) {
			const char *word = strtok_r(NULL, ",", &save);

			if (!word || number_parse_u64(word, &numbers[i]))
				return "not {anon}NAME,TGID,START,END";
		}
		ret->anon_tgid = (uint32_t)numbers[0];
		ret->anon_start = numbers[1];
		ret->anon_end = numbers[2];
	} else if (*text != '/') {
		return "an image is an absolute path, {kern}NAME or {anon}...";
	}
	return NULL;
}

#endif
