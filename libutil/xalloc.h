/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xalloc.h - allocation that prints an error and exits (status 1) instead of returning NULL
 *
 * Only for sizes that the program computes, never for a length from a file or a peer.
 */
#ifndef LIBUTIL_XALLOC_H
#define LIBUTIL_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc_array(void *old, size_t n, size_t size);	/* overflow of n * size is fatal, too */
char *xstrdup(const char *s);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Make room for one more element in a counted array, which grows by half, at least to 16. */
#define xgrow(array, count, room)                                                              \
	do {                                                                                   \
		if ((count) == (room)) {                                                       \
			(room) = (room) < 16 ? 16 : (room) + (room) / 2;                       \
			(array) = xrealloc_array((array), (room), sizeof(*(array)));           \
		}                                                                              \
	} while (0)

#endif
