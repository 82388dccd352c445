/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_symbols.c - read code symbols from ELF symbol tables */
#include "pp/binary/private.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

struct raw_symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	uint8_t type, binding;
};

static void decode(const struct object_file *f, const unsigned char *p, struct raw_symbol *ret)
{
	uint8_t info = p[f->is_64 ? 4 : 12];

	ret->name = object_get32(f, p);
	ret->section = object_get16(f, p + (f->is_64 ? 6 : 14));
	ret->value = f->is_64 ? object_get64(f, p + 8) : object_get32(f, p + 4);
	ret->size = f->is_64 ? object_get64(f, p + 16) : object_get32(f, p + 8);
	ret->type = info & 15;
	ret->binding = info >> 4;
}

/* Markers of the assembler and the compiler, not names of code [SY-1]. */
static bool is_mark(const char *name)
{
	if (name[0] == '$' && name[1] && strchr("atdx", name[1]))
		return !name[2] || name[2] == '.';
	return (name[0] == '.' && name[1] == 'L') || !strcmp(name, "gcc2_compiled.");
}

/* Of two symbols at one address the one with the lower rank is kept [SY-2]. */
static uint8_t rank_of(const struct raw_symbol *raw, const char *name)
{
	uint8_t rank = 0;

	if (!strcmp(name, "Letext"))
		rank |= 16;
	if (name[0] == '?' && name[1] == '?')
		rank |= 8;
	if (raw->binding != STB_GLOBAL && raw->binding != STB_WEAK)
		rank |= 4;
	if (name[0] == '_')
		rank |= 2;
	if (raw->binding == STB_WEAK)
		rank |= 1;
	return rank;
}

struct named_index {
	const char *name;
	uint32_t index;
};

static int compare_named(const void *a, const void *b)
{
	const struct named_index *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* For each section of @f, the index of the binary's code section, or NO_SECTION. */
static uint32_t *map_sections(const struct binary *b, const struct object_file *f)
{
	uint32_t *map = xcalloc(f->nr_sections + 1, sizeof(*map));
	struct named_index *ours = xcalloc(b->nr_sections + 1, sizeof(*ours));

	for (size_t i = 0; i < b->nr_sections; i++)
		ours[i] = (struct named_index){ b->sections[i].name, i };
	qsort(ours, b->nr_sections, sizeof(*ours), compare_named);
	for (size_t i = 0; i < f->nr_sections; i++) {
		const struct object_section *s = &f->sections[i];
		size_t low = first_not(b->nr_sections, k, strcmp(ours[k].name, s->name) < 0);

		map[i] = s->flags & SHF_EXECINSTR && low < b->nr_sections &&
			 !strcmp(ours[low].name, s->name) ? ours[low].index : NO_SECTION;
	}
	free(ours);
	return map;
}

static void add_symbol(struct binary *b, const struct raw_symbol *raw, const char *name,
		       uint64_t offset, uint32_t section, bool sizes)
{
	const struct code_section *place = &b->sections[section];
	uint64_t room = place->end - place->start - offset;

	xgrow(b->symbols, b->nr_symbols, b->symbols_room);
	b->symbols[b->nr_symbols++] = (struct code_symbol){
		.start = place->start + offset,
		.end = sizes && raw->size ? place->start + offset +
			(raw->size < room ? raw->size : room) : 0,
		.vma = place->vma + offset,
		.name = name,
		.section = section,
		.rank = rank_of(raw, name),
		.is_label = sizes && !raw->size && raw->type == STT_NOTYPE,
	};
}

static void add_table(struct binary *b, const struct object_file *f, const unsigned char *table,
		      size_t size, const char *strings, size_t strings_size, bool sizes)
{
	size_t entry = f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint32_t *map = map_sections(b, f);

	for (size_t at = entry; at + entry <= size; at += entry) {
		struct raw_symbol raw;
		const char *name;
		uint64_t offset, end;
		uint32_t section;

		decode(f, table + at, &raw);
		if (raw.section == SHN_UNDEF || raw.section >= f->nr_sections ||
		    raw.type == STT_SECTION || raw.type == STT_FILE || raw.name >= strings_size)
			continue;
		section = map[raw.section];
		name = strings + raw.name;
		if (section == NO_SECTION || !*name || is_mark(name))
			continue;
		offset = raw.value;
		if (f->type != ET_REL)
			offset -= f->sections[raw.section].addr;
		/* no code is past the end; the original has labels there, which are last */
		end = b->sections[section].end - b->sections[section].start;
		if (offset < end + b->files->is_compat)
			add_symbol(b, &raw, name, offset, section, sizes);
	}
	free(map);
}

bool elf_symbols_add(struct binary *b, const struct object_file *f, uint32_t type, bool sizes)
{
	size_t before = b->nr_symbols;

	for (size_t i = 1; i < f->nr_sections; i++) {
		const struct object_section *s = &f->sections[i];
		unsigned char *table, *strings;
		size_t size, strings_size;

		if (s->type != type || s->link >= f->nr_sections)
			continue;
		table = object_section_read(f, s, &size);
		strings = object_section_read(f, &f->sections[s->link], &strings_size);
		if (table && strings) {
			add_table(b, f, table, size, (char *)strings, strings_size, sizes);
			binary_keep_strings(b, strings);
		} else {
			free(strings);
		}
		free(table);
		break;		/* there is at most one */
	}
	return b->nr_symbols > before;
}
