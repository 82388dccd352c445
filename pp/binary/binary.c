/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.c - choose the source of an image's symbols, and sort them
 *
 * A debug file has symbols but no code, so its file offsets are useless: sections are matched by
 * name, and a symbol's place is computed in the image's own section [SY-8].
 */
#include "pp/binary/private.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/radix_sort.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/binary/debug_file.h"
#include "pp/binary/unpack.h"
#include "pp/binary/unpack_xz.h"

/*
 * Sections that are mapped from the file; @by_address: also those without bytes in it. A section
 * that reaches past 2^64 is malformed.
 */
static void add_sections(struct binary *b, const struct object_file *f, bool by_address)
{
	for (size_t i = 1; i < f->nr_sections; i++) {
		const struct object_section *s = &f->sections[i];
		uint64_t start = by_address ? s->addr : s->offset;

		if (!(s->flags & SHF_ALLOC) || (s->type == SHT_NOBITS && !by_address) || !s->size ||
		    start + s->size < start)
			continue;
		xgrow(b->sections, b->nr_sections, b->sections_room);
		b->sections[b->nr_sections++] = (struct code_section){
			.start = start,
			.end = start + s->size,
			.vma = s->addr,
			.offset = s->offset,
			.name = s->name,
			.is_code = s->flags & SHF_EXECINSTR,
		};
		if (!strcmp(s->name, ".text"))
			b->key_base = start;
	}
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

static void sort_by_place(struct binary *b)
{
	size_t nr = b->nr_symbols;
	struct code_symbol *s = b->symbols;
	struct radix_item *items = xcalloc(nr, sizeof(*items));

	for (size_t i = 0; i < nr; i++)
		items[i] = (struct radix_item){ s[i].start, i };
	items = radix_sorted(items, nr);
	/* one ring of symbols that change places after the other: a copy would be as large */
	for (size_t first = 0; first < nr; first++) {
		struct code_symbol moved = s[first];
		size_t to = first, from;

		while ((from = items[to].value) != first) {
			s[to] = s[from];
			items[to].value = to;
			to = from;
		}
		s[to] = moved;
		items[to].value = to;
	}
	free(items);
}

/* By place, then by rank, then in the order of the table. The kernel's are sorted by place. */
static void sort_symbols(struct binary *b)
{
	struct code_symbol *s = b->symbols;
	size_t nr = b->nr_symbols, i = 1, end;

	while (i < nr && s[i - 1].start <= s[i].start)
		i++;
	if (i < nr)
		sort_by_place(b);
	for (i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && s[end].start == s[i].start; end++)
			;
		if (end - i > 1)
			qsort(&s[i], end - i, sizeof(*s), compare_symbols);
	}
}

/* Sort them and keep one per address. */
static void choose_symbols(struct binary *b)
{
	uint64_t sized_end = 0;		/* of the functions with a size so far */
	size_t kept = 0;

	for (size_t i = 0; i < b->nr_symbols; i++)
		b->symbols[i].order = i;
	if (b->nr_symbols)
		sort_symbols(b);
	for (size_t i = 0; i < b->nr_symbols; i++) {
		struct code_symbol *s = &b->symbols[i], *last = kept ? &b->symbols[kept - 1] : NULL;

		if (last && last->start == s->start) {
			if (last->end < s->end)
				last->end = s->end;
		} else if (!s->is_label || s->start >= sized_end) {
			b->symbols[kept++] = *s;
		}
		if (s->end > sized_end)
			sized_end = s->end;
	}
	b->nr_symbols = kept;
}

/* In the original the last one in the file ends the file's length behind its section's start. */
static void extend_last_symbol(struct binary *b, uint64_t file_size)
{
	struct code_symbol *s = b->nr_symbols ? &b->symbols[b->nr_symbols - 1] : NULL;
	uint64_t start, end;

	if (!s || s->section == NO_SECTION)
		return;
	start = b->sections[s->section].start;
	end = start + file_size < start ? UINT64_MAX : start + file_size;
	if (end > s->start)
		s->end = end;
}

void binary_finish(struct binary *b)
{
	choose_symbols(b);
	set_ends(b);
}

