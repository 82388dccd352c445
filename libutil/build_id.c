// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_id.c - the build ID in the notes of an ELF file, and as text
 *
 * Notes: name size, descriptor size, type (32 bits each), then name and descriptor, each
 * padded to 4 bytes.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libutil/build_id.h"
#include "libutil/elf_file.h"

#define HEADERS_MAX	4096		/* program or section headers looked at */
#define NOTES_MAX	4096		/* bytes of one segment or section of notes */

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

/* -ENODATA: these notes hold no build ID. */
static int find(const void *notes, size_t size, bool swapped, struct build_id *ret)
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
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(p + name, "GNU", 4) &&
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
	return find(notes, size, false, ret);
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

/* --- of a file --- */

static int find_in_file(const struct elf_file *f, uint64_t offset, uint64_t size,
			struct build_id *ret)
{
	unsigned char notes[NOTES_MAX];
	uint64_t n = offset < f->size ? f->size - offset : 0;

	if (n > size)
		n = size;
	if (n > sizeof(notes))
		n = sizeof(notes);
	if (elf_file_read(f, offset, notes, (size_t)n))
		return -ENODATA;
	return find(notes, (size_t)n, f->is_swapped, ret);
}

/* Programs and shared objects: segments of notes survive when sections are stripped. */
static int find_in_segments(const struct elf_file *f, struct build_id *ret)
{
	struct elf_segment *segments = NULL;
	size_t nr = 0;
	int err = elf_file_segments(f, HEADERS_MAX, &segments, &nr);

	if (err != -ENOMEM)
		err = -ENODATA;
	for (size_t i = 0; i < nr && err; i++)
		if (segments[i].type == PT_NOTE)
			err = find_in_file(f, segments[i].offset, segments[i].size, ret);
	free(segments);
	return err;
}

/* Kernel modules are relocatable and have only sections. */
static int find_in_sections(const struct elf_file *f, struct build_id *ret)
{
	struct elf_section *sections = NULL;
	size_t nr = 0;
	int err = elf_file_sections(f, HEADERS_MAX, &sections, &nr);

	if (err != -ENOMEM)
		err = -ENODATA;
	for (size_t i = 0; i < nr && err; i++)
		if (sections[i].type == SHT_NOTE)
			err = find_in_file(f, sections[i].offset, sections[i].size, ret);
	free(sections);
	return err;
}

int build_id_read_fd(int fd, struct build_id *ret)
{
	struct elf_file f;
	int err = elf_file_open(fd, &f);

	if (err)
		return err;
	err = find_in_segments(&f, ret);
	return err == -ENODATA ? find_in_sections(&f, ret) : err;
}

int build_id_read(const char *path, struct build_id *ret)
{
	/* O_NONBLOCK: open() of a FIFO in place of the image must not block */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	err = build_id_read_fd(fd, ret);
	close(fd);
	return err;
}
