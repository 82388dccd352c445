/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h - iterate over the fields of a protocol buffer
 *
 *	struct proto_cursor c = proto_cursor_at(bytes, size);
 *	struct proto_field f;
 *
 *	while ((err = proto_next(&c, &f, e)) > 0)
 *		switch (f.number) ...
 *
 * Nothing is copied, and nothing is trusted: a field lies within the message that contains it.
 * Errors are -EPROTO with the offset in the whole file.
 */
#ifndef FORMATS_PROTO_DECODE_H
#define FORMATS_PROTO_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "formats/proto/wire.h"
#include "libutil/error.h"

struct proto_cursor {
	const unsigned char *base;	/* the whole file, for offsets */
	const unsigned char *at, *end;
};

struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value;			/* if it is a number */
	struct proto_cursor inside;	/* PROTO_BYTES */
	size_t offset;			/* of the field in the file */
};

static inline struct proto_cursor proto_cursor_at(const unsigned char *bytes, size_t size)
{
	return (struct proto_cursor){ bytes, bytes, bytes + size };
}

static inline size_t proto_offset(const struct proto_cursor *c)
{
	return (size_t)(c->at - c->base);
}

static inline size_t proto_size(const struct proto_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* False: the number is truncated or longer than 64 bits. */
static inline bool proto_get_varint(struct proto_cursor *c, uint64_t *ret)
{
	uint64_t n = 0;

	for (unsigned int shift = 0; shift < 70 && c->at < c->end; shift += 7) {
		unsigned char byte = *c->at++;

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = n;
			return true;
		}
	}
	return false;
}

/* 1: @f is the next field; 0: no more fields. */
int proto_next(struct proto_cursor *c, struct proto_field *f, struct op_error *e);

/* -EPROTO unless @f has this wire type. @name as in profile.proto. */
int proto_expect(const struct proto_field *f, enum proto_wire wire, const char *name,
		 struct op_error *e);

/*
 * Numbers of a list come one in each field, or many packed in one field. Call proto_list_next() for
 * a field until it returns 0; 1: *ret is the next number.
 */
int proto_list_start(struct proto_field *f, const char *name, struct op_error *e);
int proto_list_next(struct proto_field *f, uint64_t *ret, struct op_error *e);

#endif
