/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_cost.h - measure what one sample costs the CPU that it interrupts
 *
 * The calling thread runs a loop that is sampled by time, as the collector samples, at a high rate.
 * What the loop loses at each sample is the cost: the interrupt, the sample and setting the timer
 * again, which in a virtual machine is most of it. The median does not depend on how busy the
 * machine is, because other programs rarely run at the moment of a sample.
 */
#ifndef DAEMON_COLLECT_PERF_SAMPLE_COST_H
#define DAEMON_COLLECT_PERF_SAMPLE_COST_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_COST_MS		100	/* CPU time of a measurement, at most */
#define SAMPLE_COST_WAIT_MS	2000	/* and time, while other programs have the CPU */

/*
 * *ret_ns: of a sample; with @stacks also of the copy of its stack, unless @frame_pointers_only,
 * and of what the daemon does with it. -ENODATA: the thread did not run long enough; or an error
 * of perf_event_open(2) or mmap(2).
 */
int perf_sample_cost(bool stacks, bool frame_pointers_only, uint64_t *ret_ns);

/* The median of @nr > 0 costs, which are sorted. Pure. */
uint64_t sample_cost_median(uint64_t *ns, unsigned int nr);

#endif
