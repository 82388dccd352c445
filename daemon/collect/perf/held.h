/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held.h - samples whose stacks need unwind tables that are being built
 *
 * Their stacks are copied from the ring, with all that writing them needs, so that neither the
 * ring nor the drain waits. Bounded in memory and time: what finds no room, or has waited too long,
 * is written without the table [PC-85].
 */
#ifndef DAEMON_COLLECT_PERF_HELD_H
#define DAEMON_COLLECT_PERF_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/maps.h"
#include "daemon/collect/perf/process.h"
#include "daemon/collect/perf/records.h"
#include "libutil/list.h"

#define PERF_HELD_BYTES_MAX	((size_t)32 << 20)	/* of all held samples */

struct perf_held_sample {
	struct list_head list;
	struct perf_sample sample;	/* without @stack */
	struct perf_sample_stack stack;	/* in bytes[] */
	unsigned int cpu;
	uint64_t until;			/* write it then without the table; ns */
	struct perf_image *wanted;	/* one of @maps */
	struct perf_maps *maps;		/* of the process at that time */
	struct perf_entry entry;
	op_word program;		/* its cookie */
	struct perf_image *program_image;	/* a reference, so that the cookie stays */
	char comm[OP_COMM_WORDS * 8 + 1];
	size_t size;			/* bytes that it counts for */
	uint64_t bytes[];
};

struct perf_held {
	struct perf_cookies *cookies;	/* not owned */
	struct list_head samples;	/* oldest first */
	size_t bytes, peak;		/* of the samples now; most since there were none */
};

void perf_held_init(struct perf_held *h, struct perf_cookies *cookies);
void perf_held_free(struct perf_held *h);	/* all zero is fine */

/*
 * Keep a copy of @s, its @stack, @maps and @comm until @wanted's table is built; the caller fills
 * in what is not an argument. NULL: no room.
 */
struct perf_held_sample *perf_held_add(struct perf_held *h, const struct perf_sample *s,
				       const struct perf_sample_stack *stack,
				       struct perf_maps *maps, struct perf_image *wanted,
				       const char *comm);
void perf_held_remove(struct perf_held *h, struct perf_held_sample *s);

#endif
