/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tail.h - follow a stack store while its writer adds to it
 *
 * What a snapshot reads each time is here read once: records are only appended, so a later reading
 * parses what is new, and takes from the rest of the file nothing but the counts. Everything is
 * checked as in a snapshot, whatever the file holds meanwhile.
 */
#ifndef LIBDB_STACK_TAIL_H
#define LIBDB_STACK_TAIL_H

#include "libdb/stack/file.h"

/* Nodes, series and labels are records of the log, by position. */
struct stack_tail_count {
	uint32_t pos;			/* ascending */
	uint32_t node, series;
	uint64_t samples;
};

struct stack_tail {
	int fd;
	struct stack_log log;		/* checked below @checked; counts in it are old */
	uint32_t room, checked;
	struct stack_tail_count *counts;
	size_t nr_counts, counts_room;
	uint64_t lost;			/* samples dropped for lack of room */
};

/* Open the store @path; nothing is read yet. -errno with @e. */
int stack_tail_open(const char *path, struct stack_tail *ret, struct op_error *e);
void stack_tail_close(struct stack_tail *t);

/*
 * Read what is new, and all counts. Labels are passed to @label in the order of the file. -ENODATA:
 * the store is not created yet; -ESTALE: it is shorter than it was; -EPROTO with the fault in @e.
 */
int stack_tail_read(struct stack_tail *t, void (*label)(void *context, uint32_t pos), void *context,
		    struct op_error *e);

/* The frame of the node @node, which is no root; its image is a label. */
struct stack_frame stack_tail_frame(const struct stack_tail *t, uint32_t node);

/* The node that called @node, or 0: it is a root, and *ret_end is how its stacks ended. */
uint32_t stack_tail_caller(const struct stack_tail *t, uint32_t node, unsigned int *ret_end);

#endif
