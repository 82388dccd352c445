/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binaries.h - copies of sampled binaries that cannot be found under their paths: stats/binaries
 *
 * A container's file lies at its path in that container only, and a program may be removed or
 * built anew while it runs. What was executed is read through its cookie's own descriptor, which
 * is kept from the first sight on where the host has another file at the path: a process, and its
 * mount namespace with it, may be gone soon. Copied is what has samples, once per build-id, in
 * pieces between drains, within bounds. Rules: doc/session.md [SS-65]..
 */
#ifndef DAEMON_RECORD_BINARIES_H
#define DAEMON_RECORD_BINARIES_H

#include "daemon/collect/collector.h"
#include "daemon/record/image.h"

struct binaries;

struct binaries *binaries_new(struct collector *collector);
void binaries_free(struct binaries *b);		/* NULL is fine */

/* From now on copies lie below @stats_dir; what is there already counts. */
void binaries_set_session(struct binaries *b, const char *stats_dir);

/* @cookie turned out to be @image, whose file is @fd, used up; negative: not to be had. */
void binaries_saw(struct binaries *b, struct image *image, op_word cookie, int fd);

/* Copy some of what is due, for a few milliseconds: after every drain. */
void binaries_step(struct binaries *b);
/* Look which of them changed at their paths since: every few seconds. */
void binaries_look(struct binaries *b);
/* All of it, also what changed at its path since; @meanwhile is called between pieces. */
void binaries_finish(struct binaries *b, void (*meanwhile)(void *context), void *context);

#endif
