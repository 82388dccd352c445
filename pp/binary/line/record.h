/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - decoded line and inline tables, in a form that can also be kept in a file
 *
 * A record is one block of bytes without pointers, the same in memory and in the line cache. One
 * that comes from a file is checked once with line_record_check(); after that every lookup stays
 * inside the block. Addresses are those of the file that has the debug information.
 */
#ifndef PP_BINARY_LINE_RECORD_H
#define PP_BINARY_LINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum line_record_kind {
	LINE_UNITS = 1,		/* which compilation unit has which addresses */
	LINE_ROWS,		/* the line table of one unit */
	LINE_INLINES,		/* inlined functions, of some functions of one unit */
	LINE_NAMES,		/* the same without the lines of calls: much faster to make */
};

struct line_record {
	unsigned char *bytes;	/* malloc'd */
	size_t size;
};

struct line_unit {		/* a range of LINE_UNITS */
	uint64_t low, high;	/* [low, high) */
	uint64_t unit;		/* the compilation unit: offset of its entry */
};

struct line_row {
	uint64_t address;
	const char *file;	/* NULL: unknown from here on */
	uint32_t line;
};

struct inline_span {
	uint64_t low, high;
	uint32_t depth;		/* 0: a function itself; 1: inlined into it; ... */
	const char *call_file;	/* of the call; NULL: unknown */
	uint32_t call_line;
	const char *function;	/* the inlined one, or NULL */
	/* only for source_positions.h: records do not have them */
	uint32_t start_line;	/* of the function's declaration; 0: unknown */
	uint32_t call_discriminator;
};

struct line_place {
	const char *file;	/* the record's; NULL: unknown */
	uint32_t line;
};

/*
 * Make a record. -EOVERFLOW: it does not fit (a unit of more than 4 GB). Rows are sorted by
 * address; of several at one address the last counts. Spans may be in any order and are sorted on
 * return.
 */
int line_record_units(struct line_unit *units, size_t nr, struct line_record *ret);
int line_record_rows(const struct line_row *rows, size_t nr, struct line_record *ret);
int line_record_inlines(struct inline_span *spans, size_t nr, struct line_record *ret);
void line_record_free(struct line_record *record);

/* Whether @bytes are a record of @kind in which lookups stay inside. */
bool line_record_check(enum line_record_kind kind, const void *bytes, size_t size);

/* The unit of @address; of several the one that starts last, the smallest of these. */
bool line_find_unit(const struct line_record *units, uint64_t address, uint64_t *ret);

/* False: the line is unknown. */
bool line_find_row(const struct line_record *rows, uint64_t address, struct line_place *ret);

/*
 * Frames at @address, innermost first: the last one is the function itself, the others are
 * inlined, called from call_file:call_line. Stores at most @room and returns the number of all;
 * 0: the record does not cover the address.
 */
size_t line_find_inlines(const struct line_record *inlines, uint64_t address,
			 struct inline_span *frames, size_t room);

/* All spans of a record, to add more; malloc'd, the texts are the record's. */
struct inline_span *line_record_spans(const struct line_record *inlines, size_t *ret_nr);

#endif
