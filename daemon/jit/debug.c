// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debug.c - a unit and a line table for each symbol that has lines
 *
 * Only what readers need to find a line: the address range and the table.
 */
#include <dwarf.h>
#include <string.h>
#include "daemon/jit/debug.h"

#define UNIT		1		/* the one abbreviation */
#define DWARF_VERSION	4
#define OPCODE_BASE	10		/* standard opcodes as of version 2 */
#define DEBUG_MAX	(64u << 20)	/* bytes of a section; symbols beyond have no lines */

static void add_number(struct strbuf *s, uint64_t n, size_t bytes)
{
	const uint16_t one = 1;
	char raw[sizeof(n)];

	memcpy(raw, &n, sizeof(n));
	strbuf_add_bytes(s, *(const char *)&one ? raw : raw + sizeof(n) - bytes, bytes);
}

static void set_number(struct strbuf *s, size_t at, uint32_t n)
{
	memcpy(s->text + at, &n, sizeof(n));
}

static void add_uleb(struct strbuf *s, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		strbuf_add_char(s, (char)(n | 0x80));
	strbuf_add_char(s, (char)n);
}

static void add_sleb(struct strbuf *s, int64_t n)
{
	for (; n < -0x40 || n > 0x3f; n >>= 7)
		strbuf_add_char(s, (char)(n | 0x80));
	strbuf_add_char(s, (char)(n & 0x7f));
}

static void add_text(struct strbuf *s, const char *text)
{
	strbuf_add_bytes(s, text, strlen(text) + 1);
}

/* Code, tag, no children, pairs of attribute and form, the end of pairs and of all. */
static void make_abbrev(struct strbuf *s)
{
	static const unsigned char all[] = {
		UNIT, DW_TAG_compile_unit, DW_CHILDREN_no, DW_AT_stmt_list, DW_FORM_sec_offset,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0, 0, 0,
	};

	strbuf_add_bytes(s, all, sizeof(all));
}

static void add_unit(struct strbuf *s, const struct jit_symbol *symbol, size_t table)
{
	size_t begin = s->len;

	add_number(s, 0, 4);			/* length, below */
	add_number(s, DWARF_VERSION, 2);
	add_number(s, 0, 4);			/* its abbreviations */
	add_number(s, sizeof(uint64_t), 1);	/* size of an address */
	add_uleb(s, UNIT);
	add_number(s, table, 4);
	add_number(s, symbol->start, 8);
	add_number(s, symbol->end - symbol->start, 8);
	set_number(s, begin, (uint32_t)(s->len - begin - 4));
}

/* Number of the file of line @i in its unit's table: a new one whenever it changes. */
struct files {
	const struct jit_code *c;
	const struct jit_line *lines;
	size_t nr;
};

static void add_file_names(struct strbuf *s, const struct files *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		if (i && f->lines[i].file == f->lines[i - 1].file)
			continue;
		add_text(s, f->c->names.text + f->lines[i].file);
		strbuf_add_bytes(s, "\0\0", 3);	/* folder, time, length: unknown */
	}
	strbuf_add_char(s, '\0');
}

static void add_header(struct strbuf *s, const struct files *f)
{
	static const unsigned char lengths[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	size_t begin;

	add_number(s, DWARF_VERSION, 2);
	begin = s->len;
	add_number(s, 0, 4);			/* length of the rest, below */
	add_number(s, 1, 1);			/* least instruction */
	add_number(s, 1, 1);			/* operations in one */
	add_number(s, 1, 1);			/* each row begins a statement */
	add_number(s, 0, 1);			/* special opcodes are not used */
	add_number(s, 1, 1);
	add_number(s, OPCODE_BASE, 1);
	strbuf_add_bytes(s, lengths, sizeof(lengths));
	strbuf_add_char(s, '\0');		/* no folders */
	add_file_names(s, f);
	set_number(s, begin, (uint32_t)(s->len - begin - 4));
}

static void add_extended(struct strbuf *s, unsigned int opcode, size_t bytes)
{
	strbuf_add_char(s, '\0');
	add_uleb(s, bytes + 1);
	strbuf_add_char(s, (char)opcode);
}

struct row {
	uint64_t address;
	int64_t line;
	size_t file;
};

static void add_row(struct strbuf *s, struct row *at, const struct row *to)
{
	if (to->file != at->file) {
		strbuf_add_char(s, DW_LNS_set_file);
		add_uleb(s, to->file);
	}
	strbuf_add_char(s, DW_LNS_advance_pc);
	add_uleb(s, to->address - at->address);
	strbuf_add_char(s, DW_LNS_advance_line);
	add_sleb(s, to->line - at->line);
	strbuf_add_char(s, DW_LNS_copy);
	*at = *to;
}

/*
 * Lines from the symbol's first byte to its end; entries out of order are skipped. Code before the
 * first entry has the first line: compilers like Java's give none to the entry of a function.
 */
static void add_rows(struct strbuf *s, const struct files *f, const struct jit_symbol *symbol)
{
	struct row at = { symbol->start, 1, 1 }, to = { .file = 0 };
	bool begun = false;

	add_extended(s, DW_LNE_set_address, 8);
	add_number(s, symbol->start, 8);
	for (size_t i = 0; i < f->nr; i++) {
		const struct jit_line *l = &f->lines[i];
		bool is_last_before = i + 1 == f->nr || f->lines[i + 1].address > symbol->start;

		to.file += !i || l->file != f->lines[i - 1].file;
		to.line = l->line;
		to.address = begun && l->address > symbol->start ? l->address : symbol->start;
		if (to.address < at.address || l->address >= symbol->end ||
		    (!begun && !is_last_before))
			continue;
		add_row(s, &at, &to);
		begun = true;
	}
	strbuf_add_char(s, DW_LNS_advance_pc);
	add_uleb(s, symbol->end - at.address);
	add_extended(s, DW_LNE_end_sequence, 0);
}

static void add_table(struct strbuf *s, const struct files *f, const struct jit_symbol *symbol)
{
	size_t begin = s->len;

	add_number(s, 0, 4);			/* length, below */
	add_header(s, f);
	add_rows(s, f, symbol);
	set_number(s, begin, (uint32_t)(s->len - begin - 4));
}

void jit_debug_make(const struct jit_layout *layout, struct jit_debug *ret)
{
	const struct jit_code *c = layout->from;

	*ret = (struct jit_debug){ STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	for (size_t i = 0; i < layout->nr && ret->line.len < DEBUG_MAX; i++) {
		const struct jit_symbol *s = &layout->symbols[i];
		const struct jit_block *b = s->block;
		struct files f = { c, NULL, b ? b->nr_lines : 0 };

		if (!f.nr)
			continue;
		f.lines = c->lines + b->first_line;
		if (!ret->abbrev.len)
			make_abbrev(&ret->abbrev);
		add_unit(&ret->info, s, ret->line.len);
		add_table(&ret->line, &f, s);
	}
}

void jit_debug_free(struct jit_debug *d)
{
	strbuf_free(&d->abbrev);
	strbuf_free(&d->info);
	strbuf_free(&d->line);
}