/* Only what is stripped has code without symbols that is worth reading call frame information. */
static void finish_file(struct binary *b, const struct binary_options *o)
{
	struct functions functions = { 0 };

	choose_symbols(b);
	if (o->functions && !o->compat &&
	    (b->from == SYMBOLS_NONE || b->from == SYMBOLS_DYNAMIC || b->from == SYMBOLS_GO))
		functions_read(b, &b->files->image, &functions);
	functions_end_symbols(&functions, b);
	set_ends(b);
	if (o->compat)
		extend_last_symbol(b, b->files->image.size);
	if (functions.nr)
		functions_fill_gaps(&functions, b);
	free(functions.list);
}

/* MiniDebugInfo: compressed symbols that are not in .dynsym [SY-12]. */
static void add_packed_symbols(struct binary *b)
{
	struct binary_files *files = b->files;
	const struct object_section *section = object_section_find(&files->image,
								   ".gnu_debugdata");
	unsigned char *packed, *bytes;
	size_t packed_size, size;

	if (!section)
		return;
	packed = object_section_read(&files->image, section, &packed_size);
	if (packed && !unpack_xz(packed, packed_size, LARGEST_UNPACKED, &bytes, &size)) {
		if (object_file_open_memory(bytes, size, &files->mini, NULL))
			free(bytes);
		else if (elf_symbols_add(b, &files->mini, SHT_SYMTAB, true))
			b->from = SYMBOLS_PACKED;
	}
	free(packed);
}

/* From the best source available [SY-6]. */
static void add_symbols(struct binary *b, const struct binary_options *o)
{
	struct binary_files *files = b->files;

	if (elf_symbols_add(b, &files->image, SHT_SYMTAB, !o->compat)) {
		b->from = SYMBOLS_TABLE;
	} else if (!debug_file_open(&files->image, files->path, o->root, &files->debug,
				    &b->debug_path, &b->looked_in)) {
		if (elf_symbols_add(b, &files->debug, SHT_SYMTAB, !o->compat))
			b->from = SYMBOLS_DEBUG_FILE;
	}
	if (o->compat)
		return;
	if (!b->nr_symbols) {
		if (elf_symbols_add(b, &files->image, SHT_DYNSYM, true))
			b->from = SYMBOLS_DYNAMIC;
		add_packed_symbols(b);
		if (go_symbols_add(b, &files->image))
			b->from = SYMBOLS_GO;
	}
	if (b->nr_symbols || o->functions)
		plt_symbols_add(b, &files->image);
}

static bool has_name(const void *symbols, uint32_t i, const void *name)
{
	return !strcmp(((const struct code_symbol *)symbols)[i].name, name);
}

static void find_same_names(struct binary *b)
{
	struct hash_table names = { 0 };

	b->same_name = xcalloc(b->nr_symbols + 1, sizeof(*b->same_name));
	for (size_t i = 0; i < b->nr_symbols; i++) {
		const char *name = b->symbols[i].name;
		uint64_t hash = hash_string(name);
		uint32_t first = hash_table_find(&names, hash, has_name, b->symbols, name);

		b->same_name[i] = first == HASH_NONE ? (uint32_t)i : first;
		if (first == HASH_NONE)
			hash_table_add(&names, hash, (uint32_t)i);
	}
	hash_table_free(&names);
}

/* A compressed kernel module. Sample keys are offsets in the uncompressed file. */
static int unpack_image(struct object_file *f, const char *path, struct op_error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	unsigned char *bytes;
	size_t size;

	if (fd < 0)
		return op_error_set(e, -errno, "%s", strerror(errno));
	err = file_unpack(fd, path, &bytes, &size, e);
	close(fd);
	if (err)
		return err;
	err = object_file_open_memory(bytes, size, f, e);
	if (err)
		free(bytes);
	return err;
}

int binary_open(const char *path, const struct binary_options *options, struct binary *ret,
		struct op_error *e)
{
	struct binary b = { .is_file = true };
	int err;

