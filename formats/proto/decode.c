// SPDX-License-Identifier: GPL-2.0-or-later
/* decode.c - decode fields one by one, each checked against the message around it [PP-18] */
#include "formats/proto/decode.h"

#include <errno.h>
#include <inttypes.h>

static int fail_number(const struct proto_cursor *c, size_t start, struct op_error *e)
{
	return op_error_set(e, -EPROTO, "offset %zu: %s", start, c->at == c->end ?
			    "truncated number" : "number longer than 64 bits");
}

static int get_bytes(struct proto_cursor *c, struct proto_field *f, struct op_error *e)
{
	size_t start = proto_offset(c);
	uint64_t size;

	if (!proto_get_varint(c, &size))
		return fail_number(c, start, e);
	if (size > proto_size(c))
		return op_error_set(e, -EPROTO, "offset %zu: field %" PRIu32 " is truncated: "
				    "expected %" PRIu64 " bytes, got %zu", f->offset, f->number,
				    size, proto_size(c));
	f->inside = (struct proto_cursor){ c->base, c->at, c->at + size };
	c->at += size;
	return 1;
}

static int get_fixed(struct proto_cursor *c, struct proto_field *f, unsigned int size,
		     struct op_error *e)
{
	if (proto_size(c) < size)
		return op_error_set(e, -EPROTO, "offset %zu: field %" PRIu32 " is truncated",
				    f->offset, f->number);
	f->value = 0;
	for (unsigned int i = 0; i < size; i++)
		f->value |= (uint64_t)c->at[i] << 8 * i;
	c->at += size;
	return 1;
}

int proto_next(struct proto_cursor *c, struct proto_field *f, struct op_error *e)
{
	uint64_t tag;

	if (c->at == c->end)
		return 0;
	f->offset = proto_offset(c);
	if (!proto_get_varint(c, &tag))
		return fail_number(c, f->offset, e);
	f->number = (uint32_t)(tag >> PROTO_WIRE_BITS);
	f->wire = tag & ((1 << PROTO_WIRE_BITS) - 1);
	if (tag >> 32 || !f->number)
		return op_error_set(e, -EPROTO, "offset %zu: invalid field tag", f->offset);
	switch (f->wire) {
	case PROTO_VARINT:
		if (!proto_get_varint(c, &f->value))
			return fail_number(c, f->offset, e);
		return 1;
	case PROTO_BYTES:
		return get_bytes(c, f, e);
	case PROTO_FIXED64:
		return get_fixed(c, f, 8, e);
	case PROTO_FIXED32:
		return get_fixed(c, f, 4, e);
	}
	return op_error_set(e, -EPROTO, "offset %zu: field %" PRIu32 " has the unknown wire type "
			    "%d", f->offset, f->number, (int)f->wire);
}

int proto_expect(const struct proto_field *f, enum proto_wire wire, const char *name,
		 struct op_error *e)
{
	if (f->wire == wire)
		return 0;
	return op_error_set(e, -EPROTO, "offset %zu: %s: expected wire type %d, got %d", f->offset,
			    name, (int)wire, (int)f->wire);
}

int proto_list_start(struct proto_field *f, const char *name, struct op_error *e)
{
	return f->wire == PROTO_VARINT ? 0 : proto_expect(f, PROTO_BYTES, name, e);
}

int proto_list_next(struct proto_field *f, uint64_t *ret, struct op_error *e)
{
	size_t start;

	if (f->wire == PROTO_VARINT) {
		*ret = f->value;
		f->wire = PROTO_BYTES;
		f->inside = (struct proto_cursor){ NULL, NULL, NULL };
		return 1;
	}
	if (f->inside.at == f->inside.end)
		return 0;
	start = proto_offset(&f->inside);
	return proto_get_varint(&f->inside, ret) ? 1 : fail_number(&f->inside, start, e);
}
