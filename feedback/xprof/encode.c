/* SPDX-License-Identifier: GPL-2.0-or-later */
/* encode.c - encode profile feedback as a binary file */
#include <string.h>

#include "feedback/xprof/crc32c.h"
#include "feedback/xprof/file.h"

struct array {
	const void *items;
	uint32_t nr;
	size_t element_size;
	int wide, narrow;	/* 64-bit and 32-bit numbers in an element; both 0: bytes */
};

static void add_swapped(struct strbuf *out, const char *at, int wide, int narrow)
{
	for (; wide; wide--, at += 8) {
		uint64_t n;

		memcpy(&n, at, 8);
		n = __builtin_bswap64(n);
		strbuf_add_bytes(out, &n, 8);
	}
	for (; narrow; narrow--, at += 4) {
		uint32_t n;

		memcpy(&n, at, 4);
		n = __builtin_bswap32(n);
		strbuf_add_bytes(out, &n, 4);
	}
}

static void add_array(struct strbuf *out, const struct array *a, bool swapped)
{
	static const char zeros[8];
	const char *items = a->items;

	if (swapped && a->wide + a->narrow)
		for (uint32_t i = 0; i < a->nr; i++)
			add_swapped(out, items + i * a->element_size, a->wide, a->narrow);
	else
		strbuf_add_bytes(out, items ? items : "", a->nr * a->element_size);
	strbuf_add_bytes(out, zeros, -out->len & 7);
}

static uint32_t in_order(uint32_t n, bool swapped)
{
	return swapped ? __builtin_bswap32(n) : n;
}

static uint64_t in_order64(uint64_t n, bool swapped)
{
	return swapped ? __builtin_bswap64(n) : n;
}

static void set_header(const struct xprof *x, char *base, size_t header_size, size_t size,
		       bool swapped)
{
	struct xprof_file_header h = {
		.byte_order = in_order(XPROF_FILE_ORDER, swapped),
		.major = in_order(XPROF_FILE_MAJOR, swapped) >> (swapped ? 16 : 0),
		.minor = in_order(XPROF_FILE_MINOR, swapped) >> (swapped ? 16 : 0),
		.header_size = in_order(header_size, swapped),
		.nr_sections = in_order(NR_XPROF_ARRAYS, swapped),
		.total_size = in_order64(size, swapped),
		.type = in_order(x->type, swapped),
	};

	memcpy(h.magic, XPROF_FILE_MAGIC, sizeof(h.magic));
	memcpy(base, &h, sizeof(h));
	h.crc = in_order(crc32c(0, base, header_size), swapped);
	memcpy(base, &h, sizeof(h));
}

void xprof_file_encode(const struct xprof *x, bool swapped, struct strbuf *out)
{
	const struct array arrays[] = {
#define ARRAY(name, element, wide, narrow)                                                     \
	{ x->name, x->nr_##name, sizeof(element), wide, narrow },
		XPROF_ARRAYS(ARRAY)
	};
	struct xprof_file_section sections[NR_XPROF_ARRAYS];
	size_t header_size = sizeof(struct xprof_file_header) + sizeof(sections), start = out->len;

	for (size_t i = 0; i < header_size; i++)
		strbuf_add_char(out, 0);
	for (uint32_t i = 0; i < NR_XPROF_ARRAYS; i++) {
		size_t at = out->len;

		add_array(out, &arrays[i], swapped);
		sections[i] = (struct xprof_file_section){
			.id = in_order(i + 1, swapped),
			.element_size = in_order(arrays[i].element_size, swapped),
			.offset = in_order64(at - start, swapped),
			.size = in_order64(arrays[i].nr * arrays[i].element_size, swapped),
			.crc = in_order(crc32c(0, out->text + at, out->len - at), swapped),
		};
	}
	memcpy(out->text + start + sizeof(struct xprof_file_header), sections, sizeof(sections));
	set_header(x, out->text + start, header_size, out->len - start, swapped);
}