	b.files = xcalloc(1, sizeof(*b.files));
	b.files->image.fd = b.files->debug.fd = b.files->mini.fd = -1;
	err = file_is_packed(path) && !options->compat
		? unpack_image(&b.files->image, path, e)
		: object_file_open(path, &b.files->image, e);
	if (err) {
		free(b.files);
		return err;
	}
	b.files->path = xstrdup(path);
	b.files->name = xstrdup(options->name ? options->name : path_base(path));
	b.files->keep_open = options->keep_open && !options->no_code;
	b.files->is_compat = options->compat;
	add_sections(&b, &b.files->image, options->by_address);
	if (!options->is_kernel)
		b.key_base = 0;
	add_symbols(&b, options);
	finish_file(&b, options);
	if (options->merge_names)
		find_same_names(&b);
	if (!options->keep_open) {	/* there may be more images than descriptors */
		object_file_release(&b.files->image);
		object_file_release(&b.files->debug);
	}
	*ret = b;
	return 0;
}

#define LONGEST_LONE_SYMBOL	0x10000	/* of code outside every part, such as BPF programs */

void binary_from_snapshot(const struct kernel_part *part, struct binary *ret)
{
	struct binary b = { .from = SYMBOLS_SNAPSHOT };
	uint64_t base = *part->name ? 0 : part->start;	/* of modules: offsets from their start */
	uint64_t size = part->end > part->start ? part->end - part->start : 0;
	size_t room = (part->nr_symbols + 1) * sizeof(*b.symbols);

	xgrow(b.sections, b.nr_sections, b.sections_room);
	b.sections[b.nr_sections++] = (struct code_section){
		.start = base,
		.end = base + size,
		.vma = part->start,
		.name = *part->name ? part->name : "kernel",
		.is_code = true,
	};
	b.symbols = elf_file_room(room);
	if (!b.symbols)
		b.symbols = xmalloc(room);	/* which reports that there is no memory */
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
	struct binary_files *files = b->files;

	if (files) {
		object_file_close(&files->image);
		object_file_close(&files->debug);
		object_file_close(&files->mini);
		for (size_t i = 0; i < files->nr_strings; i++)
			free(files->strings[i]);
		free(files->path);
		free(files->name);
		free(files);
	}
	free(b->same_name);
	free(b->debug_path);
	free(b->looked_in);
	free(b->shown);
	free(b->symbols);
	free(b->sections);
	*b = (struct binary){ 0 };
}

char *binary_symbol_name(const struct binary *b, size_t i)
{
	const struct code_symbol *s = &b->symbols[i];

	return s->is_unnamed ? xasprintf("[%s+0x%" PRIx64 "]", b->files->name, s->vma)
			     : xstrdup(s->name);
}

const struct code_section *binary_section(const struct binary *b, uint64_t place)
{
	for (size_t i = 0; i < b->nr_sections; i++)
		if (place >= b->sections[i].start && place < b->sections[i].end)
			return &b->sections[i];
	return NULL;
}

/* Exponential search: callers go through sorted places. */
size_t binary_next_symbol(const struct binary *b, size_t from, uint64_t place)
{
	size_t step = 1, low = from, high;

	while (low < b->nr_symbols && b->symbols[low].end <= place) {
		high = low + step < b->nr_symbols ? low + step : b->nr_symbols - 1;
		if (b->symbols[high].end > place) {
			while (low < high) {
				size_t middle = low + (high - low) / 2;

				if (b->symbols[middle].end <= place)
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		}
		low = high + 1;
		step *= 2;
	}
	return low;
}

/* The original reads code from the file with the symbols, and a debug file has only zeros. */
unsigned char *binary_code(const struct binary *b, uint64_t start, uint64_t end, size_t *ret_size)
{
	const struct code_section *section = binary_section(b, start);
	unsigned char *bytes;

	if (!b->files || !b->files->keep_open || end <= start || end - start > 1 << 24 ||
	    !section || end > section->end)
		return NULL;
	bytes = calloc(1, end - start);
	if (!bytes)
		return NULL;
	if (!(b->from == SYMBOLS_DEBUG_FILE && b->files->is_compat) &&
	    object_file_read(&b->files->image, section->offset + (start - section->start), bytes,
			     end - start)) {
		free(bytes);
		return NULL;
	}
	*ret_size = end - start;
	return bytes;
}
