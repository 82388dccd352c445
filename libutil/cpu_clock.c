// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_clock.c - the clock that turns "every 100000 cycles" into a time
 *
 * Nominal, not current, speed: a period must not depend on whether the CPU is idle.
 */
#include <stdlib.h>
#include <string.h>
#include "libutil/cpu_clock.h"
#include "libutil/file.h"

#define CPUINFO_MAX	(16 * 1024 * 1024)	/* thousands of CPUs */
#define CLOCK_UNKNOWN	1000000			/* kHz */

static uint64_t from_cpufreq(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	uint64_t khz;
	int err = file_read_u64(path, &khz);

	free(path);
	return err ? 0 : khz;
}

/* Parse "2.50" in units of @unit kHz; 0 if @text is not a number. */
static uint64_t decimal_khz(const char *text, double unit)
{
	double value = 0, place = 1;

	for (; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (*text - '0');
	if (*text++ == '.')
		for (; *text >= '0' && *text <= '9'; text++)
			value += (place /= 10) * (*text - '0');
	value = value * unit + 0.5;
	return value < 1e9 ? (uint64_t)value : 0;	/* no CPU runs at 1 THz */
}

/* Copy VALUE of the first line "KEY : VALUE". */
static int cpuinfo_value(const char *text, const char *key, char *value, size_t size)
{
	const char *p;
	size_t n;

	for (p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		if (!strncmp(p, key, strlen(key)))
			break;
	if (!p)
		return -1;
	p += strcspn(p, ":\n");
	if (*p != ':')
		return -1;
	p += 1 + strspn(p + 1, " \t");
	n = strcspn(p, "\n");
	if (n >= size)
		return -1;
	memcpy(value, p, n);
	value[n] = '\0';
	return 0;
}

/* "... CPU @ 2.50GHz" */
static uint64_t from_model_name(const char *cpuinfo)
{
	char name[256], *at, *unit;

	if (cpuinfo_value(cpuinfo, "model name", name, sizeof(name)))
		return 0;
	at = strrchr(name, '@');
	if (!at)
		return 0;
	at += 1 + strspn(at + 1, " ");
	unit = at + strspn(at, "0123456789. ");
	if (!strncmp(unit, "GHz", 3))
		return decimal_khz(at, 1e6);
	if (!strncmp(unit, "MHz", 3))
		return decimal_khz(at, 1e3);
	return 0;
}

uint64_t cpu_clock_khz_from(const char *cpufreq_dir, const char *cpuinfo_path)
{
	char *cpuinfo = NULL, mhz[64];
	uint64_t khz = from_cpufreq(cpufreq_dir, "base_frequency");

	if (!khz && !file_read_all(cpuinfo_path, CPUINFO_MAX, &cpuinfo, NULL)) {
		khz = from_model_name(cpuinfo);
		if (!khz && !cpuinfo_value(cpuinfo, "cpu MHz", mhz, sizeof(mhz)))
			khz = decimal_khz(mhz, 1e3);
		free(cpuinfo);
	}
	if (!khz)
		khz = from_cpufreq(cpufreq_dir, "cpuinfo_max_freq");
	return khz ? khz : CLOCK_UNKNOWN;
}

uint64_t cpu_clock_khz(void)
{
	return cpu_clock_khz_from("/sys/devices/system/cpu/cpu0/cpufreq", "/proc/cpuinfo");
}
