// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - write the functions of an image as an object file, for reports without the binary
 *
 * It has no code. A function extends from its first place in the profile to its last one before
 * those of the next function; places that the profile does not have are in no function [IM-3].
 */
#include "pp/exchange/import/images.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/radix_sort.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define NR_SECTIONS	6		/* the null one, code, note, symbols, two of strings */

struct object {
	struct strbuf symbols, strings;
	uint64_t low, high;		/* of the code */
	size_t nr;
};

/* Places of the image that have a name, sorted by key. */
static struct radix_item *sorted_places(const struct profile *p, const struct import_images *m,
					uint32_t image, size_t *ret_nr)
{
	uint32_t first = image ? m->ends[image - 1] : 0, end = m->ends[image];
	struct radix_item *items = xcalloc((size_t)(end - first) + 1, sizeof(*items));
	size_t nr = 0;

	for (uint32_t i = first; i < end; i++) {
		uint32_t place = m->by_image[i];
		uint64_t key = import_place(p, m, place).key;

		if (*import_function(p, place) && key < UINT64_MAX)
			items[nr++] = (struct radix_item){ key, place };
	}
	*ret_nr = nr;
	return radix_sorted(items, nr);
}

static void add_symbol(struct object *o, const char *name, uint64_t start, uint64_t end)
{
	const Elf64_Sym symbol = {
		.st_name = (uint32_t)o->strings.len,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = start,
		.st_size = end - start,
	};

	strbuf_add_bytes(&o->symbols, &symbol, sizeof(symbol));
	strbuf_add_bytes(&o->strings, name, strlen(name) + 1);
	if (!o->nr++)
		o->low = start;
	o->high = end;
}

static void add_symbols(struct object *o, const struct profile *p,
			const struct import_images *m, uint32_t image)
{
	const Elf64_Sym none = { 0 };
	size_t nr, next;
	struct radix_item *places = sorted_places(p, m, image, &nr);

	strbuf_add_bytes(&o->symbols, &none, sizeof(none));
	strbuf_add_char(&o->strings, '\0');
	for (size_t i = 0; i < nr; i = next) {
		const char *name = import_function(p, (uint32_t)places[i].value);

		/* of two functions at one place the first one is used */
		for (next = i + 1; next < nr; next++)
			if (places[next].key != places[next - 1].key &&
			    strcmp(import_function(p, (uint32_t)places[next].value), name))
				break;
		add_symbol(o, name, places[i].key, places[next - 1].key + 1);
	}
	free(places);
}

static void add_note(struct strbuf *out, const char *build_id)
{
	const uint32_t header[3] = { 4, (uint32_t)strlen(build_id) / 2, 3 };
	char digits[3] = "";

	strbuf_add_bytes(out, header, sizeof(header));
	strbuf_add_bytes(out, "GNU", 4);
	for (; *build_id; build_id += 2) {
		memcpy(digits, build_id, 2);
		strbuf_add_char(out, (char)strtoul(digits, NULL, 16));
	}
	while (out->len % 8)
		strbuf_add_char(out, '\0');
}

static const char section_names[] = "\0.text\0.note.gnu.build-id\0.symtab\0.strtab\0.shstrtab";

static Elf64_Shdr section(uint32_t name, uint32_t type, uint64_t offset, uint64_t size)
{
	return (Elf64_Shdr){ .sh_name = name, .sh_type = type, .sh_offset = offset,
			     .sh_size = size, .sh_addralign = type == SHT_SYMTAB ? 8 : 1 };
}

/* The section of the code has its addresses; its bytes are not in the file. */
static void add_sections(struct strbuf *out, const struct object *o, uint64_t note,
			 uint64_t note_size, uint64_t symbols)
{
	uint64_t strings = symbols + o->symbols.len, names = strings + o->strings.len;
	Elf64_Shdr s[NR_SECTIONS] = {
		[1] = section(1, SHT_PROGBITS, o->low, o->high - o->low),
		[2] = section(7, SHT_NOTE, note, note_size),
		[3] = section(26, SHT_SYMTAB, symbols, o->symbols.len),
		[4] = section(34, SHT_STRTAB, strings, o->strings.len),
		[5] = section(42, SHT_STRTAB, names, sizeof(section_names)),
	};

	s[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	s[1].sh_addr = o->low;
	s[2].sh_addralign = 4;
	s[3].sh_link = 4;
	s[3].sh_info = 1;
	s[3].sh_entsize = sizeof(Elf64_Sym);
	strbuf_add_bytes(out, s, sizeof(s));
}

static void add_header(struct strbuf *out, uint64_t sections)
{
	static const unsigned int one = 1;
	const Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(h),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shoff = sections,
		.e_shnum = NR_SECTIONS,
		.e_shstrndx = NR_SECTIONS - 1,
	};

	strbuf_add_bytes(out, &h, sizeof(h));
}

int import_names_write(const struct profile *p, const struct import_images *m, uint32_t image,
		       const char *path)
{
	struct strbuf note = STRBUF_INIT, out = STRBUF_INIT;
	struct object o = { .symbols = STRBUF_INIT, .strings = STRBUF_INIT };
	uint64_t at;
	int err = 0;

	add_symbols(&o, p, m, image);
	if (o.nr) {
		add_note(&note, m->images[image].build_id);
		at = sizeof(Elf64_Ehdr) + NR_SECTIONS * sizeof(Elf64_Shdr);
		add_header(&out, sizeof(Elf64_Ehdr));
		add_sections(&out, &o, at, note.len, at + note.len);
		strbuf_add_bytes(&out, note.text, note.len);
		strbuf_add_bytes(&out, o.symbols.text, o.symbols.len);
		strbuf_add_bytes(&out, o.strings.text, o.strings.len);
		strbuf_add_bytes(&out, section_names, sizeof(section_names));
		err = file_write_atomic(path, out.text, out.len, 0644);
		if (!err)
			err = 1;
	}
	strbuf_free(&note);
	strbuf_free(&out);
	strbuf_free(&o.symbols);
	strbuf_free(&o.strings);
	return err;
}
