// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf.c - segments and call frame sections of an ELF file that nobody vouches for
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unwind/elf.h"
#include "unwind/pointer.h"
#include "unwind/table.h"

#define SEGMENTS_MAX	256		/* linkers make about ten */
#define NAMES_MAX	(1 << 20)	/* bytes of section names that are looked at */

int unwind_source_read(const struct unwind_source *source, uint64_t offset, void *buf, size_t len)
{
	size_t done = 0;

	if (offset > source->size || len > source->size - offset)
		return -EPROTO;
	if (source->image) {
		memcpy(buf, source->image + offset, len);
		return 0;
	}
	while (done < len) {
		ssize_t n = pread(source->fd, (char *)buf + done, len - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EPROTO;	/* cut short since */
		done += n;
	}
	return 0;
}

int unwind_source_alloc(const struct unwind_source *source, uint64_t offset, size_t len, void *ret)
{
	void *buf;
	int err;

	if (offset > source->size || len > source->size - offset)
		return -EPROTO;		/* before memory is asked for */
	buf = malloc(len);
	if (!buf)
		return -ENOMEM;
	err = unwind_source_read(source, offset, buf, len);
	if (err) {
		free(buf);
		return err;
	}
	*(void **)ret = buf;
	return 0;
}

static int check_header(const Elf64_Ehdr *h, uint16_t *ret_machine)
{
	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOTSUP;
	if (h->e_machine != OP_UNWIND_X86_64 && h->e_machine != OP_UNWIND_ARM64)
		return -ENOTSUP;
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return -ENOEXEC;
	if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum || h->e_phnum > SEGMENTS_MAX)
		return -EPROTO;
	*ret_machine = h->e_machine;
	return 0;
}

