/* SPDX-License-Identifier: GPL-2.0-or-later */
/* set.h - the notes of all objects of a program, with their data */
#ifndef FEEDBACK_GCOV_SET_H
#define FEEDBACK_GCOV_SET_H

#include "feedback/gcov/idents.h"
#include "feedback/gcov/list.h"

struct format_warnings;

struct gcov_set {
	struct gcov_object {
		const char *notes_path;		/* in the list */
		char *path;			/* of the object file */
		struct gcov_notes notes;
		uint32_t sec, usec;		/* time of the notes */
	} *objects;
	size_t nr;
	struct gcov_idents idents;
};

/*
 * Read the notes of @list, and with @data the data beside them; stale data is ignored with a
 * warning [XP-34]. The caller frees *ret, also on failure; @list must live as long.
 */
int gcov_set_read(const struct gcov_list *list, bool data, const struct format_warnings *warnings,
		  struct gcov_set *ret, struct op_error *e);
void gcov_set_free(struct gcov_set *set);

#endif
