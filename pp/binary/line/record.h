/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - decoded line and inline tables, in a form that can also be kept in a file
 *
 * A record is one block of bytes that holds no pointers, so it is the same in memory and in the
 * line cache. Whoever gets one from a file asks line_record_check() once; after that every look-up
 * stays inside the block. Addresses are those of the file that has the debug information.
 */
#ifndef PP_BINARY_LINE_RECORD_H
#define PP_BINARY_LINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum line_record_kind {
	LINE_UNITS = 1,		/* which compilation unit has which addresses */
	LINE_ROWS,		/* the line table of one unit */
	LINE_INLINES,		/* what is inlined where, in some functions of one unit */
};

struct line_record {
	unsigned char *bytes;	/* malloc'd */
	size_t size;
};

struct line_unit {		/* a range of LINE_UNITS */
	uint64_t low, high;	/* high is not its own */
	uint64_t unit;		/* names the compilation unit: offset of its entry */
};

struct line_row {
	uint64_t address;
	const char *file;	/* NULL: from here on nothing is known */
	uint32_t line;
};

struct inline_span {
	uint64_t low, high;
	uint32_t depth;		/* 0: a function itself; 1: inlined into it; ... */
	const char *call_file;	/* where the call stood; NULL: not known */
	uint32_t call_line;
	const char *function;	/* that is inlined here, or NULL */
	/* for source_positions.h only: records do not have them */
	uint32_t start_line;	/* where the function is declared; 0: not known */
	uint32_t call_discriminator;
};

struct line_place {
	const char *file;	/* the record's; NULL: not known */
	uint32_t line;
};

/*
 * Make a record; -EOVERFLOW if what is described does not fit (a unit of more than 4 GB). Rows must
 * be sorted by address, where of several at one address the last counts. Spans in any order;
 * @spans is sorted on return.
 */
int line_record_units(struct line_unit *units, size_t nr, struct line_record *ret);
int line_record_rows(const struct line_row *rows, size_t nr, struct line_record *ret);
int line_record_inlines(struct inline_span *spans, size_t nr, struct line_record *ret);
void line_record_free(struct line_record *record);

/* Whether @bytes are a record of @kind that can be used without fear. */
bool line_record_check(enum line_record_kind kind, const void *bytes, size_t size);

/* The unit that has @address; of several the smallest that starts last. */
bool line_find_unit(const struct line_record *units, uint64_t address, uint64_t *ret);

/* false: no line is known there. */
bool line_find_row(const struct line_record *rows, uint64_t address, struct line_place *ret);

/*
 * Frames at @address, innermost first: the last one is the function itself, the others are
 * inlined, called from call_file:call_line. Returns how many there are, at most @room are stored;
 * 0: the record does not know that address.
 */
size_t line_find_inlines(const struct line_record *inlines, uint64_t address,
			 struct inline_span *frames, size_t room);

/* All spans of a record, for adding to them; malloc'd, the texts are the record's. */
struct inline_span *line_record_spans(const struct line_record *inlines, size_t *ret_nr);

#endif
