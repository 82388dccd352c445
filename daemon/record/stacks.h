/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - the session's stack store (libdb/stack/store.h) as the daemon keeps it
 *
 * It is opened with the session's first stack, so that sessions without have no such file. As
 * with sample files nothing here can fail to the caller: a store that cannot be opened or grown
 * costs stacks (cpu_counts.stacks_lost), never samples; it is told once and tried again later,
 * with growing delays. A broken one is set aside under another name.
 *
 * The ids that a stack is told by are those of the store that is open: ask for all of them, then
 * stacks_add(), between two calls of stacks_ready().
 */
#ifndef DAEMON_RECORD_STACKS_H
#define DAEMON_RECORD_STACKS_H

#include "daemon/record/sfile.h"
#include "libdb/stack/store.h"

struct stacks;

/* All must outlive it. @events as sfile_config's: @nr of them may have stacks. */
struct stacks *stacks_new(const struct sfile_event *events, unsigned int nr,
			  struct images *images, struct stats *stats);
void stacks_free(struct stacks *s);		/* NULL is fine */

/* From now on the store lies below @stats_dir. Closes the one open. */
void stacks_set_session(struct stacks *s, const char *stats_dir);
void stacks_close(struct stacks *s);		/* opened anew when next needed */
/* Bring it to the disk; 0 or -errno. */
int stacks_sync(struct stacks *s);

/* Whether stacks can be added now. */
bool stacks_ready(struct stacks *s);

/* Ids; 0: there is no room for another. Only after stacks_ready(). */
uint32_t stacks_image(struct stacks *s, struct image *image);
uint32_t stacks_map(struct stacks *s, uint32_t tgid, const struct anon_map *map);
/* Frames that nobody knows the image of; their offset is the address. */
uint32_t stacks_nowhere(struct stacks *s);

/* What stacks are kept apart by; a field that the separation makes irrelevant: NULL, SFILE_ALL. */
struct stacks_context {
	struct image *app;
	uint32_t tgid, tid, cpu;
	const char *cgroup;		/* one path is one pointer */
	const char *comm;		/* of the task; "": not separated, or not known */
};

/* Add a stack; a frame whose image is 0 costs it. False: it is lost; the caller counts. */
bool stacks_add(struct stacks *s, const struct stacks_context *context, uint32_t counter,
		const struct stack_frame *frames, size_t nr, unsigned int end);

/* Why stacks are being lost now; "": they are not. */
const char *stacks_trouble(const struct stacks *s);

#endif
