/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - how many samples the running session has so far, read again and again
 *
 * From the first of these that there is: the store of the history's current segment, the session's
 * stack store, the session's sample files. Of stores only the counts are read again, and what is
 * new [OT-2].
 */
#ifndef LIVE_TOP_SOURCE_H
#define LIVE_TOP_SOURCE_H

#include <sys/stat.h>
#include "libdb/stack/tail.h"
#include "pp/select/collect.h"

#define TOP_FRAMES_MAX	(STACK_FRAMES_MAX + 1)

/* Samples of one place, or of one stack, on behalf of one context. */
struct top_count {
	uint32_t node;			/* of the stack store; 0: there is none */
	uint32_t image;			/* index, as context and event */
	uint32_t context, event;
	uint64_t offset;
	uint64_t samples;		/* so far; in the session */
};

struct top_source {
	char *session_dir;
	struct collection collection;	/* images and names; its sessions are one, the current */
	/* images, events and contexts only; pp/report/stack/symbols.h reads them */
	struct stack_snapshot labels;
	struct top_count *counts;	/* their number only grows */
	size_t nr_counts, room;
	bool has_stacks;
	/* the rest is source.c's */
	bool is_history;		/* stores are those of its segments; else there is one */
	struct top_store *stores;	/* the last is being filled */
	size_t nr_stores, stores_room;
	char *store;			/* its path */
	unsigned int nr_missing;	/* readings in which there was no store of the history */
	struct stat folder;		/* the session's */
	struct top_rooms *rooms;
	struct top_keys *keys;
	unsigned int nr_reads;
};

struct top_place {
	const struct spec_list *image_path;
	const char *session_dir, *root;	/* root: or NULL */
};

/* -ENOENT: the session has no samples yet. Other -errno with @e. *ret is then empty. */
int top_source_open(const struct top_place *place, struct top_source *ret, struct op_error *e);
void top_source_close(struct top_source *s);

/* Read all counts. -ESTALE: the session was replaced; open it again. */
int top_source_read(struct top_source *s, struct op_error *e);

/*
 * The frames of a count, innermost first, at most TOP_FRAMES_MAX, with indices of images; *ret_end
 * is how the stack ended. Without stacks there is one.
 */
size_t top_source_frames(const struct top_source *s, const struct top_count *c,
			 struct stack_frame *ret, unsigned int *ret_end);

#endif
