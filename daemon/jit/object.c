// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * object.c - write an ELF file: header, code, symbols, strings, section headers
 *
 * Always 64-bit: 32-bit addresses fit, and reports only look up symbols.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/jit/debug.h"
#include "daemon/jit/object.h"
#include "libutil/xalloc.h"

#define GAP		4096		/* a larger one begins a new section [JT-41] */
#define PADDING_MIN	(1u << 20)	/* bytes that need no code of their own [JT-41] */
#define SECTIONS_MAX	30000		/* of code, because section numbers have 16 bits */

#if defined(__x86_64__)
#define THIS_MACHINE	EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE	EM_AARCH64
#else
#define THIS_MACHINE	EM_NONE
#endif

/* Symbols [first, end) of the layout, in one section. */
struct group {
	size_t first, end;
	uint64_t address, size, offset;
	bool has_code;
};

struct object {
	const struct jit_layout *layout;
	FILE *out;
	struct group *groups;
	size_t nr, room;
	bool no_code;			/* without code, because there are too many sections */
	struct jit_debug debug;
	uint64_t at;			/* bytes written */
	int err;
};

static bool belongs(const struct object *o, const struct group *g, const struct jit_symbol *s,
		    uint64_t gap)
{
	return g->has_code == (s->code && !o->no_code) && s->start - (g->address + g->size) < gap;
}

static void make_groups(struct object *o, uint64_t gap)
{
	const struct jit_layout *l = o->layout;

	o->nr = 0;
	for (size_t i = 0; i < l->nr; i++) {
		const struct jit_symbol *s = &l->symbols[i];
		struct group *g = o->nr ? &o->groups[o->nr - 1] : NULL;

		if (!g || !belongs(o, g, s, gap)) {
			xgrow(o->groups, o->nr, o->room);
			g = &o->groups[o->nr++];
			*g = (struct group){ .first = i, .address = s->start,
					     .has_code = s->code && !o->no_code };
		}
		g->end = i + 1;
		g->size = s->end - g->address;
	}
}

/* A file that scatters little code would else become a far larger object. */
static bool is_mostly_padding(const struct object *o)
{
	uint64_t code = 0, size = 0;

	for (const struct group *g = o->groups; g < o->groups + o->nr; g++) {
		if (!g->has_code)
			continue;
		size += g->size;
		for (size_t i = g->first; i < g->end; i++)
			code += o->layout->symbols[i].end - o->layout->symbols[i].start;
	}
	return size - code > code + PADDING_MIN;
}

/*
 * Smaller gaps cost less padding and more sections. If code is scattered too widely, use fewer and
 * larger sections, which then cannot hold code.
 */
static void choose_groups(struct object *o)
{
	uint64_t gap = GAP;

	for (make_groups(o, gap); gap > 1 && is_mostly_padding(o); make_groups(o, gap))
		gap /= 16;
	for (gap = GAP; o->nr > SECTIONS_MAX; gap *= 2) {
		o->no_code = true;
		make_groups(o, gap);
	}
}

static void put(struct object *o, const void *bytes, size_t n)
{
	if (!o->err && n && fwrite(bytes, 1, n, o->out) != n)
		o->err = errno ? -errno : -EIO;
	o->at += n;
}

static void put_zeros(struct object *o, uint64_t n)
{
	static const char zeros[GAP];

	for (; n; n -= n < GAP ? n : GAP)
		put(o, zeros, n < GAP ? n : GAP);
}

static void put_code(struct object *o, struct group *g)
{
	uint64_t at = g->address;

	g->offset = o->at;
	for (size_t i = g->first; g->has_code && i < g->end; i++) {
		const struct jit_symbol *s = &o->layout->symbols[i];

		put_zeros(o, s->start - at);
		put(o, s->code, s->end - s->start);
		at = s->end;
	}
}

static void put_symbols(struct object *o)
{
	Elf64_Sym sym = { 0 };

	put(o, &sym, sizeof(sym));
	for (size_t g = 0; g < o->nr; g++)
		for (size_t i = o->groups[g].first; i < o->groups[g].end; i++) {
			const struct jit_symbol *s = &o->layout->symbols[i];

			sym = (Elf64_Sym){
				.st_name = (uint32_t)(s->name + 1),
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = (uint16_t)(g + 1),
				.st_value = s->start,
				.st_size = s->end - s->start,
			};
			put(o, &sym, sizeof(sym));
		}
}

