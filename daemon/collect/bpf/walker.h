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
#include "libutil/error.h"

#define BPF_RULE_BYTES	((sizeof(struct op_unwind_rule) + 7) / 8 * 8)	/* in the map */

struct walk;			/* libbpf's skeleton */

/* The arrays are shared with the program, which may read any of it at any time. */
struct bpf_walker {
	struct bpf_mapping *mappings;
	struct bpf_image *images;
	unsigned char *rules;		/* BPF_RULE_BYTES each */
	uint32_t *words;
	uint32_t nr_mappings, nr_images, nr_rules, nr_words, nr_processes;
	struct walk *skeleton;
	int program_fd, processes_fd, outputs_fd;
};

/* With arrays of about @bytes. -ENOTSUP: built without BPF, or this kernel cannot; @e says why. */
int bpf_walker_load(size_t bytes, struct bpf_walker **ret, struct op_error *e);
void bpf_walker_free(struct bpf_walker *w);	/* NULL is fine */

/*
 * Run the program at each overflow of the event @event, and let it write to the event @output, of
 * the same CPU. @place: one of that pair's own, below COUNTS_MAX_CPUS * COLLECTOR_COUNTERS_MAX.
 * Returns a descriptor, with which the pair ends, or -errno.
 */
int bpf_walker_attach(struct bpf_walker *w, int event, int output, uint32_t place);

/* 0 or -errno; -E2BIG: there are nr_processes. */
int bpf_walker_set_process(struct bpf_walker *w, uint32_t tgid, const struct bpf_process *process);
void bpf_walker_clear_processes(struct bpf_walker *w);

#endif
