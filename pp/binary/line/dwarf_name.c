/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_name.c - find the scopes of a function from the outside
 *
 * libdw's entries do not know the ones that contain them. The entries of a scope are in the order
 * of their offsets and each is followed by what it contains, so the scopes of an entry are found
 * from the unit downwards, by binary search in lists of entries. Only scopes on such a way are
 * listed.
 */
#include "pp/binary/line/dwarf_name.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define DEEPEST		50		/* scopes in each other */
#define FUNCTIONS	4		/* of these scopes */
#define LONGEST		4096		/* bytes of a name with its scopes */
#define CHILDREN_MAX	(1u << 23)	/* entries listed, 64 MB: damaged scopes may overlap */

void dwarf_names_free(struct dwarf_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->names[i].made);
	for (size_t i = 0; i < n->nr_scopes; i++)
		free(n->scopes[i].children);
	free(n->names);
	free(n->scopes);
	hash_table_free(&n->by_entry);
	hash_table_free(&n->by_scope);
	*n = (struct dwarf_names){ 0 };
}

bool dwarf_next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) || dwarf_dieoffset(&next) <= before)
		return false;
	*die = next;
	return true;
}

/* --- scopes --- */

static bool is_scope(const void *names, uint32_t id, const void *entry)
{
	return ((const struct dwarf_names *)names)->scopes[id].entry == entry;
}

/* Functions, and what can contain them. */
static bool is_listed(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
		return true;
	default:
		return false;
	}
}

static void list_children(struct dwarf_names *n, struct dwarf_scope *s, Dwarf_Die *parent)
{
	size_t room = 0;
	Dwarf_Die die;

	if (n->nr_children >= CHILDREN_MAX || dwarf_child(parent, &die))
		return;
	do {
		if (!is_listed(&die))
			continue;	/* with the next sibling */
		xgrow(s->children, s->nr, room);
		s->children[s->nr++] = die.addr;
	} while (++n->nr_children < CHILDREN_MAX && dwarf_next_sibling(&die));
}

static const struct dwarf_scope *scope_of(struct dwarf_names *n, Dwarf_Die *die)
{
	uint64_t hash = hash_u64((uintptr_t)die->addr);
	uint32_t id = hash_table_find(&n->by_scope, hash, is_scope, n, die->addr);

	if (id == HASH_NONE) {
		xgrow(n->scopes, n->nr_scopes, n->scopes_room);
		id = (uint32_t)n->nr_scopes++;
		n->scopes[id] = (struct dwarf_scope){ .entry = die->addr };
		hash_table_add(&n->by_scope, hash, id);
		list_children(n, &n->scopes[id], die);
	}
	return &n->scopes[id];
}

/* The last child at or before @target, NULL if there is none. */
static void *child_before(const struct dwarf_scope *s, const Dwarf_Die *target)
{
	size_t low = first_not(s->nr, i, (uintptr_t)s->children[i] <= (uintptr_t)target->addr);

	return low ? s->children[low - 1] : NULL;
}

/* The entries that contain @target, outermost first. Returns how many; 0 also if not found. */
static size_t find_scopes(struct dwarf_names *n, Dwarf_Die *target, Dwarf_Die ret[DEEPEST])
{
	Dwarf_Die at;

	if (!dwarf_diecu(target, &at, NULL, NULL))
		return 0;
	for (size_t nr = 0; nr < DEEPEST; nr++) {
		void *child = child_before(scope_of(n, &at), target);

		if (!child)
			return 0;
		if (child == target->addr)
			return nr;
		ret[nr] = at = (Dwarf_Die){ .addr = child, .cu = at.cu };
	}
	return 0;
}

/* --- names --- */

static const char *text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute a;

	return dwarf_attr(die, attribute, &a) ? dwarf_formstring(&a) : NULL;
}

/* Replace a copy, or a definition outside its scope, by what it refers to. */
static bool follow(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return (dwarf_attr(die, DW_AT_abstract_origin, &a) ||
		dwarf_attr(die, DW_AT_specification, &a)) && dwarf_formref_die(&a, die);
}