/* Each section gets a unique name, because readers look sections up by name. */
static void name_sections(const struct object *o, struct strbuf *names, uint32_t *at)
{
	strbuf_add_char(names, '\0');
	for (size_t g = 0; g < o->nr; g++) {
		at[g] = (uint32_t)names->len;
		strbuf_addf(names, g ? ".text.%zu" : ".text", g);
		strbuf_add_char(names, '\0');
	}
	at[o->nr] = (uint32_t)names->len;
	strbuf_add_bytes(names, ".symtab\0.strtab\0.shstrtab\0.debug_abbrev\0.debug_info\0"
			 ".debug_line", 64);
}

static void put_header(struct object *o, uint16_t machine, uint64_t sections)
{
	static const unsigned int one = 1;
	Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = machine ? machine : THIS_MACHINE,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(h),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shoff = sections,
		.e_shnum = (uint16_t)(o->nr + 4 + (o->debug.line.len ? 3 : 0)),
		.e_shstrndx = (uint16_t)(o->nr + 3),
	};

	put(o, &h, sizeof(h));
}

static void put_section(struct object *o, uint32_t name, uint32_t type, uint64_t offset,
			uint64_t size)
{
	Elf64_Shdr s = { .sh_name = name, .sh_type = type, .sh_offset = offset, .sh_size = size,
			 .sh_addralign = 1 };

	if (type == SHT_SYMTAB) {
		s.sh_link = (uint32_t)o->nr + 2;
		s.sh_info = 1;
		s.sh_entsize = sizeof(Elf64_Sym);
		s.sh_addralign = 8;
	}
	put(o, &s, sizeof(s));
}

static void put_code_section(struct object *o, const struct group *g, uint32_t name)
{
	Elf64_Shdr s = {
		.sh_name = name,
		.sh_type = g->has_code ? SHT_PROGBITS : SHT_NOBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = g->address,
		.sh_offset = g->offset,
		.sh_size = g->size,
		.sh_addralign = 1,
	};

	put(o, &s, sizeof(s));
}

/* Their contents follow each other from @offset on. */
static void put_debug_sections(struct object *o, uint32_t name, uint64_t offset)
{
	const struct jit_debug *d = &o->debug;

	if (!d->line.len)
		return;
	put_section(o, name, SHT_PROGBITS, offset, d->abbrev.len);
	put_section(o, name + 14, SHT_PROGBITS, offset + d->abbrev.len, d->info.len);
	put_section(o, name + 26, SHT_PROGBITS, offset + d->abbrev.len + d->info.len, d->line.len);
}

static void put_debug(struct object *o)
{
	put(o, o->debug.abbrev.text, o->debug.abbrev.len);
	put(o, o->debug.info.text, o->debug.info.len);
	put(o, o->debug.line.text, o->debug.line.len);
}

static void put_all(struct object *o, uint16_t machine, struct strbuf *names, uint32_t *name)
{
	uint64_t symbols, strings, section_names, debug, sections;

	put_header(o, machine, 0);
	for (size_t g = 0; g < o->nr; g++)
		put_code(o, &o->groups[g]);
	put_zeros(o, -o->at & 7);
	symbols = o->at;
	put_symbols(o);
	strings = o->at;
	put_zeros(o, 1);
	put(o, o->layout->names.text, o->layout->names.len);
	section_names = o->at;
	put(o, names->text, names->len);
	debug = o->at;
	put_debug(o);
	put_zeros(o, -o->at & 7);
	sections = o->at;
	put_section(o, 0, SHT_NULL, 0, 0);
	for (size_t g = 0; g < o->nr; g++)
		put_code_section(o, &o->groups[g], name[g]);
	put_section(o, name[o->nr], SHT_SYMTAB, symbols, strings - symbols);
	put_section(o, name[o->nr] + 8, SHT_STRTAB, strings, section_names - strings);
	put_section(o, name[o->nr] + 16, SHT_STRTAB, section_names, names->len);
	put_debug_sections(o, name[o->nr] + 26, debug);
	if (!o->err && fseeko(o->out, 0, SEEK_SET))
		o->err = -errno;
	put_header(o, machine, sections);
}

int jit_object_write(int fd, const struct jit_layout *layout, uint16_t machine)
{
	struct object o = { .layout = layout };
	struct strbuf names = STRBUF_INIT;
	uint32_t *name;
	int own = dup(fd);

	if (own < 0)
		return -errno;
	o.out = fdopen(own, "w");
	if (!o.out) {
		close(own);
		return -ENOMEM;
	}
	choose_groups(&o);
	jit_debug_make(layout, &o.debug);
	name = xcalloc(o.nr + 1, sizeof(*name));
	name_sections(&o, &names, name);
	put_all(&o, machine, &names, name);
	if (fclose(o.out) && !o.err)
		o.err = errno ? -errno : -EIO;
	free(name);
	free(o.groups);
	jit_debug_free(&o.debug);
	strbuf_free(&names);
	return o.err;
}
