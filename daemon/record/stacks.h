/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - a stack store (libdb/stack/store.h) that the daemon adds to: the session's or the
 * history's
 *
 * It is opened for the session's first stack, so that sessions without stacks have no such file. As
 * with sample files callers never see a failure: a store that cannot be opened or grown loses
 * stacks (cpu_counts.stacks_lost), never samples, which is logged once; it is tried again later,
 * with growing delays. A broken one is set aside under another name.
 *
 * Ids belong to the store that is open. After each stacks_ready() get all ids of a stack, then call
 * stacks_add().
 */
#ifndef DAEMON_RECORD_STACKS_H
#define DAEMON_RECORD_STACKS_H

#include "daemon/record/sfile.h"
#include "libdb/stack/store.h"

struct stacks;

/*
 * The arguments must outlive it. @events as in sfile_config: @nr of them may have stacks. The store
 * has at most @max_bytes; its index takes as much memory. One of each @kind, because images keep
 * their ids.
 */
struct stacks *stacks_new(enum stacks_kind kind, const struct sfile_event *events, unsigned int nr,
			  struct images *images, uint64_t max_bytes);
void stacks_free(struct stacks *s);		/* NULL is fine */

/* From now on the store is the file @path; "": none. Closes the one that is open. */
void stacks_set_file(struct stacks *s, const char *path);
uint64_t stacks_bytes(const struct stacks *s);	/* of the store that is open; 0: none is */
uint64_t stacks_memory(const struct stacks *s);	/* bytes, the same without the mapped file */
void stacks_close(struct stacks *s);	/* opened again when next needed */
void stacks_pack(struct stacks *s);	/* close, and make the file smaller: no more will come */
int stacks_sync(struct stacks *s);	/* 0 or -errno */

/* Whether stacks can be added now. */
bool stacks_ready(struct stacks *s);

/* Ids; 0: there is no room for another. Only after stacks_ready(). */
uint32_t stacks_image(struct stacks *s, struct image *image);
/* @program: of the process; equal paths must be one pointer. */
uint32_t stacks_map(struct stacks *s, uint32_t tgid, const struct anon_map *map,
		    const char *program);
/* For frames whose image is not known; their offset is the address. */
uint32_t stacks_unknown_image(struct stacks *s);

/* What stacks are separated by. Fields that the separation makes irrelevant: NULL, SFILE_ALL. */
struct stacks_context {
	struct image *app;
	uint32_t tgid, tid, cpu;
	const char *cgroup;		/* one path is one pointer */
	const char *comm;		/* of the task; "": not separated, or not known */
};

/*
 * Add @count samples of a stack. False: they are lost, because the store or a frame's image (0) has
 * no room.
 */
bool stacks_add(struct stacks *s, const struct stacks_context *context, uint32_t counter,
		const struct stack_frame *frames, size_t nr, unsigned int end, uint64_t count);

void stacks_forget_images(struct stacks *s);	/* image.h: it has pointers to them */

/* Why stacks are being lost now, or "". */
const char *stacks_trouble(const struct stacks *s);

#endif
