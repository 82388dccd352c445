/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detect_private.h - shared by the architectures' parts of cpu_detect */
#ifndef EVENTS_CPU_DETECT_PRIVATE_H
#define EVENTS_CPU_DETECT_PRIVATE_H

#include "events/cpu/detect.h"

/* @cpuinfo: all of /proc/cpuinfo. Return false if it belongs to another architecture. */
bool cpu_detect_x86(const char *root, const char *cpuinfo, struct cpu_kinds *ret);
bool cpu_detect_arm(const char *root, const char *cpuinfo, struct cpu_kinds *ret);

/* The number after "@key :" in the block of /proc/cpuinfo at @text. */
bool cpuinfo_number(const char *text, const char *key, unsigned int *ret);

/* Whether the PMU device exists. Reads its list of CPUs into @cpus, "" if the file is missing. */
bool cpu_pmu_read(const char *root, const char *pmu, char *cpus, size_t size);

/* Append a kind, unless @kinds is full. @nr_counters 0: the type's own number. */
void cpu_kinds_add(struct cpu_kinds *kinds, const char *type, const char *pmu, const char *cpus,
		   unsigned int nr_counters);

#endif
