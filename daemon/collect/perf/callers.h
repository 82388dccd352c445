/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers.h - write who called: a sample's chain, from its record to words
 *
 * Kernel callers, then the user part, by tables or as the kernel found it by frame pointers, then
 * how it ended [EB-40]. What can't be had shortens a chain and says so; the sample stays.
 */
#ifndef DAEMON_COLLECT_PERF_CALLERS_H
#define DAEMON_COLLECT_PERF_CALLERS_H

#include <stdbool.h>
#include "daemon/collect/perf/copy_size.h"
#include "daemon/collect/perf/records.h"
#include "daemon/collect/perf/tables.h"

struct collector_config;
struct perf_attribute;
struct perf_event_setup;
struct perf_rings;

struct perf_callers {
	unsigned int depth;		/* so many of a sample at most */
	unsigned int max_addresses;	/* that the kernel lists */
	bool copies;			/* records bring registers and a copy of the stack, */
	bool fixed;			/* of a size that can't be changed */
	struct perf_tables tables;	/* if so */
	struct perf_copy_size copy_size;	/* if so; told what each chain needed */
};

/*
 * Put into @setup what is to be asked for, if @config asks for callers; its rings become larger.
 * All points to what outlives @k.
 */
void perf_callers_open(struct perf_callers *k, const struct collector_config *config,
		       uint64_t period_ns, struct perf_event_setup *setup);
/* @setup is as it was opened now. */
void perf_callers_opened(struct perf_callers *k, const struct collector_config *config,
			 const struct perf_processes *processes,
			 const struct perf_event_setup *setup);
void perf_callers_close(struct perf_callers *k);	/* before @processes' images go */

/* All that was ripe was handed over: let go of tables, and have other copies if need be. */
void perf_callers_end_drain(struct perf_callers *k, struct perf_rings *rings, uint64_t now);

/* @s, whose process @a has at hand, was just written as the leaf. */
void perf_callers_emit(struct perf_callers *k, struct perf_attribute *a,
		       const struct perf_sample *s);

#endif
