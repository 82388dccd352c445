// SPDX-License-Identifier: GPL-2.0-or-later
/* elf.c - segments and call frame sections of an untrusted ELF file */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unwind/elf.h"
#include "unwind/pointer.h"
#include "unwind/table.h"

#define SEGMENTS_MAX	256		/* linkers create about ten */
#define NAMES_MAX	(1 << 20)	/* bytes of section names to read */

static int check_machine(const struct elf_file *f)
{
	/* x32's programs are x86-64's with short addresses */
	bool may_be_64 = f->machine != OP_UNWIND_I386, may_be_32 = f->machine != OP_UNWIND_ARM64;

	return !op_unwind_registers(f->machine) || !(f->is_64 ? may_be_64 : may_be_32) ||
	       f->is_swapped != (BYTE_ORDER == BIG_ENDIAN) ? -ENOTSUP : 0;
}

static int check_header(const struct elf_file *f)
{
	int err = check_machine(f);

	if (err)
		return err;
	if (f->type != ET_EXEC && f->type != ET_DYN)
		return -ENOEXEC;
	return f->nr_segments && f->nr_segments <= SEGMENTS_MAX ? 0 : -EPROTO;
}

static void add_segment(struct unwind_elf *elf, const struct elf_segment *p)
{
	uint64_t size = p->size;

	if (p->offset >= elf->file.size || !size || p->vaddr + size < p->vaddr)
		return;
	if (size > elf->file.size - p->offset)
		size = elf->file.size - p->offset;
	elf->segments[elf->nr_segments++] = (struct unwind_segment){
		.vaddr = p->vaddr, .offset = p->offset, .size = size,
		.executable = p->flags & PF_X,
	};
}

static const struct unwind_segment *segment_of(const struct unwind_elf *elf, uint64_t vaddr)
{
	for (size_t i = 0; i < elf->nr_segments; i++)
		if (vaddr - elf->segments[i].vaddr < elf->segments[i].size)
			return &elf->segments[i];
	return NULL;
}

/*
 * Without section headers a program header refers to .eh_frame_hdr, and that to .eh_frame. Its size
 * is unknown; its last entry has the length 0.
 */
static void find_by_program_header(struct unwind_elf *elf, const struct elf_segment *p)
{
	struct unwind_bytes b;
	const struct unwind_segment *s;
	uint8_t header[16];
	uint64_t vaddr;

	if (p->size < sizeof(header) ||
	    elf_file_read(&elf->file, p->offset, header, sizeof(header)) || header[0] != 1)
		return;
	if (!elf->file.is_64)
		header[1] = unwind_encoding_of_32(header[1]);
	b = unwind_bytes(header + 4, sizeof(header) - 4);
	if (!unwind_pointer(&b, header[1], p->vaddr + 4, &vaddr))
		return;
	s = segment_of(elf, vaddr);
	if (!s)
		return;
	elf->eh_frame.vaddr = vaddr;
	elf->eh_frame.offset = s->offset + (vaddr - s->vaddr);
	elf->eh_frame.size = s->size - (vaddr - s->vaddr);
	elf->eh_frame.to_end = true;
}

static int read_segments(struct unwind_elf *elf)
{
	struct elf_segment *headers;
	size_t nr;
	int err = elf_file_segments(&elf->file, SEGMENTS_MAX, &headers, &nr);

	if (err || !nr)
		return err ? err : -EPROTO;
	elf->segments = calloc(nr, sizeof(*elf->segments));
	if (!elf->segments) {
		free(headers);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++) {
		elf->has_interpreter |= headers[i].type == PT_INTERP;
		if (headers[i].type == PT_LOAD)
			add_segment(elf, &headers[i]);
	}
	for (size_t i = 0; i < nr; i++)
		if (headers[i].type == PT_GNU_EH_FRAME)
			find_by_program_header(elf, &headers[i]);
	free(headers);
	return 0;
}

static void set_section(const struct unwind_elf *elf, const struct elf_section *s,
			 struct unwind_section *ret)
{
	if (s->type == SHT_NOBITS || !s->size || s->offset > elf->file.size ||
	    s->size > elf->file.size - s->offset)
		return;		/* in files of debug information they are empty */
	*ret = (struct unwind_section){
		.vaddr = s->addr, .offset = s->offset, .size = s->size,
		.form = s->flags & SHF_COMPRESSED ? UNWIND_COMPRESSED : UNWIND_PLAIN,
	};
}

