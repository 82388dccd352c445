/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object_file.c - ELF header and section headers */
#include "pp/binary/object_file.h"

#include <byteswap.h>
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/xalloc.h"

#define LARGEST_SECTION	(UINT64_C(1) << 31)	/* bytes; a sparse file can claim anything */

uint16_t object_get16(const struct object_file *f, const void *p)
{
	uint16_t n;

	memcpy(&n, p, sizeof(n));
	return f->is_swapped ? bswap_16(n) : n;
}

uint32_t object_get32(const struct object_file *f, const void *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return f->is_swapped ? bswap_32(n) : n;
}

uint64_t object_get64(const struct object_file *f, const void *p)
{
	uint64_t n;

	memcpy(&n, p, sizeof(n));
	return f->is_swapped ? bswap_64(n) : n;
}

int object_file_read(const struct object_file *f, uint64_t offset, void *buf, size_t size)
{
	size_t done = 0;

	if (offset > f->size || size > f->size - offset)
		return -EIO;
	if (f->bytes) {
		memcpy(buf, f->bytes + offset, size);
		return 0;
	}
	if (f->fd < 0)
		return -EBADF;
	while (done < size) {
		ssize_t n = pread(f->fd, (char *)buf + done, size - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;	/* it was cut short meanwhile */
		done += n;
	}
	return 0;
}

#define LARGE_PAGE	(2u << 20)

/* Memory of large tables in large pages: a fault for each small one is as dear as reading it. */
static unsigned char *alloc_bytes(uint64_t size)
{
	size_t rounded = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	unsigned char *bytes;

	if (size < LARGE_PAGE / 2)
		return malloc(size);
	bytes = aligned_alloc(LARGE_PAGE, rounded);
	if (bytes)
		madvise(bytes, rounded, MADV_HUGEPAGE);
	return bytes;
}

unsigned char *object_section_read(const struct object_file *f, const struct object_section *s,
				   size_t *ret_size)
{
	unsigned char *bytes;

	if (s->type == SHT_NOBITS || s->type == SHT_NULL || s->size > LARGEST_SECTION ||
	    s->offset > f->size || s->size > f->size - s->offset)
		return NULL;
	bytes = alloc_bytes(s->size + 1);
	if (!bytes || object_file_read(f, s->offset, bytes, s->size)) {
		free(bytes);
		return NULL;
	}
	bytes[s->size] = '\0';
	*ret_size = s->size;
	return bytes;
}

const struct object_section *object_section_find(const struct object_file *f, const char *name)
{
	for (size_t i = 1; i < f->nr_sections; i++)
		if (!strcmp(f->sections[i].name, name))
			return &f->sections[i];
	return NULL;
}

int object_file_build_id(const struct object_file *f, struct build_id *ret)
{
	for (size_t i = 1; i < f->nr_sections; i++) {
		const struct object_section *s = &f->sections[i];
		unsigned char *notes;
		size_t size;
		int err;

		if (s->type != SHT_NOTE || s->size > 64 * 1024)
			continue;
		notes = object_section_read(f, s, &size);
		if (!notes)
			continue;
		err = f->is_swapped ? -ENODATA : build_id_read_notes(notes, size, ret);
		free(notes);
		if (!err)
			return 0;
	}
	return -ENODATA;
}

static void decode_section(const struct object_file *f, const unsigned char *p,
			   struct object_section *ret, uint32_t *ret_name)
{
	*ret_name = object_get32(f, p);
	ret->type = object_get32(f, p + 4);
	if (f->is_64) {
		ret->flags = object_get64(f, p + 8);
		ret->addr = object_get64(f, p + 16);
		ret->offset = object_get64(f, p + 24);
		ret->size = object_get64(f, p + 32);
		ret->link = object_get32(f, p + 40);
	} else {
		ret->flags = object_get32(f, p + 8);
		ret->addr = object_get32(f, p + 12);
		ret->offset = object_get32(f, p + 16);
		ret->size = object_get32(f, p + 20);
		ret->link = object_get32(f, p + 24);
	}
}

/* @offsets: of each section's name; all point into @names or at its end. */
static void set_names(struct object_file *f, size_t strings, const uint32_t *offsets)
{
	size_t size = 0;
	unsigned char *names = NULL;

	if (strings && strings < f->nr_sections)
		names = object_section_read(f, &f->sections[strings], &size);
	f->names = (char *)names;
	for (size_t i = 0; i < f->nr_sections; i++)
		f->sections[i].name = offsets[i] < size ? f->names + offsets[i] : "";
}

struct table_place {
	uint64_t offset;
	size_t nr, entry, strings;
};

static int read_sections(struct object_file *f, const struct table_place *t, struct op_error *e)
{
	unsigned char *table;
	uint32_t *offsets;
	int err;

	if (t->offset > f->size || t->nr > (f->size - t->offset) / t->entry)
		return op_error_set(e, -ENOEXEC, "its section headers reach past the end");
	table = malloc(t->nr * t->entry);
	if (!table)
		return -ENOMEM;
	err = object_file_read(f, t->offset, table, t->nr * t->entry);
	if (err) {
		free(table);
		return op_error_set(e, err, "%s", strerror(-err));
	}
	f->sections = xcalloc(t->nr, sizeof(*f->sections));
	f->nr_sections = t->nr;
	offsets = xcalloc(t->nr, sizeof(*offsets));
	for (size_t i = 0; i < t->nr; i++)
		decode_section(f, table + i * t->entry, &f->sections[i], &offsets[i]);
	set_names(f, t->strings, offsets);
	free(offsets);
	free(table);
	return 0;
}

/* More than 65279 sections: their number and the names' section stand in section 0. */
static int extended_numbers(const struct object_file *f, struct table_place *t)
{
	unsigned char first[64];
	struct object_section section;
	uint32_t name;
	int err;

	if (t->nr && t->strings != SHN_XINDEX)
		return 0;
	err = object_file_read(f, t->offset, first, t->entry);
	if (err)
		return err;
	decode_section(f, first, &section, &name);
	if (!t->nr)
		t->nr = section.size;
	if (t->strings == SHN_XINDEX)
		t->strings = section.link;
	return 0;
}

static int read_header(struct object_file *f, struct op_error *e)
{
	unsigned char h[64] = { 0 };
	struct table_place t;
	size_t size = f->size < sizeof(h) ? f->size : sizeof(h);
	int err = object_file_read(f, 0, h, size);

	if (err)
		return op_error_set(e, err, "%s", strerror(-err));
	if (size < sizeof(Elf32_Ehdr) || memcmp(h, ELFMAG, SELFMAG) ||
	    (h[EI_CLASS] != ELFCLASS32 && h[EI_CLASS] != ELFCLASS64) ||
	    (h[EI_DATA] != ELFDATA2LSB && h[EI_DATA] != ELFDATA2MSB))
		return op_error_set(e, -ENOEXEC, "it is not an object file");
	f->is_64 = h[EI_CLASS] == ELFCLASS64;
	f->is_swapped = (h[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER == __BIG_ENDIAN);
	f->type = object_get16(f, h + 16);
	f->machine = object_get16(f, h + 18);
	t.offset = f->is_64 ? object_get64(f, h + 40) : object_get32(f, h + 32);
	t.entry = object_get16(f, h + (f->is_64 ? 58 : 46));
	t.nr = object_get16(f, h + (f->is_64 ? 60 : 48));
	t.strings = object_get16(f, h + (f->is_64 ? 62 : 50));
	if (!t.offset)
		return 0;	/* no sections, and so no symbols */
	if (t.entry != (f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return op_error_set(e, -ENOEXEC, "its section headers have another size");
	err = extended_numbers(f, &t);
	if (err)
		return op_error_set(e, -ENOEXEC, "its section headers reach past the end");
	return t.nr ? read_sections(f, &t, e) : 0;
}

int object_file_open(const char *path, struct object_file *ret, struct op_error *e)
{
	struct object_file f = { .fd = -1 };
	struct stat st;
	int err;

	f.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f.fd < 0)
		return op_error_set(e, -errno, "%s", strerror(errno));
	if (fstat(f.fd, &st) < 0)
		err = op_error_set(e, -errno, "%s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		err = op_error_set(e, -ENOEXEC, "it is not a regular file");
	else
		err = 0;
	if (!err) {
		f.size = st.st_size;
		err = read_header(&f, e);
	}
	if (err) {
		object_file_close(&f);
		return err;
	}
	*ret = f;
	return 0;
}

int object_file_open_memory(void *bytes, size_t size, struct object_file *ret, struct op_error *e)
{
	struct object_file f = { .fd = -1, .bytes = bytes, .size = size };
	int err = read_header(&f, e);

	if (err) {
		f.bytes = NULL;
		object_file_close(&f);
		return err;
	}
	*ret = f;
	return 0;
}

void object_file_release(struct object_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void object_file_close(struct object_file *f)
{
	object_file_release(f);
	free(f->bytes);
	free(f->sections);
	free(f->names);
	*f = (struct object_file){ .fd = -1 };
}
