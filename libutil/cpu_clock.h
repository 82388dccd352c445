/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_clock.h - how fast the CPUs of this machine nominally run */
#ifndef LIBUTIL_CPU_CLOCK_H
#define LIBUTIL_CPU_CLOCK_H

#include <stdint.h>

/*
 * The nominal clock in kHz, from the first of these that is known: cpufreq's base frequency, the
 * clock in the CPU's model name, "cpu MHz" in /proc/cpuinfo, cpufreq's maximum; otherwise 1000000
 * (1 GHz). Never 0.
 */
uint64_t cpu_clock_khz(void);

/* The same from another cpufreq folder and cpuinfo file, for tests. */
uint64_t cpu_clock_khz_from(const char *cpufreq_dir, const char *cpuinfo_path);

#endif
