/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - encode protocol buffers: append fields to a buffer
 *
 * Only what profile.proto needs: numbers as varints; strings, messages and packed numbers as a
 * length and their bytes. A field that is 0 is not written, as readers expect.
 */
#ifndef FORMATS_PROTO_ENCODE_H
#define FORMATS_PROTO_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#define PROTO_VARINT_MAX	10	/* bytes of the longest number */

struct proto_buffer {			/* all 0: empty */
	unsigned char *bytes;
	size_t len, room;
};

/* Make room for @more bytes; the functions proto_put_* do so themselves. */
void proto_reserve(struct proto_buffer *b, size_t more);
void proto_buffer_free(struct proto_buffer *b);

static inline void proto_put_varint(struct proto_buffer *b, uint64_t n)
{
	if (b->room - b->len < PROTO_VARINT_MAX)
		proto_reserve(b, PROTO_VARINT_MAX);
	while (n >= 0x80) {
		b->bytes[b->len++] = (unsigned char)(n | 0x80);
		n >>= 7;
	}
	b->bytes[b->len++] = (unsigned char)n;
}

void proto_put_number(struct proto_buffer *b, uint32_t field, uint64_t n);

/* Also if @len is 0, because the field may be an element of a list. */
void proto_put_bytes(struct proto_buffer *b, uint32_t field, const void *bytes, size_t len);

/* Append @inner as a message, or as packed numbers, and empty it. */
void proto_put_buffer(struct proto_buffer *b, uint32_t field, struct proto_buffer *inner);

#endif
