/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - how far long work is
 *
 * Libraries tell it often; a program that has somebody waiting shows it, others ignore it.
 */
#ifndef LIBUTIL_PROGRESS_H
#define LIBUTIL_PROGRESS_H

#include <stddef.h>

/*
 * @what is worked on, NULL: everything; it may hold any bytes. @done of @total @unit ("images") are
 * finished; total 0: unknown. From any thread; returns at once if nobody is shown it.
 */
void progress_tell(const char *what, size_t done, size_t total, const char *unit);

/* @show is called by each progress_tell() from now on, by one thread at a time. */
void progress_show_with(void (*show)(const char *what, size_t done, size_t total,
				     const char *unit));

#endif
