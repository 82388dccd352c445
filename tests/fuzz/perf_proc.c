// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_proc.c - any text taken for lines of /proc/PID/maps, /proc/modules and lists of CPUs */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/perf/proc.h"
#include "daemon/collect/perf/sysfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *next;
	struct perf_maps_line m;
	struct perf_module module;
	struct perf_cpu_set set;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	if (!perf_cpus_parse(text, &set) && (set.end == 0 || !set.has[set.end - 1]))
		abort();
	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (perf_parse_module_line(line, &module) &&
		    (module.start + module.size < module.start || !module.name[0]))
			abort();
		if (perf_parse_maps_line(line, &m) &&
		    (m.start >= m.end || m.path < line || m.path > text + size))
			abort();
	}
	free(text);
	return 0;
}
