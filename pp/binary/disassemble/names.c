/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.c - the symbol that names an address
 *
 * Of several at one address the one that objdump prefers, so that both outputs can be compared.
 */
#include "pp/binary/disassemble/private.h"
#include "libutil/sorted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/binary/demangle_name.h"

static bool is_useful(const asymbol *s)
{
	return s->name && *s->name && s->section &&
	       !(s->flags & (BSF_DEBUGGING | BSF_SECTION_SYM | BSF_FILE)) &&
	       !bfd_is_und_section(s->section) && !bfd_is_com_section(s->section);
}

/* Of symbols at one address the one with the lowest rank comes first. */
static unsigned int rank(const asymbol *s)
{
	unsigned int rank = 0;

	if (strstr(s->name, "gnu_compiled") || strstr(s->name, "gcc2_compiled"))
		rank |= 32;
	if (!(s->flags & BSF_FUNCTION))
		rank |= 16;
	if (!(s->flags & BSF_OBJECT))
		rank |= 8;
	if (!(s->flags & BSF_GLOBAL))
		rank |= 4;
	if (*s->name == '.')
		rank |= 2;	/* perhaps a section's name */
	return rank;
}

static int compare_symbols(const void *a, const void *b)
{
	const asymbol *x = *(asymbol *const *)a, *y = *(asymbol *const *)b;

	if (bfd_asymbol_value(x) != bfd_asymbol_value(y))
		return bfd_asymbol_value(x) < bfd_asymbol_value(y) ? -1 : 1;
	if (x->section->id != y->section->id)
		return x->section->id < y->section->id ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) < rank(y) ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The dynamic symbols; *ret_nr of them. */
static asymbol **read_dynamic(bfd *image, long *ret_nr)
{
	long size = bfd_get_dynamic_symtab_upper_bound(image);	/* < 0: not dynamic */
	asymbol **table = size > 0 ? malloc(size) : NULL;

	*ret_nr = table ? bfd_canonicalize_dynamic_symtab(image, table) : 0;
	if (*ret_nr < 0)
		*ret_nr = 0;
	return table;
}

static size_t count(asymbol **table)
{
	size_t nr = 0;

	while (table && table[nr])
		nr++;
	return nr;
}

static void add(struct address_names *names, asymbol *s)
{
	if (is_useful(s))
		names->symbols[names->nr++] = s;
}

