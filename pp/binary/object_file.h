/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_file.h - the sections of an ELF file, of any word size and byte order
 *
 * Binaries come from anywhere, so every number in the file is checked against its true length, and
 * contents are copied to memory: later changes of the file do not affect the reader. Different
 * threads may read different files.
 */
#ifndef PP_BINARY_OBJECT_FILE_H
#define PP_BINARY_OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/build_id.h"
#include "libutil/elf_file.h"
#include "libutil/error.h"

struct object_section {
	const char *name;		/* the object_file's */
	uint32_t type, link;		/* SHT_* */
	uint64_t flags;			/* SHF_* */
	uint64_t addr, offset, size;
};

struct object_file {
	int fd;				/* or -1: in memory */
	unsigned char *bytes;		/* of a file in memory, owned */
	uint64_t size;			/* of the whole file */
	struct elf_file elf;
	bool is_64, is_swapped;
	uint16_t type, machine;		/* ET_*, EM_* */
	struct object_section *sections;	/* [0] is the null section */
	size_t nr_sections;
	char *names;
	uint64_t *unread;		/* bytes of sections that may still be read; owned */
};

/* -ENOEXEC: not an ELF object file; other -errno: of open() and read(). The reason is in @e. */
int object_file_open(const char *path, struct object_file *ret, struct op_error *e);

/* The same for @size malloc'd bytes, which belong to *ret on success. */
int object_file_open_memory(void *bytes, size_t size, struct object_file *ret,
			    struct op_error *e);

/* Close the descriptor: the tables stay valid, nothing more can be read. */
void object_file_release(struct object_file *f);
void object_file_close(struct object_file *f);

/*
 * Contents of a section, malloc'd, with a NUL appended; NULL if it has none, reaches past the
 * file's end or cannot be read. *ret_size does not count the NUL. Sections of a hostile file may
 * share bytes: all reads together get no more than a few times the file's length.
 */
unsigned char *object_section_read(const struct object_file *f, const struct object_section *s,
				   size_t *ret_size);

/* Room for a table: malloc'd, in huge pages if it is large. NULL: no memory. */
void *object_alloc(uint64_t size);

/* Read @size bytes at @offset into @buf; -EIO: the file is too short. */
int object_file_read(const struct object_file *f, uint64_t offset, void *buf, size_t size);

/* The first section of that name, or NULL. */
const struct object_section *object_section_find(const struct object_file *f, const char *name);

/* -ENODATA: it has none. */
int object_file_build_id(const struct object_file *f, struct build_id *ret);

/* Numbers in the file's byte order; @p need not be aligned. */
static inline uint16_t object_get16(const struct object_file *f, const void *p)
{
	return elf_file_u16(&f->elf, p);
}

static inline uint32_t object_get32(const struct object_file *f, const void *p)
{
	return elf_file_u32(&f->elf, p);
}

static inline uint64_t object_get64(const struct object_file *f, const void *p)
{
	return elf_file_u64(&f->elf, p);
}

#endif
