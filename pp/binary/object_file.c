/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_file.c - the sections of an ELF file, with libutil's reader
 *
 * libelf is not used, so that a symbol table is read at once and into large pages, and a hostile
 * file costs no more than its true length.
 */
#include "pp/binary/object_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/xalloc.h"

#define LARGEST_SECTION	(UINT64_C(1) << 30)	/* bytes; a sparse file can claim anything */
#define MOST_SECTIONS	16384	/* some are looked up by name for each other one */
#define READS_PER_FILE	4	/* the length of the file is read at most this often */

int object_file_read(const struct object_file *f, uint64_t offset, void *buf, size_t size)
{
	int err = elf_file_read(&f->elf, offset, buf, size);

	return err == -EPROTO ? -EIO : err;
}

#define LARGE_PAGE	(2u << 20)

/* Faulting in small pages takes as long as reading a table. */
void *object_alloc(uint64_t size)
{
	size_t rounded = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	void *bytes;

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
	    s->offset > f->size || s->size > f->size - s->offset || s->size > *f->unread)
		return NULL;
	*f->unread -= s->size;
	bytes = object_alloc(s->size + 1);
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

/* All names point into @f->names or are "". */
static void set_sections(struct object_file *f, const struct elf_section *from, size_t nr)
{
	uint32_t strings = f->elf.names_section;
	size_t size = 0;

	f->sections = xcalloc(nr, sizeof(*f->sections));
	f->nr_sections = nr;
	for (size_t i = 0; i < nr; i++)
		f->sections[i] = (struct object_section){
			.type = from[i].type, .link = from[i].link, .flags = from[i].flags,
			.addr = from[i].addr, .offset = from[i].offset, .size = from[i].size,
		};
	if (strings && strings < nr)
		f->names = (char *)object_section_read(f, &f->sections[strings], &size);
	for (size_t i = 0; i < nr; i++)
		f->sections[i].name = from[i].name < size ? f->names + from[i].name : "";
}

/* @opened: the result of opening f->elf. */
static int read_sections(struct object_file *f, int opened, struct op_error *e)
{
	struct elf_section *sections;
	size_t nr;
	int err;

	if (opened)
		return opened == -ENOEXEC ? op_error_set(e, opened, "not an object file")
					  : op_error_set(e, opened, "%s", strerror(-opened));
	f->is_64 = f->elf.is_64;
	f->is_swapped = f->elf.is_swapped;
	f->unread = xmalloc(sizeof(*f->unread));
	*f->unread = f->size < UINT64_MAX / READS_PER_FILE ? f->size * READS_PER_FILE : UINT64_MAX;
	f->type = f->elf.type;
	f->machine = f->elf.machine;
	if (f->elf.nr_sections > MOST_SECTIONS)
		return op_error_set(e, -ENOEXEC, "has %u sections, more than %u",
				    f->elf.nr_sections, MOST_SECTIONS);
	err = elf_file_sections(&f->elf, MOST_SECTIONS, &sections, &nr);
	if (err == -EPROTO)
		return op_error_set(e, -ENOEXEC, "section headers reach past the end of the file");
	if (err)
		return op_error_set(e, err, "%s", strerror(-err));
	if (nr)
		set_sections(f, sections, nr);
	free(sections);
	return 0;
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
		err = op_error_set(e, -ENOEXEC, "not a regular file");
	else
		err = 0;
	if (!err) {
		f.size = st.st_size;
		err = read_sections(&f, elf_file_open(f.fd, &f.elf), e);
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
	int err = read_sections(&f, elf_file_open_memory(bytes, size, &f.elf), e);

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
	f->fd = f->elf.fd = -1;
}

void object_file_close(struct object_file *f)
{
	object_file_release(f);
	free(f->bytes);
	free(f->sections);
	free(f->names);
	free(f->unread);
	*f = (struct object_file){ .fd = -1 };
}
