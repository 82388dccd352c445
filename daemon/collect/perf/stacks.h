/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - configure events to record stacks [PC-80]
 *
 * User frames come from a copy of the stack, walked with unwind tables, or from the kernel's list
 * of addresses, found by frame pointers. attribute.c writes the words.
 */
#ifndef DAEMON_COLLECT_PERF_STACKS_H
#define DAEMON_COLLECT_PERF_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/copy_size.h"
#include "daemon/collect/perf/tables.h"

/* A stack deeper than asked for keeps so many of its outermost frames: an eighth of the depth. */
#define PERF_OUTER_SHARE	8
#define PERF_OUTER_MAX		32

struct collector_config;
struct perf_event_setup;

struct perf_stacks {
	unsigned int depth;		/* callers of a sample at most; 0: no stacks */
	unsigned int max_addresses;	/* that the kernel lists */
	bool copies;			/* records have registers and a copy of the stack */
	bool fixed;			/* the size of copies cannot change */
	struct perf_tables tables;	/* these two only if copies */
	struct perf_copy_size copy_size;
};

/* Add to @setup what @config's stacks need, including larger rings. @config must outlive @k. */
void perf_stacks_open(struct perf_stacks *k, const struct collector_config *config,
		      uint64_t period_ns, struct perf_event_setup *setup);
/* @setup is what the kernel granted. @processes must outlive @k. */
void perf_stacks_opened(struct perf_stacks *k, const struct collector_config *config,
			const struct perf_processes *processes,
			const struct perf_event_setup *setup);
void perf_stacks_close(struct perf_stacks *k);	/* before @processes and their images are freed */

/* Wait until a table is built, at most @ms. */
void perf_stacks_wait(struct perf_stacks *k, int ms);

/*
 * Release the tables of this drain. Returns the size that copies should have from now on, or 0 if
 * they need not change. @lost: records lost in the rings since open.
 */
uint32_t perf_stacks_end_drain(struct perf_stacks *k, uint64_t lost, uint64_t now);

/* One line if stacks are shorter than configured, else "". */
void perf_stacks_note(const struct perf_stacks *k, char *note, size_t size);

#endif