static void set_zdebug(struct unwind_elf *elf, const struct elf_section *s)
{
	set_section(elf, s, &elf->debug_frame);
	elf->debug_frame.form = UNWIND_ZDEBUG;
}

static bool is_plt(const char *name, const struct elf_section *s)
{
	return (s->flags & SHF_EXECINSTR) &&
	       (!strcmp(name, ".plt") || !strcmp(name, ".plt.got") ||
		!strcmp(name, ".plt.sec") || !strcmp(name, ".iplt"));
}

static void name_sections(struct unwind_elf *elf, const struct elf_section *sections, size_t nr,
			  const char *names, size_t names_size)
{
	for (size_t i = 0; i < nr; i++) {
		const char *name = names + sections[i].name;

		if (sections[i].name >= names_size)
			continue;
		if (!strcmp(name, ".eh_frame"))
			set_section(elf, &sections[i], &elf->eh_frame);
		else if (!strcmp(name, ".debug_frame"))
			set_section(elf, &sections[i], &elf->debug_frame);
		else if (!strcmp(name, ".zdebug_frame") && !elf->debug_frame.size)
			set_zdebug(elf, &sections[i]);
		else if (!strcmp(name, ".gopclntab"))
			elf->is_go = true;
		else if (is_plt(name, &sections[i]) && elf->nr_plts < UNWIND_PLTS)
			set_section(elf, &sections[i], &elf->plt[elf->nr_plts++]);
	}
}

/*
 * Relocations of @s, unless it is missing. An object's section that is not loaded has no address:
 * one near the code is as good, because nothing else is relative to it.
 */
static void add_relocations(struct unwind_section *s, const struct elf_section *sections, size_t nr)
{
	uint64_t code = 0;

	for (size_t i = 0; i < nr && s->size; i++) {
		const struct elf_section *r = &sections[i];

		if (r->type == SHT_RELA && r->info < nr && sections[r->info].offset == s->offset) {
			s->relocations_offset = r->offset;
			s->relocations = r->size / sizeof(Elf64_Rela);
			s->symbols = r->link;
		}
		if ((r->flags & SHF_EXECINSTR) && !code)
			code = r->addr;
	}
	if (!s->vaddr)
		s->vaddr = code;
}

/* Missing or malformed section headers are not an error: programs run without. */
static int read_sections(struct unwind_elf *elf)
{
	const struct elf_file *f = &elf->file;
	const struct elf_section *s;
	struct elf_section *sections;
	char *names = NULL;
	size_t nr;
	int err = elf_file_sections(f, UNWIND_SECTIONS_MAX, &sections, &nr);

	if (err || !nr)
		return err == -EPROTO ? 0 : err;
	s = f->names_section < nr ? &sections[f->names_section] : NULL;
	if (s && s->size && s->size <= NAMES_MAX)
		err = elf_file_alloc(f, s->offset, s->size, &names);
	if (names) {
		names[s->size - 1] = '\0';
		name_sections(elf, sections, nr, names, s->size);
		if (elf->file.type == ET_REL) {
			add_relocations(&elf->eh_frame, sections, nr);
			add_relocations(&elf->debug_frame, sections, nr);
		}
	}
	free(names);
	free(sections);
	return err == -EPROTO ? 0 : err;
}

int unwind_elf_open(const struct elf_file *file, struct unwind_elf *ret)
{
	struct unwind_elf elf = { .file = *file };
	int err = check_header(file);

	if (!err)
		err = read_segments(&elf);
	if (!err)
		err = read_sections(&elf);
	if (err)
		unwind_elf_close(&elf);
	else
		*ret = elf;
	return err;
}

int unwind_elf_open_made(const struct elf_file *file, struct unwind_elf *ret)
{
	struct unwind_elf elf = { .file = *file };
	int err = check_machine(file);

	if (!err)
		err = read_sections(&elf);
	if (!err)
		*ret = elf;
	return err;
}

void unwind_elf_close(struct unwind_elf *elf)
{
	free(elf->segments);
	elf->segments = NULL;
}

bool unwind_elf_offset(struct unwind_elf *elf, uint64_t vaddr, uint64_t len, uint64_t *ret)
{
	for (size_t i = 0; i < elf->nr_segments; i++) {
		size_t n = (elf->last + i) % elf->nr_segments;
		const struct unwind_segment *s = &elf->segments[n];
		uint64_t at = vaddr - s->vaddr;

		if (s->executable && at < s->size && len <= s->size - at) {
			elf->last = n;
			*ret = s->offset + at;
			return true;
		}
	}
	return false;
}
