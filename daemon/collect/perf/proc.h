/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc.h - read mappings and modules from /proc */
#ifndef DAEMON_COLLECT_PERF_PROC_H
#define DAEMON_COLLECT_PERF_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/perf/build_ids.h"
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/maps.h"

#define PERF_MODULE_NAME_MAX	64	/* with the NUL */

struct perf_maps_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	bool executable;
	char *path;		/* in the line, "" if none; with newlines restored */
};

/* Parse a line of /proc/PID/maps without its newline, which is modified. False: malformed. */
bool perf_parse_maps_line(char *line, struct perf_maps_line *ret);

struct perf_module {
	char name[PERF_MODULE_NAME_MAX];
	uint64_t start, size;
};

/* Parse a line of /proc/modules. False: malformed, or its address is hidden. */
bool perf_parse_module_line(const char *line, struct perf_module *ret);

/*
 * The executable mappings; *ret NULL: none, or -errno; -EAGAIN: not now (proc_files.h). Put with
 * perf_maps_put().
 */
int perf_read_maps(struct perf_cookies *cookies, struct perf_build_ids *ids, const char *proc,
		   uint32_t tgid, struct perf_maps **ret);
/*
 * The image of the program that /proc/TGID/exe links to: one of @maps (may be NULL) if possible,
 * else a new one. *ret NULL: a kernel thread, or gone. -EAGAIN: as above. Put with
 * perf_image_put().
 */
int perf_read_program(struct perf_cookies *cookies, const char *proc, uint32_t tgid,
		      const struct perf_maps *maps, struct perf_image **ret);

#endif
