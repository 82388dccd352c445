// SPDX-License-Identifier: GPL-2.0-or-later
/* elf_file.c - headers and bytes of an untrusted ELF file */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "libutil/elf_file.h"
#include "libutil/file.h"

/* --- bytes --- */

/* A field as wide as an address, at @at_64 or @at_32. */
static uint64_t word(const struct elf_file *f, const unsigned char *p, size_t at_64, size_t at_32)
{
	return f->is_64 ? elf_file_u64(f, p + at_64) : elf_file_u32(f, p + at_32);
}

#define WORD(f, p, type, field)							\
	word(f, p, offsetof(Elf64_##type, field), offsetof(Elf32_##type, field))
#define U32(f, p, type, field)								\
	elf_file_u32(f, (p) + ((f)->is_64 ? offsetof(Elf64_##type, field)		\
					  : offsetof(Elf32_##type, field)))
#define U16(f, p, type, field)								\
	elf_file_u16(f, (p) + ((f)->is_64 ? offsetof(Elf64_##type, field)		\
					  : offsetof(Elf32_##type, field)))

static bool is_within(const struct elf_file *f, uint64_t offset, uint64_t n)
{
	return offset <= f->size && n <= f->size - offset;
}

int elf_file_read(const struct elf_file *f, uint64_t offset, void *buf, size_t n)
{
	if (!is_within(f, offset, n))
		return -EPROTO;
	if (!f->bytes)
		return file_read_at(f->fd, buf, n, offset);
	memcpy(buf, f->bytes + offset, n);
	return 0;
}

#define LARGE_PAGE	(2u << 20)

void *elf_file_room(uint64_t size)
{
	size_t rounded = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	void *room;

	if (size < LARGE_PAGE / 2)
		return malloc(size);
	room = aligned_alloc(LARGE_PAGE, rounded);
	if (room)
		madvise(room, rounded, MADV_HUGEPAGE);
	return room;
}

int elf_file_alloc(const struct elf_file *f, uint64_t offset, size_t n, void *ret)
{
	void *buf;
	int err;

	if (!is_within(f, offset, n))
		return -EPROTO;		/* before allocating */
	buf = elf_file_room(n);
	if (!buf)
		return -ENOMEM;
	err = elf_file_read(f, offset, buf, n);
	if (err)
		free(buf);
	else
		*(void **)ret = buf;
	return err;
}

/* --- headers --- */

static void decode_segment(const struct elf_file *f, const unsigned char *p,
			   struct elf_segment *ret)
{
	*ret = (struct elf_segment){
		.type = U32(f, p, Phdr, p_type),
		.flags = U32(f, p, Phdr, p_flags),
		.offset = WORD(f, p, Phdr, p_offset),
		.vaddr = WORD(f, p, Phdr, p_vaddr),
		.size = WORD(f, p, Phdr, p_filesz),
	};
}

static void decode_section(const struct elf_file *f, const unsigned char *p,
			   struct elf_section *ret)
{
	*ret = (struct elf_section){
		.name = U32(f, p, Shdr, sh_name),
		.type = U32(f, p, Shdr, sh_type),
		.link = U32(f, p, Shdr, sh_link),
		.info = U32(f, p, Shdr, sh_info),
		.flags = WORD(f, p, Shdr, sh_flags),
		.addr = WORD(f, p, Shdr, sh_addr),
		.offset = WORD(f, p, Shdr, sh_offset),
		.size = WORD(f, p, Shdr, sh_size),
	};
}

/* Read a table of @nr headers of @size bytes each; *ret is NULL if the file has no table. */
static int read_table(const struct elf_file *f, uint64_t offset, size_t nr, size_t size,
		      size_t expected_size, unsigned char **ret)
{
	*ret = NULL;
	if (!nr || !offset)
		return 0;
	return size == expected_size ? elf_file_alloc(f, offset, nr * size, ret) : -EPROTO;
}

int elf_file_segments(const struct elf_file *f, size_t limit, struct elf_segment **ret,
		      size_t *ret_nr)
{
	size_t nr = f->nr_segments < limit ? f->nr_segments : limit, size = f->segment_size;
	struct elf_segment *segments;
	unsigned char *table;
	int err = read_table(f, f->segments_offset, nr, size,
			     f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), &table);

	if (err)
		return err;
	segments = table ? calloc(nr, sizeof(*segments)) : NULL;
	for (size_t i = 0; segments && i < nr; i++)
		decode_segment(f, table + i * size, &segments[i]);
	if (table && !segments)
		err = -ENOMEM;
	free(table);
	*ret = segments;
	*ret_nr = segments ? nr : 0;
	return err;
}

const struct elf_segment *elf_segment_of(const struct elf_segment *segments, size_t nr,
					 uint64_t vaddr)
{
	for (size_t i = 0; i < nr; i++)
		if (segments[i].type == PT_LOAD && vaddr - segments[i].vaddr < segments[i].size)
			return &segments[i];
	return NULL;
}

int elf_file_sections(const struct elf_file *f, size_t limit, struct elf_section **ret,
		      size_t *ret_nr)
{
	size_t nr = f->nr_sections < limit ? f->nr_sections : limit, size = f->section_size;
	struct elf_section *sections;
	unsigned char *table;
	int err = read_table(f, f->sections_offset, nr, size,
			     f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), &table);

	if (err)
		return err;
	sections = table ? calloc(nr, sizeof(*sections)) : NULL;
	for (size_t i = 0; sections && i < nr; i++)
		decode_section(f, table + i * size, &sections[i]);
	if (table && !sections)
		err = -ENOMEM;
	free(table);
	*ret = sections;
	*ret_nr = sections ? nr : 0;
	return err;
}

/* With more than 65279 sections, section 0 holds their number and the index of .shstrtab. */
static void read_extended_numbers(struct elf_file *f)
{
	unsigned char bytes[sizeof(Elf64_Shdr)];
	struct elf_section first;

	if (!f->sections_offset || (f->nr_sections && f->names_section != SHN_XINDEX) ||
	    elf_file_read(f, f->sections_offset, bytes,
			  f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return;
	decode_section(f, bytes, &first);
	if (!f->nr_sections)
		f->nr_sections = first.size <= UINT32_MAX ? (uint32_t)first.size : UINT32_MAX;
	if (f->names_section == SHN_XINDEX)
		f->names_section = first.link;
}

static int read_header(struct elf_file *f)
{
	unsigned char h[sizeof(Elf64_Ehdr)] = { 0 };
	size_t n = f->size < sizeof(h) ? (size_t)f->size : sizeof(h);
	int err = elf_file_read(f, 0, h, n);

	if (err)
		return err == -EPROTO ? -ENOEXEC : err;
	if (n < sizeof(Elf32_Ehdr) || memcmp(h, ELFMAG, SELFMAG) ||
	    (h[EI_CLASS] != ELFCLASS32 && h[EI_CLASS] != ELFCLASS64) ||
	    (h[EI_DATA] != ELFDATA2LSB && h[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	f->is_64 = h[EI_CLASS] == ELFCLASS64;
	f->is_swapped = (h[EI_DATA] == ELFDATA2MSB) != (BYTE_ORDER == BIG_ENDIAN);
	if (f->is_64 && n < sizeof(Elf64_Ehdr))
		return -ENOEXEC;
	f->type = U16(f, h, Ehdr, e_type);
	f->machine = U16(f, h, Ehdr, e_machine);
	f->segments_offset = WORD(f, h, Ehdr, e_phoff);
	f->sections_offset = WORD(f, h, Ehdr, e_shoff);
	f->segment_size = U16(f, h, Ehdr, e_phentsize);
	f->section_size = U16(f, h, Ehdr, e_shentsize);
	f->nr_segments = U16(f, h, Ehdr, e_phnum);
	f->nr_sections = U16(f, h, Ehdr, e_shnum);
	f->names_section = U16(f, h, Ehdr, e_shstrndx);
	read_extended_numbers(f);
	return 0;
}

int elf_file_open(int fd, struct elf_file *ret)
{
	struct elf_file f = { .fd = fd };
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENOEXEC;
	f.size = (uint64_t)st.st_size;
	err = read_header(&f);
	if (!err)
		*ret = f;
	return err;
}

int elf_file_open_memory(const void *bytes, uint64_t size, struct elf_file *ret)
{
	struct elf_file f = { .fd = -1, .bytes = bytes, .size = size };
	int err = read_header(&f);

	if (!err)
		*ret = f;
	return err;
}
