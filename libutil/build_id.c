// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_id.c - a build-id from the bytes of a note section, and as text
 *
 * Notes: name size, descriptor size, type (32 bits each), then name and descriptor, each
 * padded to 4 bytes.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "libutil/build_id.h"
#include "libutil/build_id_private.h"

#define NOTE_GNU_BUILD_ID 3

static uint32_t note_u32(const unsigned char *p, bool swapped)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return swapped ? __builtin_bswap32(value) : value;
}

static uint64_t pad4(uint64_t n)
{
	return (n + 3) & ~(uint64_t)3;
}

int build_id_find(const void *notes, size_t size, bool swapped, struct build_id *ret)
{
	const unsigned char *p = notes;
	uint64_t offset = 0;

	while (offset + 12 <= size) {
		uint64_t name_size = note_u32(p + offset, swapped);
		uint64_t desc_size = note_u32(p + offset + 4, swapped);
		uint32_t type = note_u32(p + offset + 8, swapped);
		uint64_t name = offset + 12, desc = name + pad4(name_size);

		if (desc + desc_size > size)
			break;
		if (type == NOTE_GNU_BUILD_ID && name_size == 4 && !memcmp(p + name, "GNU", 4) &&
		    desc_size > 0 && desc_size <= BUILD_ID_MAX) {
			memset(ret, 0, sizeof(*ret));
			memcpy(ret->bytes, p + desc, desc_size);
			ret->len = desc_size;
			return 0;
		}
		offset = desc + pad4(desc_size);
	}
	return -ENODATA;
}

int build_id_read_notes(const void *notes, size_t size, struct build_id *ret)
{
	return build_id_find(notes, size, false, ret);
}

const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = id->len < BUILD_ID_MAX ? id->len : BUILD_ID_MAX;

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[id->bytes[i] >> 4];
		text[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	text[2 * n] = '\0';
	return text;
}
