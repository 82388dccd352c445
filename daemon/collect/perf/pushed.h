/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pushed.h - what the BPF program knows: mappings of processes and tables of images
 *
 * The program sends the samples that it cannot walk with a copy of the stack, and walking that
 * shows what it lacks. So mappings and tables are pushed when they were needed once. If there is no
 * room all is forgotten, and pushed again as it is needed. [PC-95]
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
	uint32_t tgid;
	struct perf_maps *maps;		/* as pushed; a reference */
};

struct perf_pushed {
	struct bpf_walker *walker;	/* not owned; NULL: nothing is pushed */
	struct perf_cookies *cookies;	/* not owned */
	struct perf_pushed_process *processes;	/* serials are first_serial + index */
	size_t nr, room;
	uint32_t first_serial;
	uint64_t epoch;			/* how often all was forgotten, and 1; never 0 */
	uint32_t nr_images, nr_mappings, nr_rules, nr_words;	/* in use */
};

void perf_pushed_init(struct perf_pushed *p, struct bpf_walker *walker,
		      struct perf_cookies *cookies);
void perf_pushed_free(struct perf_pushed *p);	/* all zero is fine */

/* Push the mappings of @q, unless they were. */
void perf_pushed_process(struct perf_pushed *p, struct perf_process *q);

/* Push what is known of @image's table: NULL is none. Only of images in mappings pushed. */
void perf_pushed_table(struct perf_pushed *p, struct perf_image *image,
		       const struct op_unwind_table *table);

/* The mappings by which the program walked a stack of @tgid. NULL: forgotten. */
const struct perf_maps *perf_pushed_maps(const struct perf_pushed *p, uint32_t serial,
					 uint32_t tgid);

#endif
