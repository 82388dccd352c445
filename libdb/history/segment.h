/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segment.h - the samples of an hour, slice by slice: a file of the history [HI-n]
 *
 * What a slice has that those before it have not - images, frames, stacks - is written once, and
 * for each slice how many samples its stacks had in it. So a minute of a machine that does what it
 * did before takes a few bytes for each stack that was seen. Format: doc/history.md.
 *
 * The stacks come from a stack store that is filled beside (libdb/stack/store.h) and begins with
 * the segment. One writer, any number of readers.
 */
#ifndef LIBDB_HISTORY_SEGMENT_H
#define LIBDB_HISTORY_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/stack/store.h"
#include "libutil/error.h"

#define HISTORY_NUMBERS_MAX	1024	/* of a slice */
#define HISTORY_STORE_MAX	(UINT64_C(32) << 20)	/* bytes of the store of a segment [HI-7] */

/* What happened in a slice besides: samples lost by a reason, time that CPUs were busy, ... */
struct history_number {
	const char *name;		/* [a-z0-9_.]+ */
	uint64_t value;			/* adds up with those of other slices */
};

/* Names of numbers that reports know; the others are gauges of doc/history.md. */
#define HISTORY_LOST		"lost."		/* then loss_name(): samples lost by that reason */
#define HISTORY_FILTERED	"filtered"
#define HISTORY_IDLE		"idle"
#define HISTORY_THROTTLED	"throttled"
#define HISTORY_NOT_KEPT	"not_kept"	/* recorded, but not in the history */

struct history_slice {
	int64_t begin_ns, end_ns;	/* CLOCK_REALTIME; begin <= end */
	const struct history_number *numbers;	/* in the order of their names */
	size_t nr_numbers;
};

/* --- writing --- */

struct history_writer;

/*
 * Create the segment @path, or open it to continue: what a crash left of a last slice is cut off.
 * -EPROTO: it is no segment, or malformed or damaged, with the reason in @e; it is unchanged.
 */
int history_writer_open(const char *path, struct history_writer **ret, struct op_error *e);
struct history_writer *history_writer_close(struct history_writer *w);	/* returns NULL */

/* When the last slice ended, 0: there is none; and how many bytes a crash had left of another. */
int64_t history_writer_end_ns(const struct history_writer *w);
uint64_t history_writer_cut(const struct history_writer *w);

/*
 * Add a slice: the samples that the stack store @store has and had not when the last one was added.
 * A file that is missing has none. Empty slices take some 30 bytes. -ESTALE: @store does not begin
 * with what the segment has; begin another segment. -EFBIG: @store is too large; begin another
 * store and segment. Or an error of reading or writing; the segment is unchanged then.
 */
int history_writer_add(struct history_writer *w, const struct history_slice *slice,
		       const char *store, struct op_error *e);

/* The images of all its stacks, in the order of their first use; valid until the next call. */
const struct stack_image *history_writer_images(const struct history_writer *w, size_t *ret_nr);

/* --- reading --- */

/*
 * Call @slice for each slice of the segment by the headers of its blocks, which are not verified:
 * fast. Returns 0 or an error of history_segment_read().
 */
int history_segment_scan(const char *path, void (*slice)(void *context, int64_t begin_ns,
							 int64_t end_ns),
			 void *context, struct op_error *e);

/* Whether the slice belongs to the range from @from_ns to below @to_ns: its middle does. */
bool history_slice_is_within(int64_t begin_ns, int64_t end_ns, int64_t from_ns, int64_t to_ns);

struct history_segment {
	struct history_slice *slices;	/* those that were asked for, in the order of the file */
	size_t nr_slices;
	struct stack_snapshot stacks;	/* samples of these slices */
	uint32_t *places;		/* of each count of the segment its index in @stacks, or */
	size_t nr_places;		/* STACK_NONE: it has no samples in these slices */
	uint64_t cut;			/* bytes at the end that are no whole slice */
	uint64_t damaged;		/* slices, of any time, that cannot be read, */
	uint64_t lost;			/* and samples of stacks that only these had */
	struct history_number *numbers;	/* storage of the slices' numbers, and of their names */
	char **names;
	size_t nr_names;
};

/*
 * Read the slices whose middle is at or after @from_ns and before @to_ns. Memory: a few times what
 * the stack store had, at most some 200 MiB, whatever the file holds. -EPROTO with the first fault
 * in @e, or an error of reading; *ret is unchanged then.
 */
int history_segment_read(const char *path, int64_t from_ns, int64_t to_ns,
			 struct history_segment *ret, struct op_error *e);
void history_segment_free(struct history_segment *s);

/*
 * Merge neighboring slices of @path until each covers a period of @slice_ns, counted from the epoch
 * (the minutes of 14:00 to 14:09 become one of ten minutes), and replace the file in one step. Also
 * if none are merged (1), it has fewer bytes: its records are put in order [HI-11], so it cannot be
 * continued. One of which a part cannot be read stays as it is: -EPROTO. Of a full store whose
 * stacks are random it takes 16 s of CPU time and 400 MB, of an hour of builds 2.5 s. -ECANCELED,
 * after the slice at hand: *@stop (NULL: never) was set atomically by another thread, and the file
 * is unchanged.
 */
int history_segment_merge(const char *path, int64_t slice_ns, const bool *stop,
			  struct op_error *e);

#endif
