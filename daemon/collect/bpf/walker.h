/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walker.h - load the BPF program that walks stacks (program/walk.c), and map what it reads
 *
 * Loading needs CAP_BPF and CAP_PERFMON, or root; nothing later does. The perf collector's
 * pushed.h fills the maps.
 */
#ifndef DAEMON_COLLECT_BPF_WALKER_H
#define DAEMON_COLLECT_BPF_WALKER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "daemon/collect/bpf/shared.h"
#include "daemon/collect/collector.h"
#include "libdb/session/session.h"
#include "libutil/error.h"

#define BPF_RULE_BYTES	((sizeof(struct op_unwind_rule) + 7) / 8 * 8)	/* in the map */

struct walk;			/* libbpf's skeleton */

/* The arrays are shared with the program, which may read any of it at any time. */
struct bpf_walker {
	struct bpf_process_set *sets;
	struct bpf_mapping *mappings;
	struct bpf_image *images;
	unsigned char *rules;		/* BPF_RULE_BYTES each */
	uint32_t *words;
	struct bpf_watch *watches;	/* by place; written by the program */
	uint32_t nr_mappings, nr_images, nr_rules, nr_words;
	struct walk *skeleton;
};

/* With arrays of about @bytes. -ENOTSUP: built without BPF, or this kernel cannot; @e says why. */
int bpf_walker_load(size_t bytes, struct bpf_walker **ret, struct op_error *e);
void bpf_walker_free(struct bpf_walker *w);	/* NULL is fine */

/*
 * Run the program at each overflow of the event @event, for @flags, and let it write to the event
 * @output, of the same CPU. @place: one of that pair's own, below BPF_PLACES_MAX. Returns a
 * descriptor, with which the pair ends, or -errno.
 */
#define BPF_PLACES_MAX	(COUNTS_MAX_CPUS * COLLECTOR_COUNTERS_MAX)
int bpf_walker_attach(struct bpf_walker *w, int event, int output, uint32_t place,
		      enum bpf_watch_flags flags);

/* Samples on @cpu that the program was not run for, and that the kernel dropped. [PC-98] */
static inline uint64_t bpf_walker_missed(const struct bpf_walker *w, unsigned int cpu)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < COLLECTOR_COUNTERS_MAX; i++)
		sum += __atomic_load_n(&w->watches[cpu * COLLECTOR_COUNTERS_MAX + i].missed,
				       __ATOMIC_RELAXED);
	return sum;
}

#endif
