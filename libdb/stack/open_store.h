/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open_store.h - a stack store that is open for adding */
#ifndef LIBDB_STACK_OPEN_STORE_H
#define LIBDB_STACK_OPEN_STORE_H

#include "libdb/stack/file.h"

/*
 * A recently added stack: samples of one task mostly share their outer frames. Several are kept
 * because the samples of several CPUs alternate.
 */
#define NR_LAST 8

struct stack_last {
	size_t nr;			/* frames with a known node; outermost first */
	unsigned int end;
	uint32_t root;			/* 0: unused */
	struct stack_frame frames[STACK_FRAMES_MAX];
	uint32_t nodes[STACK_FRAMES_MAX];
};

struct stack_store {
	int fd;
	uint64_t length;		/* of file and mapping, bytes */
	uint64_t max_length;
	struct stack_header *header;	/* the mapping, as is @records */
	struct stack_record *records;
	uint32_t used;			/* header->used once published */

	/* positions by their records, open addressing; the low 29 bits, 0: free */
	uint32_t *index;
	uint32_t index_mask;		/* size - 1 */
	uint32_t nr_indexed;

	uint32_t context, event, series;	/* of the last stack_store_add() */
	uint64_t nr_nodes, nr_frames;
	struct stack_last last[NR_LAST];
	unsigned int next_last;		/* the next one to replace */
};

/* --- log.c: the index --- */

/* Room for one more. -ENOMEM. */
int stack_index_reserve(struct stack_store *s);

/* Add the record at @pos, after stack_index_reserve(). STACK_COUNT is not in the index. */
void stack_index_insert(struct stack_store *s, uint32_t pos);

/* The position of the record that begins with these 8 bytes (kinds 1, 2, 5, 6), or 0. */
uint32_t stack_index_find(const struct stack_store *s, struct stack_record key);

/* The same for records of several units, which must be equal as a whole: kinds 3 and 7. */
uint32_t stack_index_find_long(const struct stack_store *s, const struct stack_record *key);

/* Prefetch the slot that stack_index_find() looks at first, and later the record in it. */
void stack_index_prefetch(const struct stack_store *s, struct stack_record key);
void stack_index_prefetch_record(const struct stack_store *s, struct stack_record key);

/* --- log.c: the log --- */

/* Allocate and map the first @length bytes, of which @old_length are allocated. */
int stack_map(struct stack_store *s, uint64_t old_length, uint64_t length);

/* Add a record of @nr units to log and index; its position, or 0 and *ret_err. */
uint32_t stack_append(struct stack_store *s, const struct stack_record *record, uint32_t nr,
		      int *ret_err);

/* The same without the index, for what is looked at no more. */
uint32_t stack_append_only(struct stack_store *s, struct stack_record record, int *ret_err);

/* --- labels.c --- */

/* Whether @id is that of a label of this kind. */
bool stack_is_label(const struct stack_store *s, uint32_t id, enum stack_label which);

#endif
