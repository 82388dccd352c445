// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_id_elf.c - find the notes of an ELF file, whoever wrote it
 *
 * The daemon reads the files that any user executes, as root. So this reads the few bytes it
 * needs, at most NOTES_MAX at a time, and at most HEADERS_MAX headers: a general ELF library
 * allocates by the file's own numbers, and a sparse file can make those as large as it likes.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "libutil/build_id.h"
#include "libutil/build_id_private.h"

#define HEADERS_MAX	4096		/* program or section headers looked at */
#define NOTES_MAX	4096		/* bytes of one segment or section of notes */

struct elf_file {
	int fd;
	bool is64, swapped;
	uint64_t phoff, shoff;
	uint32_t phnum, shnum;
	uint32_t phentsize, shentsize;
};

/* Up to @n bytes at @offset: how many there were, or -errno. */
static ssize_t read_at(int fd, void *buf, size_t n, uint64_t offset)
{
	size_t done = 0;

	if (offset > INT64_MAX - n)
		return 0;
	while (done < n) {
		ssize_t got = pread(fd, (char *)buf + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static uint16_t get16(const struct elf_file *f, uint16_t v)
{
	return f->swapped ? __builtin_bswap16(v) : v;
}

static uint32_t get32(const struct elf_file *f, uint32_t v)
{
	return f->swapped ? __builtin_bswap32(v) : v;
}

static uint64_t get64(const struct elf_file *f, uint64_t v)
{
	return f->swapped ? __builtin_bswap64(v) : v;
}

static int read_file_header(struct elf_file *f)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr h64;
		Elf32_Ehdr h32;
	} u;
	ssize_t n = read_at(f->fd, &u, sizeof(u), 0);

	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(u.h32) || memcmp(u.ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	f->is64 = u.ident[EI_CLASS] == ELFCLASS64;
	f->swapped = u.ident[EI_DATA] == (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB);
	if (f->is64 && n < (ssize_t)sizeof(u.h64))
		return -ENOEXEC;
	if (f->is64) {
		f->phoff = get64(f, u.h64.e_phoff);
		f->shoff = get64(f, u.h64.e_shoff);
		f->phnum = get16(f, u.h64.e_phnum);
		f->shnum = get16(f, u.h64.e_shnum);
		f->phentsize = get16(f, u.h64.e_phentsize);
		f->shentsize = get16(f, u.h64.e_shentsize);
	} else {
		f->phoff = get32(f, u.h32.e_phoff);
		f->shoff = get32(f, u.h32.e_shoff);
		f->phnum = get16(f, u.h32.e_phnum);
		f->shnum = get16(f, u.h32.e_shnum);
		f->phentsize = get16(f, u.h32.e_phentsize);
		f->shentsize = get16(f, u.h32.e_shentsize);
	}
	return 0;
}

/* -ENODATA: no build-id among the @size bytes of notes at @offset. */
static int find_in_notes(const struct elf_file *f, uint64_t offset, uint64_t size,
			 struct build_id *ret)
{
	unsigned char notes[NOTES_MAX];
	ssize_t n = read_at(f->fd, notes, size < sizeof(notes) ? (size_t)size : sizeof(notes),
			    offset);

	if (n < 0)
		return (int)n;
	return build_id_find(notes, (size_t)n, f->swapped, ret);
}

/* Programs and shared objects: the PT_NOTE segments, which survive stripping of sections. */
static int find_in_segments(const struct elf_file *f, struct build_id *ret)
{
	size_t size = f->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (f->phentsize < size)
		return -ENODATA;
	for (uint32_t i = 0; i < f->phnum && i < HEADERS_MAX; i++) {
		union {
			Elf64_Phdr h64;
			Elf32_Phdr h32;
		} u;
		int err = -ENODATA;

		if (read_at(f->fd, &u, size, f->phoff + (uint64_t)i * f->phentsize) !=
		    (ssize_t)size)
			return -ENODATA;
		if (f->is64 && get32(f, u.h64.p_type) == PT_NOTE)
			err = find_in_notes(f, get64(f, u.h64.p_offset), get64(f, u.h64.p_filesz),
					    ret);
		else if (!f->is64 && get32(f, u.h32.p_type) == PT_NOTE)
			err = find_in_notes(f, get32(f, u.h32.p_offset), get32(f, u.h32.p_filesz),
					    ret);
		if (err != -ENODATA)
			return err;
	}
	return -ENODATA;
}

/* Kernel modules are relocatable: they have sections only. */
static int find_in_sections(const struct elf_file *f, struct build_id *ret)
{
	size_t size = f->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);

	if (f->shentsize < size)
		return -ENODATA;
	for (uint32_t i = 0; i < f->shnum && i < HEADERS_MAX; i++) {
		union {
			Elf64_Shdr h64;
			Elf32_Shdr h32;
		} u;
		int err = -ENODATA;

		if (read_at(f->fd, &u, size, f->shoff + (uint64_t)i * f->shentsize) !=
		    (ssize_t)size)
			return -ENODATA;
		if (f->is64 && get32(f, u.h64.sh_type) == SHT_NOTE)
			err = find_in_notes(f, get64(f, u.h64.sh_offset), get64(f, u.h64.sh_size),
					    ret);
		else if (!f->is64 && get32(f, u.h32.sh_type) == SHT_NOTE)
			err = find_in_notes(f, get32(f, u.h32.sh_offset), get32(f, u.h32.sh_size),
					    ret);
		if (err != -ENODATA)
			return err;
	}
	return -ENODATA;
}

int build_id_read_fd(int fd, struct build_id *ret)
{
	struct elf_file f = { .fd = fd };
	int err = read_file_header(&f);

	if (err)
		return err;
	err = find_in_segments(&f, ret);
	return err == -ENODATA ? find_in_sections(&f, ret) : err;
}

int build_id_read(const char *path, struct build_id *ret)
{
	/* O_NONBLOCK: somebody may have put a FIFO where the image was */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	err = build_id_read_fd(fd, ret);
	close(fd);
	return err;
}
