/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - write gcc's data files (.gcda) from a profile: doc/xprof.md [XP-47] */
#ifndef FEEDBACK_GCOV_WRITE_H
#define FEEDBACK_GCOV_WRITE_H

#include "feedback/gcov/idents.h"
#include "feedback/xprof/xprof.h"
#include "libutil/strbuf.h"

struct gcov_writer {
	const struct xprof *x;
	const struct gcov_idents *idents;	/* of all notes */
	uint64_t runs, max;			/* of the program */
};

/* Set @runs and @max from the profile. */
void gcov_writer_init(struct gcov_writer *ret, const struct xprof *x,
		      const struct gcov_idents *idents);

/*
 * Append the data of the object @object (index) to @out, for the compilation that wrote the notes
 * @n. *ret_nr_stale: procedures that are not those of the notes and are left out. -EPROTO: values
 * that do not come from gcc, in the procedure that @e names.
 */
int gcov_write_data(const struct gcov_writer *w, uint32_t object, const struct gcov_notes *n,
		    uint32_t *ret_nr_stale, struct strbuf *out, struct op_error *e);

#endif
