// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * section.c - read the bytes of a section, decompressing them if needed
 *
 * Go compresses its .debug_frame, in either of two forms. No more is allocated than the compressed
 * bytes could fill.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "unwind/elf.h"

#define INFLATE_MOST	1032	/* maximum ratio of zlib's format */

/* The size of the header before the compressed bytes, and the size after decompression. */
static int read_header(const struct unwind_section *section, bool is_64, const uint8_t *bytes,
		       size_t *ret_header, uint64_t *ret_size)
{
	Elf64_Chdr header;
	Elf32_Chdr short_header;

	if (section->form == UNWIND_ZDEBUG) {		/* "ZLIB", the size in big-endian order */
		uint64_t size;

		if (section->size < 12 || memcmp(bytes, "ZLIB", 4))
			return -EPROTO;
		memcpy(&size, bytes + 4, sizeof(size));
		*ret_header = 12;
		*ret_size = be64toh(size);
		return 0;
	}
	*ret_header = is_64 ? sizeof(header) : sizeof(short_header);
	if (section->size < *ret_header)
		return -EPROTO;
	if (is_64) {
		memcpy(&header, bytes, sizeof(header));
	} else {
		memcpy(&short_header, bytes, sizeof(short_header));
		header.ch_type = short_header.ch_type;
		header.ch_size = short_header.ch_size;
	}
	if (header.ch_type != ELFCOMPRESS_ZLIB)
		return -EPROTONOSUPPORT;
	*ret_size = header.ch_size;
	return 0;
}

/* -EPROTO unless it inflates to exactly @len bytes. */
static int inflate_to(uint8_t *to, uint64_t len, const uint8_t *from, uint64_t size)
{
	uLongf made = len;
	uLong taken = size;

	switch (uncompress2(to, &made, from, &taken)) {
	case Z_OK:
		return made == len ? 0 : -EPROTO;
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		return -EPROTO;
	}
}

static int decompress(const struct unwind_section *section, bool is_64, const uint8_t *bytes,
		      size_t limit, uint8_t **ret, size_t *ret_len)
{
	size_t header;
	uint64_t len, from;
	uint8_t *to;
	int err = read_header(section, is_64, bytes, &header, &len);

	if (err)
		return err;
	if (len > limit)
		return -EFBIG;
	from = section->size - header;
	if (!len || len / INFLATE_MOST > from)
		return -EPROTO;
	to = malloc(len);
	if (!to)
		return -ENOMEM;
	err = inflate_to(to, len, bytes + header, from);
	if (err) {
		free(to);
		return err;
	}
	*ret = to;
	*ret_len = len;
	return 0;
}

int unwind_elf_section(const struct unwind_elf *elf, const struct unwind_section *section,
		       size_t limit, uint8_t **ret, size_t *ret_len)
{
	uint8_t *bytes;
	int err;

	if (section->size > limit)
		return -EFBIG;
	err = elf_file_alloc(&elf->file, section->offset, section->size, &bytes);
	if (err)
		return err;
	if (section->form == UNWIND_PLAIN) {
		*ret = bytes;
		*ret_len = section->size;
		return 0;
	}
	err = decompress(section, elf->file.is_64, bytes, limit, ret, ret_len);
	free(bytes);
	return err;
}
