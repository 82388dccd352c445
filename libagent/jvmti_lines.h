/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jvmti_lines.h - source lines of compiled Java code */
#ifndef LIBAGENT_JVMTI_LINES_H
#define LIBAGENT_JVMTI_LINES_H

#include <jvmti.h>
#include <stddef.h>
#include "libagent/opagent.h"

struct jvmti_lines {
	struct debug_line_info *lines;	/* in the virtual machine's order, by address */
	size_t nr, room;
	char **files;			/* names that @lines point to */
	size_t nr_files, files_room;
};

/*
 * Read the lines of a CompiledMethodLoad event: from @compile_info, which covers inlined methods
 * (the innermost one at each address), otherwise from @map. Lines that are unknown are skipped.
 */
void jvmti_lines_read(jvmtiEnv *jvmti, jmethodID method, jint map_length,
		      const jvmtiAddrLocationMap *map, const void *compile_info,
		      struct jvmti_lines *ret);
void jvmti_lines_free(struct jvmti_lines *lines);

#endif
