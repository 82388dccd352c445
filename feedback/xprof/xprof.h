/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xprof.h - profile feedback: procedures, their control flow, counters, values, source lines
 *
 * What the text files of xprof_text and the files of a NAME.profile folder say, in arrays. A record
 * refers to others by index, to text by its offset in strings; what belongs to a record stands
 * together and in the order of its owners, so the arrays are the binary file as it is mapped.
 * Procedures' blocks, edges and counters are told by id, 1 being the first of the procedure.
 * Rules: doc/xprof.md [XP-n].
 *
 * Running out of memory ends the program (xalloc.h). Threads may read one together.
 */
#ifndef FEEDBACK_XPROF_XPROF_H
#define FEEDBACK_XPROF_XPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

struct format_warnings;

#define XPROF_MAJOR	4
#define XPROF_MINOR	4

enum xprof_type {
	XPROF_FEEDBACK,
	XPROF_OBJFD,		/* one object's procedures; counters are declared, all 0 [XP-9] */
	XPROF_TCOVD,
	XPROF_TCOVSD,
	NR_XPROF_TYPES
};

enum xprof_value_type {
	XPROF_INT,		/* value: sign extended */
	XPROF_LLONG,
	XPROF_FLOAT,		/* value: its 32 bits */
	XPROF_DOUBLE,
	XPROF_PROC,		/* name and path; both 0: what was called is not profiled */
	NR_XPROF_VALUE_TYPES
};

enum { XPROF_HAS_MAX = 1, XPROF_HAS_SUM = 2 };	/* which statistics are there */

struct xprof_object {
	uint64_t max, sum, signature;
	uint32_t has, path, sec, usec;
	uint32_t nr_values;		/* of each value record of its procedures */
	uint32_t first_proc, nr_procs, unused;
};

struct xprof_proc {
	uint64_t max, sum, signature;
	uint32_t has, name, id;
	uint32_t nr_counters;		/* declared; there unless the type is objfd */
	uint32_t nr_vp_sites, nr_vp_records, nr_srcmap_ops;
	uint32_t first_counter, first_value;	/* nr_vp_records * the object's nr_values */
	uint32_t first_block, nr_blocks, first_edge, nr_edges, first_tuple, nr_tuples, unused;
};

struct xprof_value {
	uint64_t count, value;
	uint32_t type, expr, name, path;
};

struct xprof_block {
	uint32_t counter;		/* id or 0 */
};

struct xprof_edge {
	uint32_t counter, from, to;
};

struct xprof_tuple {
	uint32_t id, block, line;
	uint32_t column;		/* 0: none */
	uint32_t file;
};

struct xprof_program {
	uint64_t max, sum;
	uint32_t has, path, first_ref, nr_refs, first_comdat, nr_comdats;
};

struct xprof_ref {
	uint32_t object;		/* index */
};

struct xprof_comdat {
	uint32_t name, path;
};

struct xprof_source {
	uint32_t path, first_line, nr_lines;
};

struct xprof_line {
	uint32_t line, column, first_block_ref, nr_block_refs;
};

struct xprof_block_ref {
	uint64_t count;
	uint32_t block, name, path, unused;
};

/*
 * Array, element, how many 64 and 32 bit numbers an element has. In this order they stand in a
 * binary file and are known there by their place here, from 1 on.
 */
#define XPROF_ARRAYS(X)					\
	X(strings, char, 0, 0)				\
	X(objects, struct xprof_object, 3, 8)		\
	X(procs, struct xprof_proc, 3, 16)		\
	X(counters, uint64_t, 1, 0)			\
	X(values, struct xprof_value, 2, 4)		\
	X(blocks, struct xprof_block, 0, 1)		\
	X(edges, struct xprof_edge, 0, 3)		\
	X(tuples, struct xprof_tuple, 0, 5)		\
	X(programs, struct xprof_program, 2, 6)		\
	X(refs, struct xprof_ref, 0, 1)			\
	X(comdats, struct xprof_comdat, 0, 2)		\
	X(sources, struct xprof_source, 0, 3)		\
	X(lines, struct xprof_line, 0, 4)		\
	X(block_refs, struct xprof_block_ref, 1, 4)

