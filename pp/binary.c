/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.c - code symbols through libbfd
 *
 * A debug file has the symbols but not the code, so its places mean nothing: sections are matched
 * by name and a symbol's place is taken from the image's own section [SY-8].
 */
#include "binary_bfd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"
#include "xalloc.h"

#define NO_SECTION UINT32_MAX

static void quiet(const char *format, va_list args)
{
	(void)format;
	(void)args;
}

bfd *binary_bfd_open(const char *path, int *ret_err, struct op_error *e)
{
	struct stat st;
	bfd *abfd;

	bfd_init();
	bfd_set_error_handler(quiet);	/* damaged files are told by us, once */
	if (stat(path, &st) < 0) {
		*ret_err = op_error_set(e, -errno, "%s", strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		*ret_err = op_error_set(e, -ENOEXEC, "it is not a regular file");
		return NULL;
	}
	abfd = bfd_openr(path, NULL);
	if (!abfd) {
		*ret_err = op_error_set(e, -EIO, "%s", bfd_errmsg(bfd_get_error()));
		return NULL;
	}
	if (!bfd_check_format(abfd, bfd_object)) {
		*ret_err = op_error_set(e, -ENOEXEC, "it is not an object file: %s",
					bfd_errmsg(bfd_get_error()));
		bfd_close(abfd);
		return NULL;
	}
	return abfd;
}

/* What is mapped from the file. Sections that reach past 2^64 are somebody's joke. */
static void add_sections(struct binary *b, bfd *image)
{
	for (asection *s = image->sections; s; s = s->next) {
		uint64_t size = bfd_section_size(s), start = (uint64_t)s->filepos;

		if (!(s->flags & SEC_ALLOC) || !(s->flags & SEC_HAS_CONTENTS) || !size)
			continue;
		if (start + size < start)
			continue;
		xgrow(b->sections, b->nr_sections, b->sections_room);
		b->sections[b->nr_sections++] = (struct code_section){
			.start = start,
			.end = start + size,
			.vma = bfd_section_vma(s),
			.name = bfd_section_name(s),
		};
		if (!strcmp(bfd_section_name(s), ".text"))
			b->key_base = start;
	}
}

static uint32_t find_section(const struct binary *b, const char *name)
{
	for (size_t i = 0; i < b->nr_sections; i++)
		if (!strcmp(b->sections[i].name, name))
			return i;
	return NO_SECTION;
}

/* Index of our section for each of @abfd's, NO_SECTION for those that hold no code. */
static uint32_t *map_sections(const struct binary *b, bfd *abfd)
{
	uint32_t *map = xcalloc(bfd_count_sections(abfd) + 1, sizeof(*map));

	for (asection *s = abfd->sections; s; s = s->next)
		map[s->index] = s->flags & SEC_CODE ? find_section(b, bfd_section_name(s))
						    : NO_SECTION;
	return map;
}

/* Marks of the assembler and the compiler, not names of code [SY-1]. */
static bool is_label(const char *name)
{
	if (name[0] == '$' && name[1] && strchr("atdx", name[1]))
		return !name[2] || name[2] == '.';
	return (name[0] == '.' && name[1] == 'L') || !strcmp(name, "gcc2_compiled.");
}

/* How little a name says of what runs there; of two at one address the lower is kept [SY-2]. */
static uint8_t symbol_rank(const asymbol *s)
{
	uint8_t rank = 0;

	if (!strcmp(s->name, "Letext"))
		rank |= 16;
	if (s->name[0] == '?' && s->name[1] == '?')
		rank |= 8;
	if (!(s->flags & (BSF_GLOBAL | BSF_WEAK)))
		rank |= 4;
	if (s->name[0] == '_')
		rank |= 2;
	if (s->flags & BSF_WEAK)
		rank |= 1;
	return rank;
}

static void add_symbol(struct binary *b, const asymbol *s, uint32_t section)
{
	const struct code_section *place = &b->sections[section];

	if (s->value >= place->end - place->start)
		return;		/* past the end: no code is there */
	xgrow(b->symbols, b->nr_symbols, b->symbols_room);
	b->symbols[b->nr_symbols++] = (struct code_symbol){
		.start = place->start + s->value,
		.vma = place->vma + s->value,
		.name = s->name,
		.section = section,
		.rank = symbol_rank(s),
	};
}

/* Without it libbfd answers from the symbol table's file names, always line 0. */
static bool has_lines(bfd *abfd)
{
	return bfd_get_section_by_name(abfd, ".debug_info") ||
	       bfd_get_section_by_name(abfd, ".zdebug_info");
}

/* True if @abfd had a symbol table with code symbols. */
static bool add_symbols(struct binary *b, bfd *abfd)
{
	long size = bfd_get_file_flags(abfd) & HAS_SYMS ? bfd_get_symtab_upper_bound(abfd) : 0;
	uint32_t *map;
	asymbol **table;
	long nr;

	if (size <= (long)sizeof(*table))
		return false;
	table = malloc(size);	/* libbfd has checked it against the file's size */
	nr = table ? bfd_canonicalize_symtab(abfd, table) : 0;
	if (nr <= 0) {
		free(table);
		return false;
	}
	map = map_sections(b, abfd);
	for (long i = 0; i < nr; i++) {
		const asymbol *s = table[i];
		uint32_t section;

		if (!s->section || s->section->owner != abfd || !s->name || !*s->name)
			continue;
		if (s->flags & (BSF_SECTION_SYM | BSF_FILE) || is_label(s->name))
			continue;
		section = map[s->section->index];
		if (section != NO_SECTION)
			add_symbol(b, s, section);
	}
	free(map);
	b->files->table = table;
	b->files->symbols_from = abfd;
	if (b->nr_symbols)
		return true;
	free(b->files->table);
	b->files->table = NULL;
	b->files->symbols_from = NULL;
	return false;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct code_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* A symbol without a size reaches to the next one in its section, or the section's end [SY-3]. */
static void set_ends(struct binary *b)
{
	for (size_t i = 0; i < b->nr_symbols; i++) {
		struct code_symbol *s = &b->symbols[i];
		uint64_t end = s->section == NO_SECTION ? UINT64_MAX : b->sections[s->section].end;

		if (i + 1 < b->nr_symbols && b->symbols[i + 1].start < end)
			end = b->symbols[i + 1].start;
		if (s->end <= s->start || s->end > end)
			s->end = end;
	}
}

void binary_finish(struct binary *b)
{
	size_t kept = 0;

	if (!b->nr_symbols)
		return;
	for (size_t i = 0; i < b->nr_symbols; i++)
		b->symbols[i].order = i;
	qsort(b->symbols, b->nr_symbols, sizeof(*b->symbols), compare_symbols);
	for (size_t i = 0; i < b->nr_symbols; i++) {
		if (kept && b->symbols[kept - 1].start == b->symbols[i].start) {
			if (b->symbols[kept - 1].end < b->symbols[i].end)
				b->symbols[kept - 1].end = b->symbols[i].end;
			continue;
		}
		b->symbols[kept++] = b->symbols[i];
	}
	b->nr_symbols = kept;
	set_ends(b);
}

int binary_open(const char *path, const struct binary_options *options, struct binary *ret,
		struct op_error *e)
{
	struct binary b = { 0 };
	int err = 0;
	bfd *image = binary_bfd_open(path, &err, e);

	if (!image)
		return err;
	b.files = xcalloc(1, sizeof(*b.files));
	b.files->image = image;
	add_sections(&b, image);
	if (!options->is_kernel)
		b.key_base = 0;
	if (!add_symbols(&b, image)) {
		b.files->debug = debug_file_open(image, path, options->root);
		if (b.files->debug)
			add_symbols(&b, b.files->debug);
	}
	if (!b.nr_symbols && options->use_dynamic) {
		dynamic_symbols_add(&b, image);
		b.is_sized = true;
	}
	binary_finish(&b);
	*ret = b;
	return 0;
}

#define LONGEST_LONE_SYMBOL	0x10000	/* of text that belongs to no part, such as BPF programs */

void binary_from_snapshot(const struct kernel_part *part, struct binary *ret)
{
	struct binary b = { 0 };
	uint64_t base = *part->name ? 0 : part->start;	/* modules: offsets from their start */
	uint64_t size = part->end > part->start ? part->end - part->start : 0;

	xgrow(b.sections, b.nr_sections, b.sections_room);
	b.sections[b.nr_sections++] = (struct code_section){
		.start = base,
		.end = base + size,
		.vma = part->start,
		.name = *part->name ? part->name : "kernel",
	};
	b.symbols = xcalloc(part->nr_symbols + 1, sizeof(*b.symbols));
	for (size_t i = 0; i < part->nr_symbols; i++) {
		const struct kernel_symbol *s = &part->symbols[i];
		bool is_inside = s->address - base < size;
		uint64_t end = s->address + LONGEST_LONE_SYMBOL;

		b.symbols[b.nr_symbols++] = (struct code_symbol){
			.start = s->address,
			.end = is_inside ? 0 : end < s->address ? UINT64_MAX : end,
			.vma = s->address - base + part->start,
			.name = s->name,
			.section = is_inside ? 0 : NO_SECTION,
			.rank = (s->type == 't') << 2 | (s->name[0] == '_') << 1 |
				(s->type == 'W' || s->type == 'w'),
		};
	}
	binary_finish(&b);
	*ret = b;
}

void binary_close(struct binary *b)
{
	if (b->files) {
		free(b->files->table);
		free(b->files->strings);
		if (b->files->debug)
			bfd_close(b->files->debug);
		bfd_close(b->files->image);
		free(b->files);
	}
	free(b->symbols);
	free(b->sections);
	*b = (struct binary){ 0 };
}

bool binary_line(const struct binary *b, const struct code_symbol *symbol, bool long_names,
		 struct strbuf *out)
{
	const char *file = NULL, *function = NULL;
	unsigned int line = 0;
	asection *section;
	bfd *abfd;

	if (!b->files || !b->files->symbols_from || symbol->section == NO_SECTION)
		return false;
	abfd = b->files->symbols_from;
	section = bfd_get_section_by_name(abfd, b->sections[symbol->section].name);
	if (!section || !has_lines(abfd))
		return false;
	if (!bfd_find_nearest_line(abfd, section, b->files->table,
				   symbol->start - b->sections[symbol->section].start, &file,
				   &function, &line) || !file || !*file)
		return false;
	strbuf_addf(out, "%s:%u", long_names ? file : path_base(file), line);
	return true;
}

const struct code_section *binary_section(const struct binary *b, uint64_t place)
{
	for (size_t i = 0; i < b->nr_sections; i++)
		if (place >= b->sections[i].start && place < b->sections[i].end)
			return &b->sections[i];
	return NULL;
}
