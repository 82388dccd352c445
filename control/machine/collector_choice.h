/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector_choice.h - what will sample: the kernel module or perf_event_open(2), by the CPUs'
 * counters or by time, and why
 *
 * The module if it can be had, else perf; the CPUs' counters if they can be had, else time. What
 * was asked for by name is not replaced. doc/control.md [CC-40].
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
	struct op_error no_module;	/* why "auto" did without it; else "" */
	char model[32];			/* what makes the samples; "": not known before the start */
	uint64_t clock_khz;		/* the nominal clock that this collector goes by */
	bool counts;			/* events of the CPUs; else their time */
	char by_time[256];		/* !counts: why, half a sentence */
	bool watchdog_off;		/* by us, for this: control/opcontrol/watchdog.h */

	/* counts: */
	const char *root;		/* that the kinds were found below: cpu_detect() */
	struct cpu_kinds kinds;		/* by module: one */
	unsigned int nr_counters;	/* of each set of the module's; 0: whoever samples allots */
	uint64_t numbers;		/* the module's counters, of all sets: bits */
	bool all_alike;			/* each of these can hold each event */
};

/*
 * Load, mount and turn off what is in the way. -errno: the wish cannot be met, or nothing can
 * sample here; the NMI watchdog may be off all the same.
 */
int collector_choose(const struct host *h, const struct setup *s, struct collector_choice *ret,
		     struct op_error *e);

/* What is to be expected of collector_choose(), as far as it is known without changing a thing. */
int collector_expect(const struct host *h, const struct setup *s, struct collector_choice *ret,
		     struct op_error *e);

/* Whether perf_event_open(2) can sample a CPU by time. -errno and the way out in @e. */
int perf_usable(struct op_error *e);

/* struct host's try_cycles, of this machine. */
int perf_try_cycles(void);

#endif
