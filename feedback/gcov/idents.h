/* SPDX-License-Identifier: GPL-2.0-or-later */
/* idents.h - functions by the numbers that gcc's data has for the callees of indirect calls */
#ifndef FEEDBACK_GCOV_IDENTS_H
#define FEEDBACK_GCOV_IDENTS_H

#include "feedback/gcov/files.h"

struct gcov_ident {
	uint32_t ident;
	bool has_run;			/* the data of its object has it */
	const char *name, *object;
};

struct gcov_idents {			/* all 0: empty */
	struct gcov_ident *by_ident, *by_name;
	size_t nr, room;
};

/* Add the functions of @n, whose object is @object; both are used as long as the idents are. */
void gcov_idents_add(struct gcov_idents *all, const struct gcov_notes *n, const char *object);
/* Sort what was added; only then the others can be called. */
void gcov_idents_sort(struct gcov_idents *all);
void gcov_idents_free(struct gcov_idents *all);

/* NULL: unknown. Of several instances of a function, one that the program has. */
const struct gcov_ident *gcov_ident_find(const struct gcov_idents *all, uint64_t ident);
const struct gcov_ident *gcov_ident_of(const struct gcov_idents *all, const char *name,
				       const char *object);

#endif
