/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_symbols.c - names of functions from the table that Go's runtime prints stack traces with
 *
 * Stripping cannot remove .gopclntab. It begins with a header, and has a list of functions by
 * address; each refers to a record with the offset of its name. Go 1.2, 1.16, 1.18 and 1.20 changed
 * the magic number and what the offsets count from. A malformed header means no table; a malformed
 * function is skipped.
 */
#include "pp/binary/private.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/binary/unpack.h"

enum go_version { GO_2, GO_16, GO_18, NOT_GO };

struct go_table {
	const struct object_file *f;
	const unsigned char *bytes;
	uint64_t size, vma;
	enum go_version version;
	unsigned int pointer;		/* bytes */
	uint64_t nr, text;		/* functions; address that GO_18's entries count from */
	uint64_t names, functions;	/* offsets */
};

static enum go_version version_of(uint32_t magic)
{
	switch (magic) {
	case 0xfffffffb:
		return GO_2;
	case 0xfffffffa:
		return GO_16;
	case 0xfffffff0:	/* 1.18 */
	case 0xfffffff1:	/* 1.20: the file table differs, which is not used here */
		return GO_18;
	}
	return NOT_GO;
}

static uint64_t pointer_at(const struct go_table *t, uint64_t at)
{
	return t->pointer == 8 ? object_get64(t->f, t->bytes + at)
			       : object_get32(t->f, t->bytes + at);
}

/* The addend of a relocation at @vma: a field that the dynamic linker fills in, in a PIE. */
static uint64_t relocated(const struct object_file *f, uint64_t vma)
{
	uint64_t value = 0;

	for (size_t i = 1; i < f->nr_sections && f->is_64 && !value; i++) {
		const struct object_section *s = &f->sections[i];
		unsigned char *table;
		size_t size;

		if (s->type != SHT_RELA || !(s->flags & SHF_ALLOC) || s->size > LARGEST_UNPACKED)
			continue;
		table = object_section_read(f, s, &size);
		for (size_t at = 0; table && at + 24 <= size && !value; at += 24)
			if (object_get64(f, table + at) == vma)
				value = object_get64(f, table + at + 16);
		free(table);
	}
	return value;
}

/* Where entries count from: 0 in later versions, which know it from elsewhere. */
static uint64_t text_of(const struct go_table *t, uint64_t field)
{
	const struct object_section *text = object_section_find(t->f, ".text");
	uint64_t vma = pointer_at(t, field);

	if (!vma)
		vma = relocated(t->f, t->vma + field);
	return vma || !text ? vma : text->addr;
}

static bool read_header(struct go_table *t)
{
	unsigned int word;

	if (t->size < 16)
		return false;
	t->version = version_of(object_get32(t->f, t->bytes));
	t->pointer = t->bytes[7];
	/* two zeros, and the unit of code addresses */
	if (t->version == NOT_GO || t->bytes[4] || t->bytes[5] ||
	    (t->bytes[6] != 1 && t->bytes[6] != 2 && t->bytes[6] != 4) ||
	    t->pointer != (t->f->is_64 ? 8 : 4) || t->size < 8 + 8 * t->pointer)
		return false;
	word = t->pointer;
	t->nr = pointer_at(t, 8);
	if (t->version == GO_2) {
		t->functions = 8 + word;
	} else if (t->version == GO_16) {
		t->names = pointer_at(t, 8 + 2 * word);
		t->functions = pointer_at(t, 8 + 6 * word);
	} else {
		t->names = pointer_at(t, 8 + 3 * word);
		t->functions = pointer_at(t, 8 + 7 * word);
	}
	if (t->names >= t->size || t->functions >= t->size)
		return false;
	if (t->version == GO_18)
		t->text = text_of(t, 8 + 2 * word);
	return true;
}

/* The length of an address, and of an offset, in the list of functions. */
static unsigned int field_size(const struct go_table *t)
{
	return t->version == GO_18 ? 4 : t->pointer;
}

static uint64_t field_at(const struct go_table *t, uint64_t at)
{
	return t->version == GO_18 ? object_get32(t->f, t->bytes + at) : pointer_at(t, at);
}

/* The name of the function whose record is at @offset of the records; NULL: malformed. */
static const char *name_at(const struct go_table *t, uint64_t offset)
{
	/* before 1.16 everything counts from the start of the table */
	uint64_t base = t->version == GO_2 ? 0 : t->functions, name;

	if (offset > t->size - base || t->size - base - offset < field_size(t) + 4)
		return NULL;
	name = object_get32(t->f, t->bytes + base + offset + field_size(t));
	return name < t->size - t->names ? (const char *)t->bytes + t->names + name : NULL;
}

static void add_function(struct binary *b, const struct code_sections *sections,
			 const struct go_table *t, uint64_t at)
{
	unsigned int field = field_size(t);
	uint64_t vma = t->text + field_at(t, at), size = field_at(t, at + 2 * field), room;
	const struct code_section *s = code_sections_find(sections, vma);
	const char *name = name_at(t, field_at(t, at + field));

	size -= vma - t->text;		/* the next one's address is this one's end */
	if (!s || !name || !*name)
		return;
	room = s->end - s->start - (vma - s->vma);
	xgrow(b->symbols, b->nr_symbols, b->symbols_room);
	b->symbols[b->nr_symbols++] = (struct code_symbol){
		.start = s->start + (vma - s->vma),
		.end = s->start + (vma - s->vma) + (size && size < room ? size : room),
		.vma = vma,
		.name = name,
		.section = (uint32_t)(s - b->sections),
		.rank = 64,
	};
}

/* False: none of them can be used. */
static bool add_functions(struct binary *b, const struct go_table *t)
{
	unsigned int entry = 2 * field_size(t);
	uint64_t room = (t->size - t->functions) / entry;
	struct code_sections sections;
	size_t before = b->nr_symbols;

	/* after the last function its end; a truncated list has only what is there */
	code_sections_make(b, &sections);
	for (uint64_t i = 0; i < t->nr && i + 1 < room; i++)
		add_function(b, &sections, t, t->functions + i * entry);
	code_sections_free(&sections);
	return b->nr_symbols > before;
}

/*
 * @anywhere: the table may lie anywhere in the section, as the system's linker puts it into a
 * larger one. The first valid header is taken for the table.
 */
static bool search_section(struct binary *b, const struct object_file *f,
			   const struct object_section *s, bool anywhere)
{
	size_t size, step = f->is_64 ? 8 : 4;
	unsigned char *bytes;
	bool has_header = false, found = false;

	if (!s || s->type == SHT_NOBITS || s->size > LARGEST_UNPACKED)
		return false;
	bytes = object_section_read(f, s, &size);
	if (!bytes)
		return false;
	for (size_t at = 0; at < size && !has_header && (anywhere || !at); at += step) {
		struct go_table t = { .f = f, .bytes = bytes + at, .size = size - at,
				      .vma = s->addr + at };

		has_header = read_header(&t);
		found = has_header && add_functions(b, &t);
	}
	if (found)
		binary_keep_strings(b, bytes);
	else
		free(bytes);
	return found;
}

bool go_symbols_add(struct binary *b, const struct object_file *f)
{
	static const char *const own[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	static const char *const shared[] = { ".data.rel.ro", ".rodata" };

	for (size_t i = 0; i < 2; i++)
		if (search_section(b, f, object_section_find(f, own[i]), false))
			return true;
	if (!object_section_find(f, ".go.buildinfo") &&
	    !object_section_find(f, ".note.go.buildid"))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (search_section(b, f, object_section_find(f, shared[i]), true))
			return true;
	return false;
}
