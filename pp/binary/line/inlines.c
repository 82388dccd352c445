/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlines.c - what is inlined where, out of the tree of DWARF entries
 *
 * The entries of a unit are walked at their top only; below it go we only into functions that have
 * one of the addresses asked for.
 */
#include "pp/binary/line/dwarf_private.h"

#include <dwarf.h>
#include <stdlib.h>

#include "libutil/xalloc.h"

#define DEEPEST	200	/* nested blocks; damaged entries may nest for ever */

#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator	0x2136
#endif

struct walk {
	struct line_dwarf *dwarf;
	const uint64_t *addresses;
	size_t nr_addresses;
	Dwarf_Files *files;
	size_t nr_files;
	struct inline_span *spans;
	size_t nr, room;
};

static bool has_address(const struct walk *w, uint64_t low, uint64_t high)
{
	size_t from = 0, to = w->nr_addresses;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (w->addresses[middle] < low)
			from = middle + 1;
		else
			to = middle;
	}
	return from < w->nr_addresses && w->addresses[from] < high;
}

/* The next entry on the same level. A damaged one may lead back: that is the end. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) || dwarf_dieoffset(&next) <= before)
		return false;
	*die = next;
	return true;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &a) && !dwarf_formudata(&a, &value) ? value : 0;
}

static const char *text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute a;

	return dwarf_attr(die, attribute, &a) ? dwarf_formstring(&a) : NULL;
}

/* Its name, or that of the function that this is a copy of: the linker's rather than the plain. */
static const char *name_of(const Dwarf_Die *copy)
{
	Dwarf_Die die = *copy;

	for (int step = 0; step < 4; step++) {	/* damaged ones may go in circles */
		const char *name = text_of(&die, DW_AT_linkage_name);
		Dwarf_Attribute a;

		if (!name)
			name = text_of(&die, DW_AT_name);
		if (name)
			return name;
		if (!dwarf_attr(&die, DW_AT_abstract_origin, &a) &&
		    !dwarf_attr(&die, DW_AT_specification, &a))
			return NULL;
		if (!dwarf_formref_die(&a, &die))
			return NULL;
	}
	return NULL;
}

static void add_spans(struct walk *w, Dwarf_Die *die, uint32_t depth)
{
	struct inline_span span = { .depth = depth, .function = name_of(die) };
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int start_line;

	if (!dwarf_decl_line(die, &start_line) && start_line > 0)
		span.start_line = start_line;

	if (depth) {
		uint64_t file = number_of(die, DW_AT_call_file);

		span.call_file = w->files && file < w->nr_files
			       ? line_dwarf_path(w->dwarf, dwarf_filesrc(w->files, file, NULL,
									 NULL)) : NULL;
		span.call_line = number_of(die, DW_AT_call_line);
		span.call_discriminator = number_of(die, DW_AT_GNU_discriminator);
	}
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (high <= low)
			continue;
		xgrow(w->spans, w->nr, w->room);
		span.low = low;
		span.high = high;
		w->spans[w->nr++] = span;
	}
}

static void walk_function(struct walk *w, Dwarf_Die *parent, uint32_t depth, unsigned int level)
{
	Dwarf_Die die;

	if (level > DEEPEST || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			add_spans(w, &die, depth + 1);
			walk_function(w, &die, depth + 1, level + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
			walk_function(w, &die, depth, level + 1);
			break;
		default:
			break;
		}
	} while (next_sibling(&die));
}

static bool is_wanted(const struct walk *w, Dwarf_Die *function)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(function, at, &base, &low, &high)) > 0)
		if (has_address(w, low, high))
			return true;
	return false;
}

static void walk_unit(struct walk *w, Dwarf_Die *parent, unsigned int level)
{
	Dwarf_Die die;

	if (level > DEEPEST || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (!is_wanted(w, &die))
				break;
			add_spans(w, &die, 0);
			walk_function(w, &die, 0, 0);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
			walk_unit(w, &die, level + 1);
			break;
		default:
			break;
		}
	} while (next_sibling(&die));
}

void line_dwarf_inlines(struct line_dwarf *d, uint64_t unit, const uint64_t *addresses,
			size_t nr_addresses, struct inline_span **spans, size_t *nr)
{
	struct walk w = {
		.dwarf = d, .addresses = addresses, .nr_addresses = nr_addresses, .nr = *nr};
	Dwarf_Die die;

	if (!line_dwarf_unit(d, unit, &die))
		return;
	w.room = w.nr + 16;
	w.spans = xrealloc_array(*spans, w.room, sizeof(*w.spans));
	if (dwarf_getsrcfiles(&die, &w.files, &w.nr_files))
		w.files = NULL;
	walk_unit(&w, &die, 0);
	*spans = w.spans;
	*nr = w.nr;
}
