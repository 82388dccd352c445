/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect.h - which kinds of CPU a machine has, and whether they count events
 *
 * Most machines have one kind; hybrid ones have two or three, each with events of its own, so
 * everything that sets counters up works kind by kind.
 */
#ifndef EVENTS_CPU_DETECT_H
#define EVENTS_CPU_DETECT_H

#include <stdbool.h>
#include <stdint.h>
#include "events/cpu/type.h"

#define CPU_KINDS_MAX 8

struct cpu_kind {
	const struct cpu_type *type; /* "timer" where nothing counts events */
	char pmu[64];		     /* its device in /sys/bus/event_source/devices, or "" */
	char cpus[256];		     /* which CPUs, "0-3,8"; "" all of them */
	unsigned int nr_counters;    /* general-purpose counters; 0 for a timer */
};

struct cpu_kinds {
	struct cpu_kind kind[CPU_KINDS_MAX];
	unsigned int nr; /* at least 1 */
};

/*
 * @root: "" for this machine; else a folder that holds another's proc/cpuinfo and sys/bus, and
 * then no instruction of this CPU is asked. Never fails: what is unknown gets the architecture's
 * own events, and what has no counters is a timer.
 */
void cpu_detect(const char *root, struct cpu_kinds *ret);

/* What CPUID leaf 0xA says; all zero on other CPUs. */
struct arch_perfmon {
	unsigned int version, nr_counters, width, nr_fixed;
	uint32_t missing; /* bit n: architectural event n is not there */
};
void arch_perfmon_read(struct arch_perfmon *ret);

#endif
