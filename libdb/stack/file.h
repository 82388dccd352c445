/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - the layout of a stack store, shared by writer, reader and checker
 *
 * Rules: doc/stack-store.md [ST-n]. A position is an offset in the file divided by 8 [ST-2].
 */
#ifndef LIBDB_STACK_FILE_H
#define LIBDB_STACK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/stack/store.h"

#define STACK_MAGIC		"OPSTACKS"
#define STACK_BYTE_ORDER	0x01020304u
#define STACK_VERSION		1u
#define STACK_VERSION_PACKED	3u	/* [ST-16] */

struct stack_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint32_t used;			/* header and records, in units of 8 bytes */
	uint32_t zero;
	uint64_t lost;			/* samples dropped for lack of room [ST-9] */
	uint64_t zeros[4];
};

#define STACK_FIRST	((uint32_t)(sizeof(struct stack_header) / 8))	/* first record */
#define STACK_POSITIONS	((uint32_t)(STACK_STORE_MAX / 8))		/* positions are below */

enum stack_kind {		/* of a record [ST-4] */
	STACK_NODE = 1,
	STACK_FRAME,
	STACK_WIDE_FRAME,
	STACK_COUNT,
	STACK_WIDE_COUNT,
	STACK_SERIES,
	STACK_LABEL,
};

enum stack_label {		/* [ST-10] */
	STACK_IMAGE = 1,
	STACK_EVENT,
	STACK_CONTEXT,
	STACK_LABELED_CONTEXT,
};

/* The first 8 bytes of a record; longer ones continue in units of 8 bytes. */
struct stack_record {
	uint32_t head;		/* kind and argument */
	uint32_t second;
};

#define STACK_ARGUMENT_BITS	29
#define STACK_HEAD(kind, argument)	((uint32_t)(kind) << STACK_ARGUMENT_BITS | (argument))

static inline unsigned int stack_kind(const struct stack_record *r)
{
	return r->head >> STACK_ARGUMENT_BITS;
}

static inline uint32_t stack_argument(const struct stack_record *r)
{
	return r->head & ((1u << STACK_ARGUMENT_BITS) - 1);
}

/* In units of 8 bytes, of a checked record. */
static inline uint32_t stack_record_length(const struct stack_record *r)
{
	switch (stack_kind(r)) {
	case STACK_WIDE_FRAME:
	case STACK_WIDE_COUNT:
		return 2;
	case STACK_LABEL:
		return stack_argument(r);
	default:
		return 1;
	}
}

/* The 64 bits behind the first 8 bytes of a wide frame or count. */
static inline uint64_t *stack_wide(struct stack_record *r)
{
	return (uint64_t *)(void *)(r + 1);
}

/* Of a frame, narrow or wide. */
static inline uint64_t stack_frame_offset(struct stack_record *r)
{
	return stack_kind(r) == STACK_WIDE_FRAME ? *stack_wide(r)
		: (uint64_t)(int64_t)(int32_t)r->second;
}

static inline bool stack_is_narrow(uint64_t offset)
{
	return (uint64_t)(int64_t)(int32_t)offset == offset;
}

/* Labels: the fields before the strings. */
struct stack_image_fields {
	uint32_t kind, tgid;
	uint64_t start, end;
};

static inline bool stack_image_is_named(uint32_t kind, const char *path)
{
	return kind <= IMAGE_JIT && (kind == IMAGE_FILE ? *path == '/' : *path != '\0');
}

struct stack_event_fields {
	uint64_t count, unit_mask;
};

struct stack_context_fields {
	uint32_t app, zero;	/* position; 0: none */
	int64_t tgid, tid, cpu;
};

#define STACK_STRING_MAX	4096	/* with its NUL */
#define STACK_LABEL_STRINGS	3	/* at most */
#define STACK_LABEL_MAX		((8 + sizeof(struct stack_context_fields) + \
				  STACK_LABEL_STRINGS * STACK_STRING_MAX + 7) / 8)

/* The strings of a checked label. */
void stack_label_strings(const struct stack_record *label,
			 const char *ret_strings[STACK_LABEL_STRINGS]);

static inline bool stack_label_is_context(uint32_t which)
{
	return which == STACK_CONTEXT || which == STACK_LABELED_CONTEXT;
}

/* A log during a pass from its beginning. */
struct stack_log {
	struct stack_record *records;	/* the file, its header included */
	uint32_t have;			/* positions below this are in memory */
	/*
	 * Of each position: 0 if no record begins there; of a node the number of frames of its
	 * stacks plus 1; of other records STACK_MARK and their kind.
	 */
	uint16_t *marks;
};
#define STACK_MARK	0x8000u		/* above all numbers of frames */

/*
 * Check the record at @pos, after all before it, and mark it. Its length in units of 8 bytes;
 * 0: it ends past what is in memory; negative: malformed, with the reason in *ret_why.
 */
int stack_log_check(struct stack_log *log, uint32_t pos, const char **ret_why);

/*
 * Read and check the file @path, packed or not, into memory. Errors as of stack_store_read(). Free
 * @ret_log with stack_log_free().
 */
int stack_log_read(const char *path, struct stack_header *ret_header, struct stack_log *ret_log,
		   struct op_error *e);
void stack_log_free(struct stack_log *log);

/* The checked @log as arrays; its records are overwritten. -ENOMEM. */
int stack_log_snapshot(struct stack_log *log, struct stack_snapshot *ret);

/* Replace a packed file by the store that it was. 0 if it is not packed. */
int stack_store_unpack(const char *path, struct op_error *e);

/*
 * Check @header of a file of @length bytes. -ENODATA: creation unfinished [ST-3]; -EPROTO with @e.
 */
int stack_header_check(const struct stack_header *header, uint64_t length, const char *path,
		       struct op_error *e);

#endif
