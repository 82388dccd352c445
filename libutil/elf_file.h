/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_file.h - headers and bytes of an untrusted ELF file
 *
 * The daemon runs as root and reads files that any user may have written. Every number in a file
 * is checked against the file's length, and allocations are limited by that length and by the
 * caller: a general library allocates what the headers ask for, which in a sparse file can be
 * anything. Any word size and byte order.
 */
#ifndef LIBUTIL_ELF_FILE_H
#define LIBUTIL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct elf_file {
	int fd;				/* owned by the caller; -1: in memory */
	const unsigned char *bytes;
	uint64_t size;
	bool is_64, is_swapped;
	uint16_t type, machine;		/* ET_*, EM_* */
	/* from the header, not checked */
	uint64_t segments_offset, sections_offset;	/* 0: no table */
	uint32_t nr_segments, nr_sections;
	uint32_t names_section;		/* index of the section with the sections' names */
	uint16_t segment_size, section_size;		/* of their headers */
};

struct elf_segment {
	uint32_t type, flags;		/* PT_*, PF_* */
	uint64_t offset, vaddr, size;	/* size: in the file */
};

struct elf_section {
	uint32_t name;			/* offset in the section of names */
	uint32_t type, link, info;	/* SHT_* */
	uint64_t flags;			/* SHF_* */
	uint64_t addr, offset, size;
};

/* -ENOEXEC: not an ELF file; -EISDIR; other -errno from reading. The position of @fd stays. */
int elf_file_open(int fd, struct elf_file *ret);
/* The same for @size bytes in memory, which the caller keeps until it is done with @ret. */
int elf_file_open_memory(const void *bytes, uint64_t size, struct elf_file *ret);

/* Read @n bytes at @offset. -EPROTO: past the end of the file. */
int elf_file_read(const struct elf_file *f, uint64_t offset, void *buf, size_t n);
/*
 * malloc() for @size bytes that are read at once, which is checked; NULL: no memory. Large tables
 * go into huge pages: faulting in small pages takes as long as reading the table.
 */
void *elf_file_room(uint64_t size);

/* The same as elf_file_read() into a new allocation, *(void **)@ret; @n is not 0. */
int elf_file_alloc(const struct elf_file *f, uint64_t offset, size_t n, void *ret);

/*
 * The first @limit headers, malloc'd; *ret is NULL if *ret_nr is 0. -EPROTO: headers of another
 * size than ELF's, or past the end of the file.
 */
int elf_file_segments(const struct elf_file *f, size_t limit, struct elf_segment **ret,
		      size_t *ret_nr);
int elf_file_sections(const struct elf_file *f, size_t limit, struct elf_section **ret,
		      size_t *ret_nr);

/* The one of @nr segments that loads a byte of the file to @vaddr, or NULL. */
const struct elf_segment *elf_segment_of(const struct elf_segment *segments, size_t nr,
					 uint64_t vaddr);

/* Numbers in the file's byte order; @p need not be aligned. Symbol tables have millions. */
static inline uint16_t elf_file_u16(const struct elf_file *f, const void *p)
{
	uint16_t n;

	memcpy(&n, p, sizeof(n));
	return f->is_swapped ? __builtin_bswap16(n) : n;
}

static inline uint32_t elf_file_u32(const struct elf_file *f, const void *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return f->is_swapped ? __builtin_bswap32(n) : n;
}

static inline uint64_t elf_file_u64(const struct elf_file *f, const void *p)
{
	uint64_t n;

	memcpy(&n, p, sizeof(n));
	return f->is_swapped ? __builtin_bswap64(n) : n;
}

#endif
