/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_file.h - headers and bytes of an ELF file that nobody vouches for
 *
 * For files that the daemon reads as root though any user may have written them. Every number in
 * the file is checked against its length, and no more memory is asked for than the file really
 * holds, up to a limit of the caller's: a general library allocates by the file's own numbers, and
 * a sparse file makes those as large as it likes. Any word size and byte order.
 */
#ifndef LIBUTIL_ELF_FILE_H
#define LIBUTIL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	int fd;				/* the caller's; or -1: in memory */
	const unsigned char *bytes;
	uint64_t size;
	bool is_64, is_swapped;
	uint16_t type, machine;		/* ET_*, EM_* */
	/* as the header says, not checked */
	uint64_t segments_offset, sections_offset;	/* 0: has none */
	uint32_t nr_segments, nr_sections;
	uint32_t names_section;		/* with the sections' names */
	uint16_t segment_size, section_size;		/* of their headers */
};

struct elf_segment {
	uint32_t type, flags;		/* PT_*, PF_* */
	uint64_t offset, vaddr, size;	/* size: in the file */
};

struct elf_section {
	uint32_t name;			/* offset in the section of names */
	uint32_t type, link;		/* SHT_* */
	uint64_t flags;			/* SHF_* */
	uint64_t addr, offset, size;
};

/* -ENOEXEC: not an ELF file, -EISDIR, other -errno: of reading. @fd keeps its position. */
int elf_file_open(int fd, struct elf_file *ret);
/* The same of @size bytes, which stay the caller's. */
int elf_file_open_memory(const void *bytes, uint64_t size, struct elf_file *ret);

/* @n bytes at @offset. -EPROTO: the file ends before. */
int elf_file_read(const struct elf_file *f, uint64_t offset, void *buf, size_t n);
/* The same malloc'd, in *(void **)@ret; @n is not 0. */
int elf_file_alloc(const struct elf_file *f, uint64_t offset, size_t n, void *ret);

/*
 * The first @limit headers, malloc'd; with *ret_nr 0 *ret is NULL. -EPROTO: they have another size
 * than ELF's, or reach past the end of the file.
 */
int elf_file_segments(const struct elf_file *f, size_t limit, struct elf_segment **ret,
		      size_t *ret_nr);
int elf_file_sections(const struct elf_file *f, size_t limit, struct elf_section **ret,
		      size_t *ret_nr);

/* Numbers in the file's byte order; @p need not be aligned. */
uint16_t elf_file_u16(const struct elf_file *f, const void *p);
uint32_t elf_file_u32(const struct elf_file *f, const void *p);
uint64_t elf_file_u64(const struct elf_file *f, const void *p);

#endif
