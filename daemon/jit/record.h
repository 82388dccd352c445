/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - the records of both dump formats
 *
 * OProfile's and perf's begin alike: a type, the record's size, a time. The types, the unit of the
 * time, and the rest differ.
 */
#ifndef DAEMON_JIT_RECORD_H
#define DAEMON_JIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct jit_record {
	uint32_t id;
	uint64_t timestamp;
	const unsigned char *body;	/* of @len bytes */
	size_t len;
};

/* The rest of a dump: @len bytes. */
struct jit_records {
	const unsigned char *p;
	size_t len;
};

/* Take the next record. False: none, or it is incomplete. */
static inline bool jit_record_next(struct jit_records *in, struct jit_record *ret)
{
	struct {
		uint32_t id, size;
		uint64_t timestamp;
	} head;

	if (in->len < sizeof(head))
		return false;
	memcpy(&head, in->p, sizeof(head));
	if (head.size < sizeof(head) || head.size > in->len)
		return false;
	*ret = (struct jit_record){
		.id = head.id,
		.timestamp = head.timestamp,
		.body = in->p + sizeof(head),
		.len = head.size - sizeof(head),
	};
	in->p += head.size;
	in->len -= head.size;
	return true;
}

/* Whether the rest is malformed, rather than a record that is still being written. */
static inline bool jit_records_broken(const struct jit_records *in)
{
	uint32_t id_and_size[2];

	if (in->len < 2 * sizeof(uint32_t) + sizeof(uint64_t))
		return false;
	memcpy(id_and_size, in->p, sizeof(id_and_size));
	return id_and_size[1] < sizeof(id_and_size) + sizeof(uint64_t);
}

#endif
