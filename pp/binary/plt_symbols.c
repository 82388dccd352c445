/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt_symbols.c - names for the entries of the procedure linkage table
 *
 * They are in no symbol table. Each entry jumps through a slot of the global offset table, and the
 * relocation of that slot names the function; so the jump instructions are decoded.
 */
#include "pp/binary/private.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/radix_sort.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define LARGEST_TABLE	(16 * 1024 * 1024)	/* bytes of relocations, in all sections */
#define LARGEST_CODE	(4 * 1024 * 1024)	/* bytes of a section's entries */
#define MOST_NAMES	(16 * 1024 * 1024)	/* bytes; a table may repeat a long name */

/* An entry of the table. */
struct entry {
	uint32_t section, size;		/* its place in the binary's section */
	uint64_t offset;
	uint64_t slot;			/* address */
	uint32_t symbol;		/* index in .dynsym; 0: not known */
};

struct entries {
	struct entry *list;
	size_t nr, room;
	struct radix_item *slots;	/* by address, with the index in list */
};

/* Of the many relocations of a library few are of slots. Only the first entry of one is told. */
static void note_relocation(struct entries *e, uint64_t address, uint32_t symbol)
{
	size_t i;

	if (address < e->slots[0].key || address > e->slots[e->nr - 1].key)
		return;
	i = first_not(e->nr, k, e->slots[k].key < address);
	if (e->slots[i].key == address)
		e->list[e->slots[i].value].symbol = symbol;
}

/* In pieces: they can be the largest part of a library that is read. */
static void read_relocations(struct entries *e, const struct object_file *f,
			     const struct object_section *s)
{
	size_t size = (f->is_64 ? 16 : 8) + (s->type == SHT_RELA ? (f->is_64 ? 8 : 4) : 0);
	unsigned char piece[512 * 24];
	uint64_t left = s->size / size, offset = s->offset;

	while (left) {
		size_t nr = left < 512 ? left : 512;

		if (object_file_read(f, offset, piece, nr * size))
			return;
		for (size_t i = 0; i < nr; i++) {
			const unsigned char *p = piece + i * size;
			uint32_t symbol = f->is_64 ? object_get64(f, p + 8) >> 32
						   : object_get32(f, p + 4) >> 8;

			if (symbol)
				note_relocation(e, f->is_64 ? object_get64(f, p)
							    : object_get32(f, p), symbol);
		}
		offset += nr * size;
		left -= nr;
	}
}

static void find_symbols(struct entries *e, const struct object_file *f, uint32_t dynsym)
{
	uint64_t left = LARGEST_TABLE;

	e->slots = xcalloc(e->nr + 1, sizeof(*e->slots));
	for (size_t i = 0; i < e->nr; i++)
		e->slots[i] = (struct radix_item){ e->list[i].slot, i };
	e->slots = radix_sorted(e->slots, e->nr);
	for (size_t i = 1; i < f->nr_sections; i++) {
		const struct object_section *s = &f->sections[i];

		if ((s->type == SHT_RELA || s->type == SHT_REL) && s->link == dynsym &&
		    s->flags & SHF_ALLOC && s->size <= left) {
			left -= s->size;
			read_relocations(e, f, s);
		}
	}
	for (size_t i = 1; i < e->nr; i++)
		if (e->slots[i].key == e->slots[i - 1].key)
			e->list[e->slots[i].value].symbol = e->list[e->slots[i - 1].value].symbol;
}

/* x86: "jmp *SLOT(%rip)" or "jmp *SLOT", maybe after endbr or with a bnd prefix. */
static bool x86_slot(const struct object_file *f, const unsigned char *code, size_t size,
		     uint64_t vma, uint64_t *ret)
{
	for (size_t i = 0; i + 6 <= size; i++) {
		int32_t offset;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		offset = (int32_t)object_get32(f, code + i + 2);
		*ret = f->machine == EM_X86_64 ? vma + i + 6 + offset : (uint32_t)offset;
		return true;
	}
	return false;
}

/* arm64: "adrp x16, PAGE; ldr x17, [x16, #OFFSET]", maybe after bti. */
static bool arm64_slot(const struct object_file *f, const unsigned char *code, size_t size,
		       uint64_t vma, uint64_t *ret)
{
	for (size_t i = 0; i + 8 <= size; i += 4) {
		uint32_t adrp = object_get32(f, code + i), ldr = object_get32(f, code + i + 4);
		uint64_t pages;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		pages = (adrp >> 29 & 3) | (adrp >> 3 & 0x1ffffc);
		if (pages & 0x100000)
			pages |= ~UINT64_C(0x1fffff);
		*ret = ((vma + i) & ~UINT64_C(0xfff)) + (pages << 12) +
		       ((ldr >> 10 & 0xfff) << 3);
		return true;
	}
	return false;
}

