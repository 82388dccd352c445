/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xprof.h - profile feedback: procedures, their control flow, counters, values, source lines
 *
 * The contents of xprof_text files and of the files of a NAME.profile folder, in arrays. A record
 * refers to other records by index and to text by its offset in strings. The elements that a
 * record owns are adjacent and in the order of their owners, so the arrays have the layout of the
 * binary file and can be used as it is mapped. Blocks, edges and counters are identified by their
 * id within the procedure, starting with 1. Rules: doc/xprof.md [XP-n].
 *
 * Running out of memory ends the program (xalloc.h). Several threads may read one profile.
 */
#ifndef FEEDBACK_XPROF_XPROF_H
#define FEEDBACK_XPROF_XPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/table.h"

#define XPROF_MAJOR	4
#define XPROF_MINOR	4
#define XPROF_OLD_MINOR	3	/* read, too: without graphs and sources [XP-17] */

enum xprof_type {
	XPROF_FEEDBACK,
	XPROF_OBJFD,		/* procedures of one object, whose counts are 0 [XP-9] */
	XPROF_TCOVD,
	XPROF_TCOVSD,
	NR_XPROF_TYPES
};

enum xprof_value_type {
	XPROF_INT,		/* value: sign extended */
	XPROF_LLONG,
	XPROF_FLOAT,		/* value: its 32 bits */
	XPROF_DOUBLE,
	XPROF_PROC,		/* name and path; both 0: the callee is not profiled */
	NR_XPROF_VALUE_TYPES
};

enum { XPROF_HAS_MAX = 1, XPROF_HAS_SUM = 2 };	/* which statistics are present */

struct xprof_object {
	uint64_t max, sum, signature;
	uint32_t has, path, sec, usec;
	uint32_t nr_values;		/* of each value record of its procedures */
	uint32_t first_proc, nr_procs;
	uint32_t nr_sources;		/* names of sources, at least those of tuples [XP-7] */
};

struct xprof_proc {
	uint64_t max, sum, signature;
	uint32_t has, name, id;
	uint32_t nr_counters;
	uint32_t nr_vp_sites, nr_vp_records, nr_srcmap_ops;
	uint32_t first_counter, first_value;	/* nr_vp_records * the object's nr_values */
	uint32_t first_block, nr_blocks, first_edge, nr_edges, first_tuple, nr_tuples;
	uint32_t is_declared;		/* 1: the counters of an objfd, not contained [XP-9] */
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
 * Arrays with their elements and the numbers of 64-bit and 32-bit members of an element. Their
 * order is that of the sections in a binary file, which are numbered from 1.
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
	struct hash_table *interned;	/* offsets of strings; NULL: nothing can be added */
	char *map;			/* the binary file; NULL: each array is malloc'd */
	size_t map_size;
};

extern const char *const xprof_type_names[NR_XPROF_TYPES];
extern const char *const xprof_value_names[NR_XPROF_VALUE_TYPES];

struct xprof *xprof_new(enum xprof_type type);
void xprof_free(struct xprof *x);	/* @x may be NULL */

static inline const char *xprof_text(const struct xprof *x, uint32_t string)
{
	return x->strings + string;
}

/*
 * The offset in strings of @text or its first @len bytes, which hold no NUL, added if they are new.
 * 0 is the offset of "".
 */
uint32_t xprof_intern(struct xprof *x, const char *text);
uint32_t xprof_intern_n(struct xprof *x, const char *text, size_t len);

/*
 * Append an element, all 0, to an array; the pointer is valid until the next call. Add all that an
 * owner has before the next owner: xprof_begin_*() set the owner's first_* members.
 */
#define XPROF_ADDER(name, element, wide, narrow) element *xprof_add_##name(struct xprof *x);
XPROF_ARRAYS(XPROF_ADDER)
struct xprof_object *xprof_begin_object(struct xprof *x);
struct xprof_proc *xprof_begin_proc(struct xprof *x);	/* of the last object */
struct xprof_program *xprof_begin_program(struct xprof *x);
struct xprof_source *xprof_begin_source(struct xprof *x);
struct xprof_line *xprof_begin_line(struct xprof *x);	/* of the last source */

/* The number of values in all value records of @p, which begin at first_value. */
static inline uint64_t xprof_nr_values(const struct xprof_object *o, const struct xprof_proc *p)
{
	return (uint64_t)p->nr_vp_records * o->nr_values;
}

/* The counter @id of @p; 0 if @id is 0 or the counters are only declared. */
uint64_t xprof_counter(const struct xprof *x, const struct xprof_proc *p, uint32_t id);

/* The offset in the binary file that @x is mapped from of element @at of @array. */
size_t xprof_file_offset(const struct xprof *x, enum xprof_array array, uint32_t at);

/* Finds objects by path, and procedures by object and name. */
struct xprof_index {
	const struct xprof *x;
	struct hash_table objects, procs;
	uint32_t *owners;		/* the object of each procedure */
};
void xprof_index_make(const struct xprof *x, struct xprof_index *ret);
void xprof_index_free(struct xprof_index *index);

/* The first object or procedure that matches, or UINT32_MAX. */
uint32_t xprof_index_path(const struct xprof_index *index, const char *path, size_t len);
uint32_t xprof_index_object(const struct xprof_index *index, uint32_t path);
uint32_t xprof_index_proc(const struct xprof_index *index, uint32_t path, uint32_t name);

/*
 * The offset of the colon that ends NAME in NAME:PATH [XP-10]: the first one that the path of an
 * object follows, otherwise the first one before a "/", otherwise the last one. @len if @text has
 * no colon.
 */
size_t xprof_index_split(const struct xprof_index *index, const char *text, size_t len);

/* The numbers of distinct procedures in values, and of distinct files in tuples of @o [XP-7]. */
uint32_t xprof_nr_proc_names(const struct xprof *x);
uint32_t xprof_nr_source_files(const struct xprof *x, const struct xprof_object *o);

/* Was this object sampled, that is, is it the whole of a program [XP-39]? */
bool xprof_is_sampled(const struct xprof *x, uint32_t object);

struct xprof_sums {
	uint64_t max, sum;	/* sum: modulo 2^64 */
	bool overflowed;
};

/* Of all counters of procedures [first_proc, first_proc + nr_procs), or of a program's objects. */
struct xprof_sums xprof_sums(const struct xprof *x, uint32_t first_proc, uint32_t nr_procs);
struct xprof_sums xprof_program_sums(const struct xprof *x, const struct xprof_program *p);

/* Compute every max and sum that is present from the counters. */
void xprof_set_sums(struct xprof *x);

#endif
