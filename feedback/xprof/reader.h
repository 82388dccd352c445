/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader.h - between the files that read profile feedback text */
#ifndef FEEDBACK_XPROF_READER_H
#define FEEDBACK_XPROF_READER_H

#include "feedback/xprof/lines.h"
#include "feedback/xprof/text.h"

struct xprof_reader {
	struct xprof_lines lines;
	struct xprof *x;
	struct xprof_places places;
	struct xprof_index index;	/* once all objects are read */
	uint32_t nr_objects, nr_programs, nr_proc_names, nr_sources;	/* as the header has it */
	uint32_t last_file;		/* of the tuple before, in the object at hand, or 0 */
	uint32_t *ids;			/* of the records of a list, while it is read */
	uint32_t ids_room;
};

/* Remember that the last element of an array stands in the line at hand. */
void xprof_note_place(struct xprof_reader *r, enum xprof_array array, uint32_t nr);

/* The text of @s as a name or path; -EPROTO: it is none. */
int xprof_read_name(struct xprof_reader *r, struct span s, uint32_t *ret);

/* "max N" and "sum N". */
int xprof_read_stats(struct xprof_reader *r, uint32_t *has, uint64_t *max, uint64_t *sum);

/* @nr decimal fields off the end of the line, the last one being ret[nr - 1]. */
int xprof_read_last(struct xprof_reader *r, const char *what, uint32_t *ret, size_t nr);

/* The line at hand begins an object, a program, a source file; they go past what belongs to it. */
int xprof_read_object(struct xprof_reader *r);
int xprof_read_proc(struct xprof_reader *r);
int xprof_read_program(struct xprof_reader *r);
int xprof_read_source(struct xprof_reader *r);
int xprof_read_value(struct xprof_reader *r);	/* one line of a value record */

/* Names of procedures with their object's path [XP-10]. Objects must be there. */
int xprof_split_ref(struct xprof_reader *r, uint32_t line, struct span text, uint32_t *ret_name,
		    uint32_t *ret_path);

#endif
