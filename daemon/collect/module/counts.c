// SPDX-License-Identifier: GPL-2.0-or-later
/* counts.c - read the samples the kernel module received and lost, from stats/ of oprofilefs */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/collect/module/device.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

/* 0 also if this module does not have the file. */
static uint64_t cpu_stat(const char *stats, const char *cpu, const char *file)
{
	char *path = xasprintf("%s/%s/%s", stats, cpu, file);
	uint64_t value;
	int err = file_read_u64(path, &value);

	free(path);
	return err ? 0 : value;
}

static void read_cpu(const char *stats, const char *cpu, struct cpu_counts *c)
{
	c->received += cpu_stat(stats, cpu, "sample_received");
	c->idle += cpu_stat(stats, cpu, "sample_idle");
	c->disturbed += cpu_stat(stats, cpu, "sample_disturbed");
	c->event_errors += cpu_stat(stats, cpu, "event_errors");
	c->throttled += cpu_stat(stats, cpu, "sample_throttled");
	c->lost[LOST_CPU_BUFFER] += cpu_stat(stats, cpu, "sample_lost_overflow");
	c->lost[LOST_EVENT_BUFFER] += cpu_stat(stats, cpu, "sample_lost_event_overflow");
	c->lost[LOST_NO_MM] += cpu_stat(stats, cpu, "sample_lost_no_mm");
	c->lost[LOST_NO_MAPPING] += cpu_stat(stats, cpu, "sample_lost_no_mapping");
	c->lost[LOST_UNKNOWN_IMAGE] += cpu_stat(stats, cpu, "sample_lost_no_image");
	c->lost[LOST_INVALID_PC] += cpu_stat(stats, cpu, "sample_invalid_eip");
}

int device_read_counts(const char *mount_point, struct session_counts *counts)
{
	char *stats = path_join(mount_point, "stats");
	DIR *dir = opendir(stats);
	int err = dir ? 0 : -errno;
	struct dirent *entry;
	uint64_t cpu;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "cpu", 3) ||
		    number_parse_range(entry->d_name + 3, 0, COUNTS_MAX_CPUS - 1, &cpu))
			continue;
		session_counts_reserve(counts, cpu + 1);
		read_cpu(stats, entry->d_name, &counts->cpu[cpu]);
	}
	if (dir)
		closedir(dir);
	free(stats);
	return err;
}