static void add_segment(struct unwind_elf *elf, const Elf64_Phdr *p)
{
	uint64_t size = p->p_filesz;

	if (p->p_offset >= elf->source.size || !size || p->p_vaddr + size < p->p_vaddr)
		return;
	if (size > elf->source.size - p->p_offset)
		size = elf->source.size - p->p_offset;
	elf->segments[elf->nr_segments++] = (struct unwind_segment){
		.vaddr = p->p_vaddr, .offset = p->p_offset, .size = size,
		.executable = p->p_flags & PF_X,
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
 * Without section headers the program header leads to .eh_frame_hdr, and that to .eh_frame. Where
 * it ends is not said; its last entry has the length 0.
 */
static void find_by_program_header(struct unwind_elf *elf, const Elf64_Phdr *p)
{
	struct unwind_bytes b;
	const struct unwind_segment *s;
	uint8_t header[16];
	uint64_t vaddr;

	if (p->p_filesz < sizeof(header) ||
	    unwind_source_read(&elf->source, p->p_offset, header, sizeof(header)) || header[0] != 1)
		return;
	b = unwind_bytes(header + 4, sizeof(header) - 4);
	if (!unwind_pointer(&b, header[1], p->p_vaddr + 4, &vaddr))
		return;
	s = segment_of(elf, vaddr);
	if (!s)
		return;
	elf->eh_frame.vaddr = vaddr;
	elf->eh_frame.offset = s->offset + (vaddr - s->vaddr);
	elf->eh_frame.size = s->size - (vaddr - s->vaddr);
	elf->eh_frame.to_end = true;
}

static int read_segments(struct unwind_elf *elf, const Elf64_Ehdr *h)
{
	Elf64_Phdr *headers;
	int err;

	err = unwind_source_alloc(&elf->source, h->e_phoff, h->e_phnum * sizeof(*headers),
				  &headers);
	if (err)
		return err;
	elf->segments = calloc(h->e_phnum, sizeof(*elf->segments));
	if (!elf->segments) {
		free(headers);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < h->e_phnum; i++) {
		elf->has_interpreter |= headers[i].p_type == PT_INTERP;
		if (headers[i].p_type == PT_LOAD)
			add_segment(elf, &headers[i]);
	}
	for (unsigned int i = 0; i < h->e_phnum; i++)
		if (headers[i].p_type == PT_GNU_EH_FRAME)
			find_by_program_header(elf, &headers[i]);
	free(headers);
	return 0;
}

static void take_section(const struct unwind_elf *elf, const Elf64_Shdr *s,
			 struct unwind_section *ret)
{
	if (s->sh_type == SHT_NOBITS || !s->sh_size || s->sh_offset > elf->source.size ||
	    s->sh_size > elf->source.size - s->sh_offset)
		return;		/* a file of debug information has them empty */
	*ret = (struct unwind_section){
		.vaddr = s->sh_addr, .offset = s->sh_offset, .size = s->sh_size,
		.form = s->sh_flags & SHF_COMPRESSED ? UNWIND_COMPRESSED : UNWIND_PLAIN,
	};
}

static void take_zdebug(struct unwind_elf *elf, const Elf64_Shdr *s)
{
	take_section(elf, s, &elf->debug_frame);
	elf->debug_frame.form = UNWIND_ZDEBUG;
}

static bool is_plt(const char *name, const Elf64_Shdr *s)
{
	return (s->sh_flags & SHF_EXECINSTR) &&
	       (!strcmp(name, ".plt") || !strcmp(name, ".plt.got") ||
		!strcmp(name, ".plt.sec") || !strcmp(name, ".iplt"));
}

static void name_sections(struct unwind_elf *elf, const Elf64_Shdr *sections, unsigned int nr,
			  const char *names, size_t names_size)
{
	for (unsigned int i = 0; i < nr; i++) {
		const char *name = names + sections[i].sh_name;

		if (sections[i].sh_name >= names_size)
			continue;
		if (!strcmp(name, ".eh_frame"))
			take_section(elf, &sections[i], &elf->eh_frame);
		else if (!strcmp(name, ".debug_frame"))
			take_section(elf, &sections[i], &elf->debug_frame);
		else if (!strcmp(name, ".zdebug_frame") && !elf->debug_frame.size)
			take_zdebug(elf, &sections[i]);
		else if (!strcmp(name, ".gopclntab"))
			elf->is_go = true;
		else if (is_plt(name, &sections[i]) && elf->nr_plts < UNWIND_PLTS)
			take_section(elf, &sections[i], &elf->plt[elf->nr_plts++]);
	}
}

/* Missing or senseless ones are no error: programs run without. */
static int read_sections(struct unwind_elf *elf, const Elf64_Ehdr *h)
{
	Elf64_Shdr *sections;
	size_t names_size;
	char *names;
	int err;

	if (!h->e_shoff || h->e_shentsize != sizeof(*sections) || h->e_shstrndx >= h->e_shnum)
		return 0;
	err = unwind_source_alloc(&elf->source, h->e_shoff, h->e_shnum * sizeof(*sections),
				  &sections);
	if (err)
		return err == -EPROTO ? 0 : err;
	names_size = sections[h->e_shstrndx].sh_size;
	if (!names_size || names_size > NAMES_MAX) {
		free(sections);
		return 0;
	}
	err = unwind_source_alloc(&elf->source, sections[h->e_shstrndx].sh_offset, names_size,
				  &names);
	if (!err) {
		names[names_size - 1] = '\0';
		name_sections(elf, sections, h->e_shnum, names, names_size);
		free(names);
	}
	free(sections);
	return err == -EPROTO ? 0 : err;
}

int unwind_elf_open(const struct unwind_source *source, struct unwind_elf *ret)
{
	struct unwind_elf elf = { .source = *source };
	Elf64_Ehdr header;
	struct stat st;
	int err;

	if (!source->image) {
		if (fstat(source->fd, &st))
			return -errno;
		if (!S_ISREG(st.st_mode))
			return -ENOEXEC;
		elf.source.size = st.st_size;
	}
	if (elf.source.size < sizeof(header))
		return -ENOEXEC;
	err = unwind_source_read(&elf.source, 0, &header, sizeof(header));
	if (!err)
		err = check_header(&header, &elf.machine);
	if (!err)
		err = read_segments(&elf, &header);
	if (!err)
		err = read_sections(&elf, &header);
	if (err) {
		unwind_elf_close(&elf);
		return err;
	}
	*ret = elf;
	return 0;
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
