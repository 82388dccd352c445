/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h - the kinds of CPU of a machine, and whether they count events
 *
 * Most machines have one kind; hybrid ones have two or three, each with its own events, so counters
 * are set up for each kind separately.
 */
#ifndef EVENTS_CPU_DETECT_H
#define EVENTS_CPU_DETECT_H

#include <stdbool.h>
#include <stdint.h>
#include "events/cpu/type.h"

#define CPU_KINDS_MAX 8

struct cpu_kind {
	const struct cpu_type *type; /* "timer" if nothing counts events */
	char pmu[64];		     /* its device in /sys/bus/event_source/devices, or "" */
	char cpus[256];		     /* list of CPUs, "0-3,8"; "": all */
	unsigned int nr_counters;    /* general-purpose counters; 0: timer */
};

struct cpu_kinds {
	struct cpu_kind kind[CPU_KINDS_MAX];
	unsigned int nr; /* at least 1 */
};

/*
 * @root: "" for this machine; else a folder with proc/cpuinfo and sys/bus of another one, and
 * CPUID is not used. Never fails: an unknown CPU gets the type of its architecture, one without
 * counters is a timer.
 */
void cpu_detect(const char *root, struct cpu_kinds *ret);

/* CPUID leaf 0xA; all zero on other CPUs. */
struct arch_perfmon {
	unsigned int version, nr_counters, width, nr_fixed;
	uint32_t missing; /* bit n: architectural event n is missing */
};
void arch_perfmon_read(struct arch_perfmon *ret);

#endif
