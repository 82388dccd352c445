/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comdat.h - procedures of which each object has an instance, and the linker keeps one */
#ifndef FEEDBACK_GCOV_COMDAT_H
#define FEEDBACK_GCOV_COMDAT_H

#include "feedback/xprof/xprof.h"

struct gcov_comdats {			/* all 0: empty */
	struct gcov_instance {
		uint32_t name, object;
		bool has_run;
	} *all;
	size_t nr, room;
};

/*
 * Find the procedures of the object @object (index) that are in COMDAT groups of its file. False:
 * the file is missing or not ELF.
 */
bool gcov_find_comdats(const struct xprof *x, uint32_t object, struct gcov_comdats *ret);

/*
 * Add to the last program, which has all its references, those of which only one instance exists or
 * ran, which then is the program's [XP-49]. Frees @comdats.
 */
void gcov_add_comdats(struct xprof *x, struct gcov_comdats *comdats);

#endif
