/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h - the bytes of a segment: its header, and a block for each slice [HI-1] to [HI-6]
 */
#ifndef LIBDB_HISTORY_BLOCK_H
#define LIBDB_HISTORY_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/history/segment.h"
#include "libdb/stack/packed.h"
#include "libutil/strbuf.h"

#define HISTORY_MAGIC		"OPHISTRY"
#define HISTORY_BYTE_ORDER	0x01020304u
#define HISTORY_VERSION		2u
#define HISTORY_BYTES_MAX	((size_t)64 << 20)	/* of a block before it is compressed */
#define HISTORY_POSITIONS_MAX	((uint32_t)(HISTORY_STORE_MAX / 8))	/* of a segment's stacks */

struct history_header {
	char magic[8];
	uint32_t byte_order, version;
};

struct history_block_header {
	uint32_t length;		/* of the compressed bytes that follow */
	uint32_t size;			/* of these before */
	int64_t begin_ns, end_ns;	/* of the slice */
};

/* Samples that a stack had in a slice. */
struct history_delta {
	uint32_t count;			/* which of the log's counts, by their order */
	uint64_t samples;		/* not 0 */
};

void history_put_header(struct strbuf *out);

/* The names of numbers: each is written once in a segment. */
struct history_names {
	char **names;
	size_t nr, room;
};
void history_names_free(struct history_names *n);

/* A slice, and what the segment has up to its end. */
struct history_block {
	struct history_slice slice;
	struct history_delta *deltas;	/* ascending */
	size_t nr_deltas;
	uint64_t lost;			/* samples of stacks that a damaged block had [HI-10] */
};

/*
 * Append the block of @b to @out, with the records of @log that @packer has not packed yet.
 * -ENOMEM, -EFBIG.
 */
int history_encode(const struct history_block *b, struct stack_packer *packer,
		   const struct stack_log *log, struct history_names *names, struct strbuf *out);

/* The records of a segment in another order [HI-11]; zeros to begin with. */
struct history_order {
	struct stack_record *records;	/* in the new order */
	uint32_t have;			/* positions, as many as the log's so far */
	uint32_t *places, *counts;	/* of each of the log's: where it is; which of the counts */
	uint32_t nr_counts;
	const struct stack_log *from;
};

/* Add the records that @from has more than before: a slice's. Exits if there is no memory. */
void history_order(struct history_order *o, const struct stack_log *from);
void history_order_free(struct history_order *o);

/* --- reading, block by block --- */

struct history_reader {
	const char *path;
	int fd;
	uint64_t at, length;		/* offset of the next block; bytes of the file */
	uint64_t cut;			/* of these, at the end, no whole block */
	uint64_t damaged;		/* blocks before that one which cannot be read */
	struct stack_log log;		/* of all blocks so far; its counts are 0 */
	struct stack_packer *packer;
	uint32_t *counts;		/* positions of the log's counts */
	size_t nr_counts, room_counts;
	struct history_names names;
	/* of the last block */
	struct history_block block;
	struct history_number *numbers;
	size_t room_deltas;
	bool has_gap;			/* a damaged block was before it */
};

/* Errors as of history_segment_read(). Free @r in any case. */
int history_reader_open(struct history_reader *r, const char *path, struct op_error *e);
/* 1: r->block is the next one, until the next call. 0: there is none, and r->cut is known. */
int history_reader_next(struct history_reader *r, struct op_error *e);
void history_reader_free(struct history_reader *r);

/* Samples of some slices: of each count of the log up to the last of them. All 0: none. */
struct history_sums {
	uint64_t *samples;		/* the owner frees them */
	size_t nr;
};
void history_sums_add(struct history_sums *s, const struct history_reader *r);	/* r->block's */

/* Set each count of r->log to its sum, or 0. A narrow one's must fit 32 bits: -EPROTO. */
int history_reader_set_counts(struct history_reader *r, const struct history_sums *sums,
			      struct op_error *e);

#endif
