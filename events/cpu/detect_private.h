/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detect_private.h - between the architectures' halves of cpu_detect */
#ifndef EVENTS_CPU_DETECT_PRIVATE_H
#define EVENTS_CPU_DETECT_PRIVATE_H

#include "events/cpu/detect.h"

/* Both: @cpuinfo is all of /proc/cpuinfo; false if it is not of their architecture. */
bool cpu_detect_x86(const char *root, const char *cpuinfo, struct cpu_kinds *ret);
bool cpu_detect_arm(const char *root, const char *cpuinfo, struct cpu_kinds *ret);

/* The number after "@key :" in the block of /proc/cpuinfo at @text. */
bool cpuinfo_number(const char *text, const char *key, unsigned int *ret);

/* Whether there is such a counting device; its CPUs into @cpus ("" for a file that is missing). */
bool cpu_pmu_read(const char *root, const char *pmu, char *cpus, size_t size);

/* Append a kind, unless there are CPU_KINDS_MAX. @nr_counters 0: the type's own. */
void cpu_kinds_add(struct cpu_kinds *kinds, const char *type, const char *pmu, const char *cpus,
		   unsigned int nr_counters);

#endif
