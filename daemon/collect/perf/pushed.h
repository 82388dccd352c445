/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pushed.h - what the BPF program knows: mappings of processes and tables of images
 *
 * The program sends the samples that it cannot walk with a copy of the stack, and walking that
 * shows what it lacks. So mappings and tables are pushed when they were needed once. Without room,
 * the oldest processes are forgotten, or all tables; they are pushed again as needed. [PC-95]
 */
#ifndef DAEMON_COLLECT_PERF_PUSHED_H
#define DAEMON_COLLECT_PERF_PUSHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/bpf/walker.h"
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/maps.h"
#include "daemon/collect/perf/process.h"

struct perf_pushed_process {
	uint32_t tgid, first;		/* mapping in the walker's */
	struct perf_maps *maps;		/* as pushed; a reference */
};

/* A table of code that a process made, in 4 GiB of its addresses (unwind_window()). */
struct perf_pushed_made {
	uint64_t epoch;			/* as in perf_pushed; else it was forgotten */
	uint32_t tgid, window;
	uint64_t since;			/* the process's memory_since */
	const struct op_unwind_table *table;	/* not to be read: it may be gone */
	uint32_t nr_rows, place;	/* of it; its image in the walker's */
};
#define PERF_PUSHED_MADE	64

struct perf_pushed {
	struct bpf_walker *walker;	/* not owned; NULL: nothing is pushed */
	struct perf_cookies *cookies;	/* not owned */
	/*
	 * By serial, modulo PERF_PUSHED_MAX: the program has those from known on, and samples that
	 * it walked by those from kept on may still come.
	 */
	struct perf_pushed_process *processes;
	uint64_t kept, known, next;
	uint32_t next_mapping;
	size_t nr_mappings;		/* of those from kept on */
	uint64_t epoch;			/* how often all tables were forgotten, and 1; never 0 */
	uint32_t nr_images, nr_rules, nr_words;	/* in use */
	struct perf_pushed_made made[PERF_PUSHED_MADE];
	unsigned int next_made;		/* to be replaced */
};
#define PERF_PUSHED_MAX		(2 * (BPF_WAYS << BPF_SETS_SHIFT))

void perf_pushed_init(struct perf_pushed *p, struct bpf_walker *walker,
		      struct perf_cookies *cookies);
void perf_pushed_free(struct perf_pushed *p);	/* all zero is fine */

/* Push the mappings of @q, unless they were. */
void perf_pushed_process(struct perf_pushed *p, struct perf_process *q);

/* Push what is known of @image's table: NULL is none. Only of images in mappings pushed. */
void perf_pushed_table(struct perf_pushed *p, struct perf_image *image,
		       const struct op_unwind_table *table);

/*
 * Push @table of the code that the process @tgid has made, with memory_since @since, at @pc. What
 * the program knows is not changed: it gets to know the process anew.
 */
void perf_pushed_made(struct perf_pushed *p, uint32_t tgid, uint64_t since, uint64_t pc,
		      const struct op_unwind_table *table);

/* The mappings by which the program walked a stack of @tgid. NULL: forgotten. */
const struct perf_maps *perf_pushed_maps(const struct perf_pushed *p, uint64_t serial,
					 uint32_t tgid);

#endif
