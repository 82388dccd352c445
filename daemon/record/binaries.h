/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binaries.h - copy sampled binaries that reports would not find at their paths: stats/binaries
 *
 * A file of a container is at its path in that container only, and a program may be removed or
 * rebuilt while it runs. The file that was executed is read through the descriptor of its cookie.
 * If the host has another file at the path, the descriptor is held from the start, because the
 * process, and its mount namespace with it, may end soon. Binaries with samples are copied, once
 * per build ID, in pieces between drains, within limits: doc/session.md [SS-65].
 */
#ifndef DAEMON_RECORD_BINARIES_H
#define DAEMON_RECORD_BINARIES_H

#include "daemon/collect/collector.h"
#include "daemon/record/image.h"

struct binaries;

struct binaries *binaries_new(struct collector *collector);
void binaries_free(struct binaries *b);		/* NULL is fine */

/* From now on copies lie below @stats_dir; those that are there count for the limit. */
void binaries_set_session(struct binaries *b, const char *stats_dir);

/* @cookie stands for @image. Takes over @fd, the file; negative: it cannot be opened. */
void binaries_add(struct binaries *b, struct image *image, op_word cookie, int fd);

/* Before images_sweep(): keep the images of binaries that are held, and forget those of others. */
void binaries_sweep(struct binaries *b);

/* Copy for a few milliseconds: after every drain. */
void binaries_step(struct binaries *b);
/* Check which binaries are no longer at their paths: every few seconds. */
void binaries_check_paths(struct binaries *b);
/* Check paths and copy everything that is due; @meanwhile is called between pieces. */
void binaries_finish(struct binaries *b, void (*meanwhile)(void *context), void *context);

#endif
