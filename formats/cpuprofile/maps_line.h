/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps_line.h - parse one line of the text after a CPU profile [GC-9] [GC-10] [GC-11] */
#ifndef FORMATS_CPUPROFILE_MAPS_LINE_H
#define FORMATS_CPUPROFILE_MAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "formats/file/text_lines.h"

struct maps_mapping {
	uint64_t start, limit, offset;
	const char *path, *build_id;	/* not NUL-terminated */
	size_t path_len, build_id_len;
	bool is_code;			/* may be executed */
};

struct maps_build {
	const char *path;
	size_t len;
};

/* False: the line is not of this kind. */
bool maps_line_build(struct text line, struct maps_build *ret);
bool maps_line_full(struct text line, struct maps_mapping *ret);
bool maps_line_brief(struct text line, struct maps_mapping *ret);

#endif
