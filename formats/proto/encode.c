// SPDX-License-Identifier: GPL-2.0-or-later
/* encode.c - encode protocol buffers into a growing buffer */
#include "formats/proto/encode.h"

#include <stdlib.h>
#include <string.h>

#include "formats/proto/wire.h"
#include "libutil/xalloc.h"

void proto_reserve(struct proto_buffer *b, size_t more)
{
	size_t room = b->room + b->room / 2;

	if (b->room - b->len >= more)
		return;
	if (room < b->len + more)
		room = b->len + more;
	b->bytes = xrealloc_array(b->bytes, room, 1);
	b->room = room;
}

void proto_buffer_free(struct proto_buffer *b)
{
	free(b->bytes);
	*b = (struct proto_buffer){ NULL, 0, 0 };
}

void proto_put_number(struct proto_buffer *b, uint32_t field, uint64_t n)
{
	if (!n)
		return;
	proto_put_varint(b, field << PROTO_WIRE_BITS | PROTO_VARINT);
	proto_put_varint(b, n);
}

void proto_put_bytes(struct proto_buffer *b, uint32_t field, const void *bytes, size_t len)
{
	proto_put_varint(b, field << PROTO_WIRE_BITS | PROTO_BYTES);
	proto_put_varint(b, len);
	proto_reserve(b, len);
	if (len)
		memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

void proto_put_buffer(struct proto_buffer *b, uint32_t field, struct proto_buffer *inner)
{
	proto_put_bytes(b, field, inner->bytes, inner->len);
	inner->len = 0;
}