static bool entry_slot(const struct object_file *f, const unsigned char *code, size_t size,
		       uint64_t vma, uint64_t *ret)
{
	switch (f->machine) {
	case EM_X86_64:
	case EM_386:
		return x86_slot(f, code, size, vma, ret);
	case EM_AARCH64:
		return arm64_slot(f, code, size, vma, ret);
	default:
		return false;
	}
}

/* Names one after the other, each with its NUL; symbols have offsets until all are added. */
struct names {
	struct strbuf text;
	const struct object_file *f;
	unsigned char *symbols, *strings;
	size_t symbols_size, strings_size;
};

static bool add_name(struct names *n, uint32_t symbol)
{
	size_t entry = n->f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint32_t name;

	if (!symbol || symbol >= n->symbols_size / entry)
		return false;
	name = object_get32(n->f, n->symbols + symbol * entry);
	if (name >= n->strings_size || !n->strings[name] || n->text.len > MOST_NAMES)
		return false;
	strbuf_addf(&n->text, "%s@plt", n->strings + name);
	strbuf_add_char(&n->text, '\0');
	return true;
}

static void add_symbol(struct binary *b, const struct entry *e, size_t name)
{
	const struct code_section *s = &b->sections[e->section];

	xgrow(b->symbols, b->nr_symbols, b->symbols_room);
	b->symbols[b->nr_symbols++] = (struct code_symbol){
		.start = s->start + e->offset,
		.end = s->start + e->offset + e->size,
		.vma = s->vma + e->offset,
		.name = (const char *)(uintptr_t)name,	/* an offset until finish_names() */
		.section = e->section,
		.rank = 32,
	};
}

static void add_entries(struct entries *e, const struct object_file *f,
			const struct object_section *s, uint32_t section)
{
	/* x86's .plt.got has 8 bytes for each, or 16 if it begins with endbr */
	bool is_short = !strcmp(s->name, ".plt.got") && f->machine != EM_AARCH64;
	size_t size, step;
	unsigned char *code = s->size <= LARGEST_CODE ? object_section_read(f, s, &size) : NULL;

	for (size_t at = 0; code && at < size; at += step) {
		uint64_t slot;

		step = is_short && code[at] != 0xf3 ? 8 : 16;
		if (at + step > size || !entry_slot(f, code + at, step, s->addr + at, &slot))
			continue;
		xgrow(e->list, e->nr, e->room);
		e->list[e->nr++] = (struct entry){ section, (uint32_t)step, at, slot, 0 };
	}
	free(code);
}

/* Move the names to their final memory and point the symbols there. */
static void finish_names(struct binary *b, size_t first, struct names *names)
{
	size_t size = names->text.len;
	char *text;

	if (b->nr_symbols == first) {
		strbuf_free(&names->text);
		return;
	}
	text = xmalloc(size);
	memcpy(text, names->text.text, size);
	strbuf_free(&names->text);
	for (size_t i = first; i < b->nr_symbols; i++)
		b->symbols[i].name = text + (uintptr_t)b->symbols[i].name;
	binary_keep_strings(b, (unsigned char *)text);
}

/* The first section of that name, as object_section_find(); or NO_SECTION. */
static uint32_t find_section(const struct binary *b, const char *name)
{
	for (uint32_t i = 0; i < b->nr_sections; i++)
		if (!strcmp(b->sections[i].name, name))
			return i;
	return NO_SECTION;
}

/* Each of these names once: a file may have any number of sections that share their bytes. */
void plt_symbols_add(struct binary *b, const struct object_file *f)
{
	static const char *const tables[] = { ".plt", ".plt.sec", ".plt.got" };
	struct names names = { .text = STRBUF_INIT, .f = f };
	struct entries entries = { 0 };
	size_t first = b->nr_symbols;
	uint32_t dynsym = 1;

	while (dynsym < f->nr_sections && f->sections[dynsym].type != SHT_DYNSYM)
		dynsym++;
	if (dynsym >= f->nr_sections || f->sections[dynsym].link >= f->nr_sections)
		return;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct object_section *s = object_section_find(f, tables[i]);
		uint32_t section = find_section(b, tables[i]);

		if (s && section != NO_SECTION &&
		    s->size == b->sections[section].end - b->sections[section].start)
			add_entries(&entries, f, s, section);
	}
	if (!entries.nr)
		return;
	find_symbols(&entries, f, dynsym);
	names.symbols = object_section_read(f, &f->sections[dynsym], &names.symbols_size);
	names.strings = object_section_read(f, &f->sections[f->sections[dynsym].link],
					    &names.strings_size);
	for (size_t i = 0; i < entries.nr && names.symbols && names.strings; i++) {
		size_t name = names.text.len;

		if (add_name(&names, entries.list[i].symbol))
			add_symbol(b, &entries.list[i], name);
	}
	finish_names(b, first, &names);
	free(names.symbols);
	free(names.strings);
	free(entries.slots);
	free(entries.list);
}
