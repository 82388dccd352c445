/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector_choice.h - choose the collector, the kernel module or perf_event_open(2), and whether
 * it samples by the CPUs' counters or by time. Whether a BPF program walks the stacks of perf's
 * samples is chosen by the daemon, which loads it.
 *
 * The module is preferred to perf, and counters to time. What the user requests by name is not
 * replaced. doc/control.md [CC-40].
 */
#ifndef CONTROL_MACHINE_COLLECTOR_CHOICE_H
#define CONTROL_MACHINE_COLLECTOR_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "control/machine/host.h"
#include "control/opcontrol/setup.h"
#include "events/cpu/detect.h"
#include "libutil/error.h"

struct collector_choice {
	bool module;
	struct op_error no_module;	/* why "auto" does not use it; else "" */
	char model[32];			/* what triggers samples; "": unknown before the start */
	uint64_t clock_khz;		/* the nominal clock that this collector uses */
	bool counts;			/* events of the CPUs; else time */
	char by_time[256];		/* !counts: the reason */
	bool watchdog_off;		/* turned off for this: control/opcontrol/watchdog.h */

	/* if counts: */
	const char *root;		/* of cpu_detect() */
	struct cpu_kinds kinds;		/* one if @module */
	unsigned int nr_counters;	/* in each set of the module; 0: perf assigns them */
	uint64_t numbers;		/* counters of the module, all sets: bits */
	bool all_alike;			/* each counter can hold each event */
};

/*
 * Load and mount the module, and turn off the NMI watchdog, as far as necessary. -errno: the
 * request cannot be met, or nothing can sample; the NMI watchdog may be off nevertheless.
 */
int collector_choose(const struct host *h, const struct setup *s, struct collector_choice *ret,
		     struct op_error *e);

/* Predict the result of collector_choose() without changing anything. */
int collector_expect(const struct host *h, const struct setup *s, struct collector_choice *ret,
		     struct op_error *e);

#endif
