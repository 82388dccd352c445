/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jvmti_lines.h - which source line compiled Java code is of */
#ifndef LIBAGENT_JVMTI_LINES_H
#define LIBAGENT_JVMTI_LINES_H

#include <jvmti.h>
#include <stddef.h>
#include "libagent/opagent.h"

struct jvmti_lines {
	struct debug_line_info *lines;	/* by address, as the virtual machine told them */
	size_t nr, room;
	char **files;			/* names that @lines point to */
	size_t nr_files, files_room;
};

/*
 * Of a CompiledMethodLoad event: from @compile_info, which knows what was inlined (of each address
 * the innermost method), else from @map. What can't be had is left out.
 */
void jvmti_lines_read(jvmtiEnv *jvmti, jmethodID method, jint map_length,
		      const jvmtiAddrLocationMap *map, const void *compile_info,
		      struct jvmti_lines *ret);
void jvmti_lines_free(struct jvmti_lines *lines);

#endif