#define XPROF_ARRAY_NUMBER(name, type, wide, narrow)	XPROF_ARRAY_##name,
enum xprof_array { XPROF_ARRAYS(XPROF_ARRAY_NUMBER) NR_XPROF_ARRAYS };

struct xprof {
	enum xprof_type type;
#define XPROF_ARRAY_MEMBER(name, element, wide, narrow)	\
	element *name;					\
	uint32_t nr_##name, room_##name;
	XPROF_ARRAYS(XPROF_ARRAY_MEMBER)
	struct xprof_strings *made;	/* finds equal strings again; NULL: nothing can be added */
	void *map;			/* or NULL: each array is malloc'd */
	size_t map_size;
};

extern const char *const xprof_type_names[NR_XPROF_TYPES];
extern const char *const xprof_value_names[NR_XPROF_VALUE_TYPES];

struct xprof *xprof_new(enum xprof_type type);
void xprof_free(struct xprof *x);	/* NULL is fine */

static inline const char *xprof_text(const struct xprof *x, uint32_t string)
{
	return x->strings + string;
}

/* The offset of @text, or of its first @len bytes, in strings; 0 for "". No NUL is among them. */
uint32_t xprof_string(struct xprof *x, const char *text);
uint32_t xprof_string_n(struct xprof *x, const char *text, size_t len);

/*
 * A new last element of an array, all 0; valid until the next one. What an owner has must be
 * added before the next owner: xprof_begin_*() set the first_* that the owner needs.
 */
#define XPROF_ADDER(name, element, wide, narrow) element *xprof_add_##name(struct xprof *x);
XPROF_ARRAYS(XPROF_ADDER)
struct xprof_object *xprof_begin_object(struct xprof *x);
struct xprof_proc *xprof_begin_proc(struct xprof *x);	/* of the last object */
struct xprof_program *xprof_begin_program(struct xprof *x);
struct xprof_source *xprof_begin_source(struct xprof *x);
struct xprof_line *xprof_begin_line(struct xprof *x);	/* of the last source */

/* All sub-records of a procedure's value profile: they stand from first_value on. */
static inline uint64_t xprof_nr_values(const struct xprof_object *o, const struct xprof_proc *p)
{
	return (uint64_t)p->nr_vp_records * o->nr_values;
}

/* The counter @id of @p; 0 for id 0 and where counters are only declared. */
uint64_t xprof_counter(const struct xprof *x, const struct xprof_proc *p, uint32_t id);

/* Which object has a path, which procedure a name in it: by strings, which are there once. */
struct xprof_index {
	const struct xprof *x;
	uint32_t *objects, *procs;	/* slots: index + 1, 0 empty */
	uint32_t *owners;		/* the object of each procedure */
	size_t object_mask, proc_mask;
};
void xprof_index_make(const struct xprof *x, struct xprof_index *ret);
void xprof_index_free(struct xprof_index *index);

/* UINT32_MAX: there is none. Of several with one name the first. */
uint32_t xprof_index_path(const struct xprof_index *index, const char *path, size_t len);
uint32_t xprof_index_object(const struct xprof_index *index, uint32_t path);
uint32_t xprof_index_proc(const struct xprof_index *index, uint32_t path, uint32_t name);

/* Distinct strings of procedure values, and of files in the tuples of @o [XP-7]. */
uint32_t xprof_nr_proc_names(const struct xprof *x);
uint32_t xprof_nr_source_files(const struct xprof *x, const struct xprof_object *o);

struct xprof_sums {
	uint64_t max, sum;	/* the latter modulo 2^64 */
	bool overflowed;
};

/* Over all counters of procedures [first, first + nr), resp. of a program's objects. */
struct xprof_sums xprof_sums(const struct xprof *x, uint32_t first_proc, uint32_t nr_procs);
struct xprof_sums xprof_program_sums(const struct xprof *x, const struct xprof_program *p);

/* Set every max and sum that is there to what the counters say. */
void xprof_set_sums(struct xprof *x);

#endif
