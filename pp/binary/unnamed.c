/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unnamed.c - find the functions of stripped code by call frame information
 *
 * A stripped binary keeps .eh_frame, because exceptions need it: an entry for each function, with
 * its bounds and without its name. Symbols take precedence where they lie [SY-18].
 */
#include "pp/binary/private.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/radix_sort.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/binary/unpack.h"
#include "unwind/cfi.h"
#include "unwind/elf.h"

struct reader {
	const struct binary *b;
	struct code_sections sections;
	const struct code_section *section;	/* of the last function, or NULL */
	struct functions *ret;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct code_section *x = *(const struct code_section *const *)a;
	const struct code_section *y = *(const struct code_section *const *)b;

	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

static bool has_functions(const struct code_section *s)
{
	return s->is_code && strncmp(s->name, ".plt", 4) && strcmp(s->name, ".iplt");
}

void code_sections_make(const struct binary *b, struct code_sections *ret)
{
	*ret = (struct code_sections){ xcalloc(b->nr_sections + 1, sizeof(*ret->list)), 0 };
	for (size_t i = 0; i < b->nr_sections; i++)
		if (has_functions(&b->sections[i]))
			ret->list[ret->nr++] = &b->sections[i];
	qsort(ret->list, ret->nr, sizeof(*ret->list), compare_addresses);
}

void code_sections_free(struct code_sections *s)
{
	free(s->list);
}

static bool is_in(const struct code_section *s, uint64_t vma)
{
	return vma - s->vma < s->end - s->start;
}

const struct code_section *code_sections_find(const struct code_sections *s, uint64_t vma)
{
	size_t low = first_not(s->nr, i, s->list[i]->vma <= vma);

	return low && is_in(s->list[low - 1], vma) ? s->list[low - 1] : NULL;
}

/* Functions that the linker discarded are at address 0, which is in no section. */
static int add_function(void *context, const struct unwind_fde *fde)
{
	struct reader *r = context;
	struct functions *to = r->ret;
	const struct code_section *s = r->section;
	uint64_t start, room, size = fde->end - fde->begin;

	if (!s || !is_in(s, fde->begin))
		s = r->section = code_sections_find(&r->sections, fde->begin);
	if (!s || !size)
		return 0;
	start = s->start + (fde->begin - s->vma);
	room = s->end - start;
	if (size > room)
		size = room;
	xgrow(to->list, to->nr, to->room);
	to->list[to->nr++] = (struct function_bounds){
		start, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
		(uint32_t)(s - r->b->sections),
	};
	return 0;
}

static void read_section(struct reader *r, const struct unwind_elf *elf,
			 const struct unwind_section *section)
{
	struct unwind_cfi cfi = {
		.vaddr = section->vaddr, .to_end = section->to_end,
		.debug_frame = section == &elf->debug_frame, .machine = elf->file.machine,
	};
	uint64_t skipped = 0;
	uint8_t *bytes;

	if (!section->size ||
	    unwind_elf_section(elf, section, LARGEST_UNPACKED, &bytes, &cfi.size))
		return;
	cfi.bytes = bytes;
	unwind_cfi_walk(&cfi, add_function, r, &skipped);
	free(bytes);
}

static void sort(struct functions *f)
{
	size_t i = 1;

	while (i < f->nr && f->list[i - 1].start <= f->list[i].start)
		i++;
	if (i < f->nr)
		f->list = radix_sorted(f->list, f->nr);
}

/* One for each start; a function ends where the next one begins. */
static void remove_overlaps(struct functions *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->nr; i++) {
		struct function_bounds *last = kept ? &f->list[kept - 1] : NULL;

		if (last && last->start == f->list[i].start) {
			if (last->size < f->list[i].size)
				last->size = f->list[i].size;
			continue;
		}
		if (last && last->size > f->list[i].start - last->start)
			last->size = (uint32_t)(f->list[i].start - last->start);
		f->list[kept++] = f->list[i];
	}
	f->nr = kept;
}

void functions_read(const struct binary *b, const struct object_file *f, struct functions *ret)
{
	struct reader r = { .b = b, .ret = ret };
	struct unwind_elf elf;

	if (unwind_elf_open(&f->elf, &elf))
		return;		/* of another machine, or an object file */
	code_sections_make(b, &r.sections);
	read_section(&r, &elf, &elf.eh_frame);
	read_section(&r, &elf, &elf.debug_frame);
	code_sections_free(&r.sections);
	unwind_elf_close(&elf);
	sort(ret);
	remove_overlaps(ret);
}

static uint64_t end_of(const struct function_bounds *f)
{
	return f->start + f->size;
}

/* A symbol without a size is the function in which it lies, or ends before the next one. */
void functions_end_symbols(const struct functions *f, struct binary *b)
{
	size_t next = 0;

	for (size_t i = 0; i < b->nr_symbols; i++) {
		struct code_symbol *s = &b->symbols[i];

		while (next < f->nr && end_of(&f->list[next]) <= s->start)
			next++;
		if (next == f->nr)
			return;
		if (s->end <= s->start)
			s->end = f->list[next].start <= s->start ? end_of(&f->list[next])
								 : f->list[next].start;
	}
}

static void add_part(struct binary *b, const struct function_bounds *f, uint64_t start,
		     uint64_t end)
{
	const struct code_section *section = &b->sections[f->section];

	xgrow(b->symbols, b->nr_symbols, b->symbols_room);
	b->symbols[b->nr_symbols++] = (struct code_symbol){
		.start = start,
		.end = end,
		.vma = section->vma + (start - section->start),
		.name = "",
		.section = f->section,
		.is_unnamed = true,
	};
}

static void add_named(struct binary *b, const struct code_symbol *symbols, size_t nr)
{
	while (nr--) {
		xgrow(b->symbols, b->nr_symbols, b->symbols_room);
		b->symbols[b->nr_symbols++] = *symbols++;
	}
}

void functions_fill_gaps(const struct functions *f, struct binary *b)
{
	struct code_symbol *named = b->symbols;
	size_t nr_named = b->nr_symbols, next = 0;
	uint64_t at = 0;	/* what is before has been added */

	b->symbols = xcalloc(nr_named + f->nr + 1, sizeof(*b->symbols));
	b->symbols_room = nr_named + f->nr;
	b->nr_symbols = 0;
	for (size_t i = 0; i < f->nr; i++) {
		const struct function_bounds *function = &f->list[i];

		if (at < function->start)
			at = function->start;
		for (; next < nr_named && named[next].start < end_of(function); next++) {
			if (named[next].start > at)
				add_part(b, function, at, named[next].start);
			add_named(b, &named[next], 1);
			if (at < named[next].end)
				at = named[next].end;
		}
		if (at < end_of(function))
			add_part(b, function, at, end_of(function));
	}
	add_named(b, named + next, nr_named - next);
	free(named);
}
