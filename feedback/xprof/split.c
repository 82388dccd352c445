/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.c - where in NAME:PATH the name ends */
#include "feedback/xprof/split.h"

#include <string.h>

#define COLONS_MAX	256	/* looked at: a line of colons must not cost its length squared */

size_t xprof_split(const struct xprof_index *index, const char *text, size_t len)
{
	const char *end = text + len, *at = text, *slash = NULL, *last;

	for (int i = 0; i < COLONS_MAX && (at = memchr(at, ':', end - at)); i++, at++) {
		if (at > text && xprof_index_path(index, at + 1, end - at - 1) != UINT32_MAX)
			return at - text;
		if (!slash && at + 1 < end && at[1] == '/')
			slash = at;
	}
	if (slash)
		return slash - text;
	last = memrchr(text, ':', len);
	return last ? (size_t)(last - text) : len;
}
