// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols_pack.c - see symbols_pack.h
 *
 * Sections that are loaded stay at their offsets, with zeros between them, which take no room when
 * compressed. The others follow, then the headers.
 */
#include "daemon/history/symbols_pack.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/zstd.h"

#define SECTIONS_MAX	16384u		/* as many as readers take */
#define LEVEL		5		/* 30 ms for a program of 10 MB */
#define READS_PER_FILE	4		/* sections may share bytes: read no more than that */

struct packer {
	const struct elf_file *f;
	struct elf_section *sections;
	size_t nr;
	char *names;			/* ends in a NUL */
	size_t names_size;
	bool *keep;
	bool lines, has_table;
	uint64_t end;			/* of the new file so far */
	unsigned char *bytes;		/* of it */
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static const char *name_of(const struct packer *p, size_t i)
{
	return p->sections[i].name < p->names_size ? p->names + p->sections[i].name : "";
}

static bool is_of_type(const struct packer *p, size_t i, uint32_t type)
{
	return i < p->nr && p->sections[i].type == type;
}

/* What readers look for: pp/binary/. */
static bool is_wanted(const struct packer *p, size_t i)
{
	const struct elf_section *s = &p->sections[i];
	const char *name = name_of(p, i);

	if (i == p->f->names_section || s->type == SHT_SYMTAB || s->type == SHT_DYNSYM ||
	    s->type == SHT_NOTE)
		return true;
	if (s->type == SHT_REL || s->type == SHT_RELA)
		return is_of_type(p, s->link, SHT_DYNSYM);
	if (begins(name, ".plt") || begins(name, ".gnu_debug"))
		return true;
	if (p->lines && (begins(name, ".debug_") || begins(name, ".zdebug_") ||
			 begins(name, ".eh_frame")))
		return true;
	return !p->has_table && (begins(name, ".eh_frame") || !strcmp(name, ".gopclntab") ||
				 !strcmp(name, ".data.rel.ro.gopclntab"));
}

/* -EPROTO: all together are longer than a file with such sections should be. */
static int choose(struct packer *p)
{
	uint64_t left = p->f->size * READS_PER_FILE;

	for (size_t i = 1; i < p->nr; i++)
		p->has_table |= p->sections[i].type == SHT_SYMTAB;
	for (size_t i = 1; i < p->nr; i++) {
		const struct elf_section *s = &p->sections[i];

		p->keep[i] |= is_wanted(p, i);
		if ((s->type == SHT_SYMTAB || s->type == SHT_DYNSYM) &&
		    is_of_type(p, s->link, SHT_STRTAB))
			p->keep[s->link] = true;
	}
	for (size_t i = 1; i < p->nr; i++) {
		const struct elf_section *s = &p->sections[i];

		if (s->type == SHT_NOBITS || s->type == SHT_NULL || !s->size ||
		    s->offset > p->f->size || s->size > p->f->size - s->offset)
			p->keep[i] = false;
		if (p->keep[i] && s->size > left)
			return -EPROTO;
		left -= p->keep[i] ? s->size : 0;
	}
	return 0;
}

static size_t header_size(const struct elf_file *f)
{
	return f->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static uint64_t segments_size(const struct elf_file *f)
{
	uint64_t n = (uint64_t)f->nr_segments * f->segment_size;

	return f->segments_offset <= f->size && n <= f->size - f->segments_offset ? n : 0;
}

static void extend(struct packer *p, uint64_t end)
{
	if (end > p->end)
		p->end = end;
}

/* Give those that are not loaded new offsets. */
static int arrange(struct packer *p)
{
	const struct elf_file *f = p->f;

	extend(p, header_size(f));
	if (segments_size(f))
		extend(p, f->segments_offset + segments_size(f));
	for (size_t i = 1; i < p->nr; i++)
		if (p->keep[i] && p->sections[i].flags & SHF_ALLOC)
			extend(p, p->sections[i].offset + p->sections[i].size);
	return p->end > SYMBOLS_UNPACKED_MAX ? -EFBIG : 0;
}

/* A field of a header that is as wide as an address, or a 32-bit one. */
static void put(const struct elf_file *f, unsigned char *at, uint64_t value, bool is_wide)
{
	uint64_t n64 = f->is_swapped ? __builtin_bswap64(value) : value;
	uint32_t n32 = f->is_swapped ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;

	if (is_wide && f->is_64)
		memcpy(at, &n64, sizeof(n64));
	else
		memcpy(at, &n32, sizeof(n32));
}

#define PUT(f, header, type, field, value, is_wide)					\
	put(f, (header) + ((f)->is_64 ? offsetof(Elf64_##type, field)			\
				      : offsetof(Elf32_##type, field)), value, is_wide)

static int read_section(struct packer *p, size_t i, uint64_t at)
{
	const struct elf_section *s = &p->sections[i];

	return elf_file_read(p->f, s->offset, p->bytes + at, s->size);
}

static uint64_t align(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

/* The sections that are not loaded, from @at on, then all headers: those without bytes say so. */
static int put_rest(struct packer *p, uint64_t at)
{
	const struct elf_file *f = p->f;
	unsigned char *headers = p->bytes + p->end - p->nr * f->section_size;
	int err = elf_file_read(f, f->sections_offset, headers, p->nr * f->section_size);

	PUT(f, p->bytes, Ehdr, e_shoff, (uint64_t)(headers - p->bytes), true);
	for (size_t i = 1; i < p->nr && !err; i++) {
		unsigned char *header = headers + i * f->section_size;

		if (p->sections[i].flags & SHF_ALLOC)
			continue;
		if (!p->keep[i]) {
			PUT(f, header, Shdr, sh_type, SHT_NOBITS, false);
			continue;
		}
		err = read_section(p, i, at);
		PUT(f, header, Shdr, sh_offset, at, true);
		at = align(at + p->sections[i].size);
	}
	return err;
}

static int make(struct packer *p)
{
	const struct elf_file *f = p->f;
	uint64_t rest;
	int err;

	p->end = rest = align(p->end);
	for (size_t i = 1; i < p->nr; i++)
		if (p->keep[i] && !(p->sections[i].flags & SHF_ALLOC))
			p->end = align(p->end + p->sections[i].size);
	p->end += p->nr * f->section_size;
	if (p->end > SYMBOLS_UNPACKED_MAX)
		return -EFBIG;
	p->bytes = calloc(1, p->end);
	if (!p->bytes)
		return -ENOMEM;
	err = elf_file_read(f, 0, p->bytes, header_size(f));
	if (!err && segments_size(f))
		err = elf_file_read(f, f->segments_offset, p->bytes + f->segments_offset,
				    segments_size(f));
	for (size_t i = 1; i < p->nr && !err; i++)
		if (p->keep[i] && p->sections[i].flags & SHF_ALLOC)
			err = read_section(p, i, p->sections[i].offset);
	return err ? err : put_rest(p, rest);
}

static int read_names(struct packer *p)
{
	const struct elf_section *s;

	if (!is_of_type(p, p->f->names_section, SHT_STRTAB))
		return 0;
	s = &p->sections[p->f->names_section];
	if (!s->size || s->size > p->f->size)
		return 0;
	p->names = calloc(1, s->size + 1);
	p->names_size = s->size;
	return p->names ? elf_file_read(p->f, s->offset, p->names, s->size) : -ENOMEM;
}

int symbols_pack(const struct elf_file *f, bool lines, void **ret, size_t *ret_n)
{
	struct packer p = { .f = f, .lines = lines };
	int err = elf_file_sections(f, SECTIONS_MAX, &p.sections, &p.nr);

	if (!err && (!p.nr || p.nr != f->nr_sections))
		err = p.nr ? -EFBIG : -ENODATA;
	if (!err) {
		p.keep = calloc(p.nr, sizeof(*p.keep));
		err = p.keep ? read_names(&p) : -ENOMEM;
	}
	if (!err)
		err = choose(&p);
	if (!err)
		err = arrange(&p);
	if (!err)
		err = make(&p);
	if (!err)
		err = zstd_pack(p.bytes, p.end, LEVEL, ret, ret_n);
	free(p.bytes);
	free(p.keep);
	free(p.names);
	free(p.sections);
	return err;
}