/* *@die becomes the entry that has the name; *ret_linker: it is the linker's. */
static const char *find_name(Dwarf_Die *die, bool *ret_linker)
{
	for (int step = 0; step < 4; step++) {	/* damaged entries may form a circle */
		const char *name = text_of(die, DW_AT_linkage_name);

		*ret_linker = name != NULL;
		if (!name)
			name = text_of(die, DW_AT_name);
		if (name)
			return name;
		if (!follow(die))
			return NULL;
	}
	return NULL;
}

const char *dwarf_plain_name(const Dwarf_Die *die)
{
	Dwarf_Die copy = *die;

	return find_name(&copy, &(bool){ false });
}

static void add_scope(struct strbuf *out, const char *name)
{
	strbuf_add(out, name);
	strbuf_add(out, "::");
}

static void add_function(struct dwarf_names *n, Dwarf_Die *scope, unsigned int level,
			 struct strbuf *out);

/* The scopes of @die, which is a function called @function. */
static void add_scopes(struct dwarf_names *n, Dwarf_Die *die, const char *function,
		       unsigned int level, struct strbuf *out)
{
	/* the class of a lambda function has no name */
	const char *unnamed = strcmp(function, "operator()") ? "{unnamed}" : "{lambda}";
	Dwarf_Die scopes[DEEPEST];
	size_t nr = find_scopes(n, die, scopes);

	for (size_t i = 0; i < nr && out->len < LONGEST; i++) {
		Dwarf_Die *scope = &scopes[i];
		const char *name = NULL;

		switch (dwarf_tag(scope)) {
		case DW_TAG_namespace:
			name = text_of(scope, DW_AT_name);
			add_scope(out, name ? name : "(anonymous namespace)");
			break;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_module:
			name = text_of(scope, DW_AT_name);
			add_scope(out, name ? name : unnamed);
			break;
		case DW_TAG_subprogram:
			add_function(n, scope, level, out);
			break;
		default:
			break;
		}
	}
}

/* A scope that is a function: its own scopes are those of its declaration. */
static void add_function(struct dwarf_names *n, Dwarf_Die *scope, unsigned int level,
			 struct strbuf *out)
{
	const char *name = text_of(scope, DW_AT_name);

	for (int step = 0; !name && step < 4 && follow(scope); step++)
		name = text_of(scope, DW_AT_name);
	strbuf_truncate(out, 0);
	if (name && level < FUNCTIONS)
		add_scopes(n, scope, name, level + 1, out);
	add_scope(out, name ? name : "{unnamed}");
}

static struct dwarf_name make_name(struct dwarf_names *n, const Dwarf_Die *entry)
{
	struct dwarf_name name = { .entry = entry->addr };
	struct strbuf text = STRBUF_INIT;
	Dwarf_Die die = *entry;
	bool is_linkers;

	name.text = find_name(&die, &is_linkers);
	if (!name.text || is_linkers)
		return name;
	add_scopes(n, &die, name.text, 0, &text);
	if (text.len) {
		strbuf_add(&text, name.text);
		name.text = name.made = strbuf_steal(&text);
	}
	return name;
}

static bool is_entry(const void *names, uint32_t id, const void *entry)
{
	return ((const struct dwarf_names *)names)->names[id].entry == entry;
}

/* Copies of a function are many; what they refer to is looked up once. */
const char *dwarf_name(struct dwarf_names *n, const Dwarf_Die *die)
{
	Dwarf_Die entry = *die;
	uint64_t hash;
	uint32_t id;

	if (!follow(&entry))
		entry = *die;
	hash = hash_u64((uintptr_t)entry.addr);
	id = hash_table_find(&n->by_entry, hash, is_entry, n, entry.addr);
	if (id == HASH_NONE) {
		struct dwarf_name name = make_name(n, &entry);

		xgrow(n->names, n->nr, n->room);
		id = (uint32_t)n->nr++;
		n->names[id] = name;
		hash_table_add(&n->by_entry, hash, id);
	}
	return n->names[id].text;
}
