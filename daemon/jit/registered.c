// SPDX-License-Identifier: GPL-2.0-or-later
/* registered.c - symbols of what a process registered for debuggers [JT-65] */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/code.h"
#include "libutil/elf_file.h"
#include "libutil/opener/registered.h"

#define SECTIONS_MAX	65536

struct image {
	struct elf_file file;
	const unsigned char *bytes;
	struct elf_section *sections;
	size_t nr;
};

static bool is_inside(const struct image *i, const struct elf_section *s)
{
	return s->offset <= i->file.size && s->size <= i->file.size - s->offset;
}

static void add_symbol(struct jit_code *c, const struct image *i, const Elf64_Sym *symbol,
		       const char *names, size_t names_size, uint64_t birth)
{
	uint32_t name = elf_file_u32(&i->file, &symbol->st_name);
	uint16_t section = elf_file_u16(&i->file, &symbol->st_shndx);
	struct jit_block b = { .start = elf_file_u64(&i->file, &symbol->st_value),
			       .size = elf_file_u64(&i->file, &symbol->st_size),
			       .birth = birth, .death = JIT_FOREVER };

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || section == SHN_UNDEF || !b.size)
		return;
	if (i->file.type == ET_REL && section < i->nr)
		b.start += i->sections[section].addr;
	if (name < names_size)
		jit_code_add(c, &b, names + name, strnlen(names + name, names_size - name));
	else
		c->dropped++;
}

static void add_table(struct jit_code *c, const struct image *i, const struct elf_section *table,
		      uint64_t birth)
{
	const struct elf_section *strings;
	Elf64_Sym symbol;

	if (table->type != SHT_SYMTAB || table->link >= i->nr)
		return;
	strings = &i->sections[table->link];
	if (!is_inside(i, table) || !is_inside(i, strings)) {
		c->dropped++;
		return;
	}
	for (uint64_t at = 0; at + sizeof(symbol) <= table->size; at += sizeof(symbol)) {
		memcpy(&symbol, i->bytes + table->offset + at, sizeof(symbol));
		add_symbol(c, i, &symbol, (const char *)i->bytes + strings->offset, strings->size,
			   birth);
	}
}

static void add_image(struct jit_code *c, const unsigned char *bytes, size_t len, uint64_t birth)
{
	struct image i = { .bytes = bytes };

	if (elf_file_open_memory(bytes, len, &i.file) || !i.file.is_64 ||
	    elf_file_sections(&i.file, SECTIONS_MAX, &i.sections, &i.nr)) {
		c->dropped++;
		return;
	}
	for (size_t s = 0; s < i.nr; s++)
		add_table(c, &i, &i.sections[s], birth);
	free(i.sections);
}

/* The code follows the head, and then the name. */
static void add_blob(struct jit_code *c, const struct registered_blob *blob,
		     const unsigned char *image, size_t len)
{
	const size_t name = sizeof(*blob) + blob->size;

	jit_code_add(c, &(struct jit_block){ .start = blob->start, .size = blob->size, .birth = 1,
					     .death = JIT_FOREVER, .code = image + sizeof(*blob) },
		     (const char *)image + name, len - name);
}

bool jit_read_registered(const void *bytes, size_t len, struct jit_code *c)
{
	const unsigned char *image;
	struct registered_head head;
	struct registered_blob blob;
	size_t at = 0, size;
	uint64_t nr = 0;

	if (len < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	if (head.magic != REGISTERED_MAGIC)
		return false;
	/* new ones are put first into the list */
	while ((image = registered_next(bytes, len, &at, &size)))
		if (registered_is_blob(image, size, &blob))
			add_blob(c, &blob, image, size);
		else
			add_image(c, image, size,
				  REGISTERED_IMAGES_MAX - nr++ % REGISTERED_IMAGES_MAX);
	c->dropped += head.missing != 0;
	return true;
}