static int compare_slots(const void *a, const void *b)
{
	const arelent *x = *(arelent *const *)a, *y = *(arelent *const *)b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void read_slots(bfd *image, struct address_names *n)
{
	long size = n->dynamic ? bfd_get_dynamic_reloc_upper_bound(image) : 0, nr;

	n->slots = size > 0 ? malloc(size) : NULL;
	nr = n->slots ? bfd_canonicalize_dynamic_reloc(image, n->slots, n->dynamic) : 0;
	n->nr_slots = nr > 0 ? nr : 0;
	if (n->nr_slots)
		qsort(n->slots, n->nr_slots, sizeof(*n->slots), compare_slots);
}

asymbol *address_name_slot(const struct address_names *n, uint64_t vma)
{
	size_t low;
	asymbol *s;

	low = first_not(n->nr_slots, i, n->slots[i]->address < vma);
	if (low == n->nr_slots || n->slots[low]->address != vma || !n->slots[low]->sym_ptr_ptr)
		return NULL;
	s = *n->slots[low]->sym_ptr_ptr;
	/* a slot for an address in the image itself has only the symbol of its section */
	return s && s->name && *s->name && !(s->flags & BSF_SECTION_SYM) ? s : NULL;
}

void address_names_make(const struct bfd_file *image, const struct bfd_file *debug,
			struct address_names *ret)
{
	struct address_names n = { .is_relocatable = bfd_get_file_flags(image->bfd) & HAS_RELOC };
	asymbol **table = image->symbols ? image->symbols : debug ? debug->symbols : NULL;
	size_t nr_own = count(image->symbols), nr_table = count(table);
	long nr_dynamic, nr_synthetic;

	n.dynamic = read_dynamic(image->bfd, &nr_dynamic);
	read_slots(image->bfd, &n);
	nr_synthetic = bfd_get_synthetic_symtab(image->bfd, nr_own, image->symbols, nr_dynamic,
						n.dynamic, &n.synthetic);
	if (nr_synthetic < 0)
		nr_synthetic = 0;
	n.symbols = xcalloc(nr_table + nr_dynamic + nr_synthetic + 1, sizeof(*n.symbols));
	for (size_t i = 0; i < nr_table; i++)
		add(&n, table[i]);
	for (long i = 0; !nr_table && i < nr_dynamic; i++)
		add(&n, n.dynamic[i]);
	for (long i = 0; i < nr_synthetic; i++)
		add(&n, &n.synthetic[i]);
	if (n.nr)
		qsort(n.symbols, n.nr, sizeof(*n.symbols), compare_symbols);
	*ret = n;
}

void address_names_free(struct address_names *names)
{
	free(names->symbols);
	free(names->dynamic);
	free(names->synthetic);
	free(names->slots);
	*names = (struct address_names){ 0 };
}

static uint64_t value(const struct address_names *n, size_t i)
{
	return bfd_asymbol_value(n->symbols[i]);
}

/* Compared by name: the symbols may be those of a debug file, with sections of its own. */
static bool is_of(const asymbol *s, const asection *section)
{
	return !strcmp(bfd_section_name(s->section), bfd_section_name(section));
}

/* Index after the last symbol that begins at or before @vma. */
static size_t upper_bound(const struct address_names *n, uint64_t vma)
{
	return first_not(n->nr, i, value(n, i) <= vma);
}

/* The nearest symbol of @section before @above, else the next one after it; n->nr: none. */
static size_t nearest_of(const struct address_names *n, size_t above, const asection *section)
{
	size_t at = above;

	while (at && !is_of(n->symbols[at - 1], section))
		at--;
	if (at)
		return at - 1;
	for (at = above; at < n->nr && !is_of(n->symbols[at], section); at++)
		;
	return at;
}

asymbol *address_name_find(const struct address_names *n, uint64_t vma, const asection *section,
			   bool require_section, size_t *ret_at)
{
	size_t above = upper_bound(n, vma), at = above ? above - 1 : 0;

	require_section |= n->is_relocatable && vma >= bfd_section_vma(section) &&
			   vma - bfd_section_vma(section) < bfd_section_size(section);
	if (require_section)
		at = nearest_of(n, above, section);
	if (at >= n->nr)
		return NULL;
	/* the first of several at one address */
	while (at && value(n, at) == value(n, at - 1) &&
	       (!require_section || is_of(n->symbols[at - 1], section)))
		at--;
	*ret_at = at;
	return n->symbols[at];
}

asymbol *address_name_next(const struct address_names *n, size_t at, const asection *section)
{
	uint64_t begin = value(n, at);

	while (++at < n->nr)
		if (value(n, at) > begin && is_of(n->symbols[at], section))
			return n->symbols[at];
	return NULL;
}

static void add_demangled(struct strbuf *out, const char *name)
{
	char *raw = xstrdup(name), *shown = demangle_name(raw, DEMANGLE_NORMAL);

	strbuf_add(out, shown);
	if (shown != raw)
		free(shown);
	free(raw);
}

/* A dynamic symbol's version: "@@" before the default one, "@" before others. */
static void add_version(struct strbuf *out, asymbol *symbol)
{
	bool hidden = false;
	const char *version = NULL;

	if (!(symbol->flags & BSF_SYNTHETIC) && symbol->the_bfd)
		version = bfd_get_symbol_version_string(symbol->the_bfd, symbol, true, &hidden);
	if (version && *version)
		strbuf_addf(out, "%s%s", hidden ? "@" : "@@", version);
}

void address_name_add(struct strbuf *out, asymbol *symbol, const asection *section, uint64_t vma,
		      bool demangle)
{
	uint64_t begin = symbol ? bfd_asymbol_value(symbol) : bfd_section_vma(section);

	strbuf_add_char(out, '<');
	if (!symbol)
		strbuf_add(out, bfd_section_name(section));
	else if (demangle)
		add_demangled(out, symbol->name);
	else
		strbuf_add(out, symbol->name);
	if (symbol)
		add_version(out, symbol);
	if (symbol && bfd_is_und_section(symbol->section))
		begin = vma;	/* it has no address */
	if (vma > begin)
		strbuf_addf(out, "+0x%" PRIx64, vma - begin);
	else if (vma < begin)
		strbuf_addf(out, "-0x%" PRIx64, begin - vma);
	strbuf_add_char(out, '>');
}

/* The symbol that has the code at @vma, or b->nr_symbols. */
static size_t own_symbol(const struct binary *b, uint64_t vma)
{
	size_t i = 0, symbol;
	uint64_t place;

	while (i < b->nr_sections && vma - b->sections[i].vma >= b->sections[i].end -
								 b->sections[i].start)
		i++;
	if (i == b->nr_sections)
		return b->nr_symbols;
	place = b->sections[i].start + (vma - b->sections[i].vma);
	symbol = binary_next_symbol(b, 0, place);
	return symbol < b->nr_symbols && b->symbols[symbol].start <= place ? symbol : b->nr_symbols;
}

bool address_name_add_own(struct strbuf *out, const struct binary *b, uint64_t vma)
{
	size_t i = own_symbol(b, vma);
	char *name;

	if (i == b->nr_symbols || (!b->symbols[i].is_unnamed && b->from != SYMBOLS_GO))
		return false;
	name = binary_symbol_name(b, i);
	strbuf_addf(out, "<%s", name);
	if (vma > b->symbols[i].vma)
		strbuf_addf(out, "+0x%" PRIx64, vma - b->symbols[i].vma);
	strbuf_add_char(out, '>');
	free(name);
	return true;
}
