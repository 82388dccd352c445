/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dynamic_symbols.c - the exported functions of a stripped binary
 *
 * Between two exported functions there is code of others, so here a symbol's own size counts.
 * libbfd does not give it out; the section is therefore read as it is.
 */
#include "binary_bfd.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

#define STT_NOTYPE	0
#define STT_FUNC	2
#define STT_GNU_IFUNC	10
#define STB_LOCAL	0
#define STB_WEAK	2

struct raw_symbol {
	uint64_t name, value, size;
	unsigned int type, binding;
};

/* The contents with a NUL after them, or NULL; *ret_size without it. */
static char *section_contents(bfd *image, const char *name, size_t *ret_size)
{
	asection *s = bfd_get_section_by_name(image, name);
	bfd_byte *bytes = NULL;
	char *text;

	/* libbfd refuses a size that the file does not have */
	if (!s || !(s->flags & SEC_HAS_CONTENTS) || !bfd_malloc_and_get_section(image, s, &bytes)) {
		free(bytes);
		return NULL;
	}
	*ret_size = bfd_section_size(s);
	text = xmalloc(*ret_size + 1);
	memcpy(text, bytes, *ret_size);
	text[*ret_size] = '\0';
	free(bytes);
	return text;
}

static void decode(bfd *image, bool is_64, const char *at, struct raw_symbol *ret)
{
	const bfd_byte *p = (const bfd_byte *)at;
	unsigned int info = p[is_64 ? 4 : 12];

	ret->name = bfd_get_32(image, p);
	ret->value = is_64 ? bfd_get_64(image, p + 8) : bfd_get_32(image, p + 4);
	ret->size = is_64 ? bfd_get_64(image, p + 16) : bfd_get_32(image, p + 8);
	ret->type = info & 15;
	ret->binding = info >> 4;
}

static uint32_t section_of_vma(const struct binary *b, bfd *image, uint64_t vma)
{
	for (uint32_t i = 0; i < b->nr_sections; i++) {
		const struct code_section *s = &b->sections[i];
		asection *bs;

		if (vma < s->vma || vma - s->vma >= s->end - s->start)
			continue;
		bs = bfd_get_section_by_name(image, s->name);
		return bs && bs->flags & SEC_CODE ? i : UINT32_MAX;
	}
	return UINT32_MAX;
}

static void add_symbol(struct binary *b, bfd *image, const struct raw_symbol *raw, const char *name)
{
	const struct code_section *s;
	uint32_t section;
	uint64_t offset, size;

	if (raw->type != STT_FUNC && raw->type != STT_GNU_IFUNC && raw->type != STT_NOTYPE)
		return;
	section = section_of_vma(b, image, raw->value);
	if (section == UINT32_MAX || !*name)
		return;
	s = &b->sections[section];
	offset = raw->value - s->vma;
	size = s->end - s->start;
	xgrow(b->symbols, b->nr_symbols, b->symbols_room);
	b->symbols[b->nr_symbols++] = (struct code_symbol){
		.start = s->start + offset,
		.end = raw->size <= size - offset ? s->start + offset + raw->size : s->end,
		.vma = raw->value,
		.name = name,
		.section = section,
		.rank = (raw->binding == STB_LOCAL) << 2 | (*name == '_') << 1 |
			(raw->binding == STB_WEAK),
	};
}

void dynamic_symbols_add(struct binary *b, bfd *image)
{
	bool is_64 = bfd_get_arch_size(image) == 64;
	size_t entry = is_64 ? 24 : 16, size = 0, strings_size = 0;
	char *table = section_contents(image, ".dynsym", &size);

	b->files->strings = section_contents(image, ".dynstr", &strings_size);
	if (table && b->files->strings) {
		for (size_t at = entry; at + entry <= size; at += entry) {
			struct raw_symbol raw;

			decode(image, is_64, table + at, &raw);
			if (raw.name < strings_size)
				add_symbol(b, image, &raw, b->files->strings + raw.name);
		}
	}
	free(table);
}
