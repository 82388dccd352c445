/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - the callers of a sample, from the kernel's list and the copied stack
 *
 * A stack is found completely before any of it is written, so that a sample whose stack needs an
 * unwind table that is being built can wait for it (held.h).
 */
#ifndef DAEMON_COLLECT_PERF_WALK_H
#define DAEMON_COLLECT_PERF_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/maps.h"
#include "daemon/collect/perf/process.h"
#include "daemon/collect/perf/records.h"
#include "oprofilefs/op_abi.h"

struct perf_pushed;
struct perf_stacks;

struct perf_frame {
	const struct perf_mapping *mapping;	/* NULL: in the kernel */
	uint64_t address;
};

struct perf_walk {
	struct perf_stacks *stacks;
	struct perf_cookies *cookies;
	/* The mapping of @context's process that a pc lies in, or NULL. Valid for the walk. */
	const struct perf_mapping *(*find)(void *context, uint64_t pc);
	void *context;
	const struct perf_sample_stack *stack;
	const struct perf_mapping *leaf;	/* of the sample's own @pc; NULL: in the kernel */
	uint64_t pc;
	struct perf_pushed *to_push;	/* where tables go, or NULL */
	struct perf_pushed *to_push_made;	/* where those of made code go, or NULL */
	bool in_kernel;			/* the sample is */
	bool may_wait;			/* for tables */
	const struct perf_maps *pushed;	/* as the BPF program knew them, or NULL [PC-96] */
	uint32_t tgid;
	uint64_t since, time;		/* its memory_since, or 0, and of the sample */
	struct perf_entry entry;	/* of the main thread, if the sample is of that */

	/* the result */
	struct perf_frame frames[OP_STACK_DEPTH_MAX];	/* callers, innermost first */
	unsigned int nr;
	unsigned int end;		/* of OP_STACK_END */
	struct perf_frame interpreted;	/* the sample's own place, instead of @pc, unless NULL */
	bool has_interpreter;		/* whose frames were not looked for [IN-15] */
	struct perf_entry found;	/* the outermost frame of a complete stack */
	const struct perf_image *found_image;

	/* while walking */
	unsigned int flags, nr_omitted, first_outer;
};

/* NULL: done. Otherwise the image whose table is being built, and there is no result. */
struct perf_image *perf_walk_stack(struct perf_walk *w);

/* The offset of @pc in the file mapped at @m. */
static inline uint64_t perf_mapping_offset(const struct perf_mapping *m, uint64_t pc)
{
	return m->offset + (pc - m->start);
}

/* Whether words can hold the place of @pc in @m. */
static inline bool perf_mapping_has_place(const struct perf_mapping *m, uint64_t pc)
{
	return m->image->anonymous || perf_mapping_offset(m, pc) != OP_ESCAPE;
}

#endif
