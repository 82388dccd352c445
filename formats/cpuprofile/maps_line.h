/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps_line.h - one line of the text that follows a CPU profile [GC-9] [GC-10] [GC-11] */
#ifndef FORMATS_CPUPROFILE_MAPS_LINE_H
#define FORMATS_CPUPROFILE_MAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line without its end, or what is left of it. */
struct maps_cursor {
	const char *at, *end;
};

struct maps_mapping {
	uint64_t start, limit, offset;
	const char *path, *build_id;	/* not NUL-terminated */
	size_t path_len, build_id_len;
	bool code;
};

struct maps_build {
	const char *path;
	size_t len;
};

/* False: the line is not of this kind. */
bool maps_line_build(struct maps_cursor line, struct maps_build *ret);
bool maps_line_full(struct maps_cursor line, struct maps_mapping *ret);
bool maps_line_brief(struct maps_cursor line, struct maps_mapping *ret);

#endif
