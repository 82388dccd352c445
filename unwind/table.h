/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - a binary's unwind table, for the module and for user space
 *
 * The daemon builds a table once per binary (unwind/build.h); the module and the perf collector
 * unwind with it (walk.h). Format: doc/unwind-table.md ([UT-n]).
 *
 * A table must have passed op_unwind_check() once; afterwards it is only read, by any number of
 * CPUs, in any context. Byte order is native: a table never leaves its machine.
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include "oprofilefs/op_types.h"

#define OP_UNWIND_MAGIC			0x7755504f	/* "OPUw" */
#define OP_UNWIND_VERSION		1

/* Supported machines, by ELF's e_machine. */
#define OP_UNWIND_I386			3
#define OP_UNWIND_X86_64		62
#define OP_UNWIND_ARM64			183

/* Registers have DWARF's numbers: on i386 and x86-64 these, on arm64 x0 to x30 and then sp. */
enum op_unwind_i386 {
	OP_I386_EAX, OP_I386_ECX, OP_I386_EDX, OP_I386_EBX, OP_I386_ESP, OP_I386_EBP, OP_I386_ESI,
	OP_I386_EDI, OP_I386_REGISTERS,
};
enum op_unwind_x86 {
	OP_X86_RAX, OP_X86_RDX, OP_X86_RCX, OP_X86_RBX, OP_X86_RSI, OP_X86_RDI, OP_X86_RBP,
	OP_X86_RSP, OP_X86_R8, OP_X86_R9, OP_X86_R10, OP_X86_R11, OP_X86_R12, OP_X86_R13,
	OP_X86_R14, OP_X86_R15, OP_X86_REGISTERS,
};
#define OP_ARM64_FP			29
#define OP_ARM64_LR			30
#define OP_ARM64_SP			31
#define OP_UNWIND_REGISTERS		32
#define OP_UNWIND_NO_REGISTER		0xff
#define OP_UNWIND_AT_BASE		0xfe	/* instead of a register with the return address */

/* The canonical frame address (the caller's sp), [UT-10]. */
enum op_unwind_cfa {
	OP_CFA_NONE,		/* no information about this code */
	OP_CFA_UNKNOWN,		/* information that rules cannot express */
	OP_CFA_END,		/* none: this is the outermost function */
	OP_CFA_REGISTER,	/* base + offset */
	OP_CFA_DEREF,		/* *(base + offset) + offset2 */
	OP_CFA_INDEXED,		/* *(base + 8 * index + offset) + offset2 */
	OP_CFA_PLT,		/* base + offset, and a word more if pc % 16 >= offset2 */
	OP_CFA_SIGNAL,		/* the kernel saved all registers at base + offset */
	OP_CFA_KINDS
};

#define OP_UNWIND_SAVED_MAX		12

/* How to get from a frame to its caller. A word has 4 bytes on i386, else 8. */
struct op_unwind_rule {
	u8 cfa;			/* enum op_unwind_cfa */
	u8 base;		/* base register of the CFA */
	u8 ra_register;		/* has the return address; or NO_REGISTER or AT_BASE: see @ra */
	u8 save_base;		/* register that from_base is relative to */
	s16 ra;			/* the return address is at CFA, or save_base, + word * ra */
	u8 exact;		/* 1: the caller was interrupted there and did not call */
	u8 index;		/* register; OP_CFA_INDEXED only */
	s32 offset;		/* bytes */
	s32 offset2;
	u32 kept;		/* bit n: register n still has the caller's value */
	u32 saved;		/* bit n, the i-th set one: register n is at CFA + word * at[i] */
	u32 from_base;		/* of these: relative to save_base instead of the CFA */
	s16 at[OP_UNWIND_SAVED_MAX];
};

/*
 * A table: this header, then without gaps
 *	struct op_unwind_rule rule[nr_rules]
 *	u32 page_row[nr_pages + 1]	first row of each 64 KiB of the file; the last is nr_rows
 *	u16 row_start[nr_rows]		first offset of the row, in its 64 KiB
 *	u16 row_rule[nr_rows]
 * A row ends where the next begins; the last is OP_CFA_NONE. [UT-1]
 */
struct op_unwind_table {
	u32 magic;
	u16 version;
	u16 machine;
	u32 nr_rules;
	u32 first_page;		/* file offset / 64 KiB of page_row[0] */
	u32 nr_pages;
	u32 nr_rows;
};

#define OP_UNWIND_PAGE_SHIFT		16
#define OP_UNWIND_PAGES_MAX		65536u		/* of one file: 4 GiB */
#define OP_UNWIND_RULES_MAX		65536u
#define OP_UNWIND_ROWS_MAX		(1u << 28)

/* The number of @machine's registers; 0: not supported. */
static __always_inline unsigned int op_unwind_registers(u16 machine)
{
	switch (machine) {
	case OP_UNWIND_I386:
		return OP_I386_REGISTERS;
	case OP_UNWIND_X86_64:
		return OP_X86_REGISTERS;
	case OP_UNWIND_ARM64:
		return OP_UNWIND_REGISTERS;
	}
	return 0;
}

/* The parts of a table, of which at least the header has been checked. */
static __always_inline const struct op_unwind_rule *
op_unwind_rules(const struct op_unwind_table *t)
{
	return (const struct op_unwind_rule *)(t + 1);
}

static __always_inline const u32 *op_unwind_page_rows(const struct op_unwind_table *t)
{
	return (const u32 *)(op_unwind_rules(t) + t->nr_rules);
}

static __always_inline const u16 *op_unwind_row_starts(const struct op_unwind_table *t)
{
	return (const u16 *)(op_unwind_page_rows(t) + t->nr_pages + 1);
}

static __always_inline const u16 *op_unwind_row_rules(const struct op_unwind_table *t)
{
	return op_unwind_row_starts(t) + t->nr_rows;
}

/* The size in bytes of a table with these numbers, which must be within their limits. */
static __always_inline u64 op_unwind_size(u64 nr_rules, u64 nr_pages, u64 nr_rows)
{
	return sizeof(struct op_unwind_table) + nr_rules * sizeof(struct op_unwind_rule) +
	       (nr_pages + 1) * sizeof(u32) + nr_rows * 2 * sizeof(u16);
}

/*
 * The rule for @offset of the file; NULL: outside of the table. Reads at most 17 rows, which are
 * close together. [UT-2]
 */
static __always_inline const struct op_unwind_rule *
op_unwind_lookup(const struct op_unwind_table *t, u64 offset)
{
	const u16 *start = op_unwind_row_starts(t);
	u64 page = (offset >> OP_UNWIND_PAGE_SHIFT) - t->first_page;
	u16 key = offset;
	u32 row, nr;

	if (page >= t->nr_pages)
		return NULL;
	row = op_unwind_page_rows(t)[page];
	nr = op_unwind_page_rows(t)[page + 1] - row;
	while (nr) {
		u32 half = (nr + 1) / 2;
		bool below = start[row + half - 1] <= key;

		row += below ? half : 0;
		nr = below ? nr - half : half - 1;
	}
	if (!row)
		return NULL;
	return &op_unwind_rules(t)[op_unwind_row_rules(t)[row - 1]];
}

static inline bool op_unwind_rule_ok(const struct op_unwind_rule *r, unsigned int nr_registers)
{
	u32 all = nr_registers == 32 ? ~0u : (1u << nr_registers) - 1, left = r->saved;
	unsigned int nr_saved;

	if (r->cfa >= OP_CFA_KINDS || r->base >= nr_registers || r->index >= nr_registers ||
	    r->exact > 1)
		return false;
	if (r->ra_register >= nr_registers && r->ra_register != OP_UNWIND_NO_REGISTER &&
	    r->ra_register != OP_UNWIND_AT_BASE)
		return false;
	if (((r->kept | r->saved) & ~all) || (r->kept & r->saved) || (r->from_base & ~r->saved))
		return false;
	if ((r->from_base || r->ra_register == OP_UNWIND_AT_BASE) && r->save_base >= nr_registers)
		return false;
	for (nr_saved = 0; left; nr_saved++)
		left &= left - 1;
	return nr_saved <= OP_UNWIND_SAVED_MAX;
}

static inline bool op_unwind_rows_ok(const struct op_unwind_table *t)
{
	const u32 *page_row = op_unwind_page_rows(t);
	const u16 *start = op_unwind_row_starts(t), *rule = op_unwind_row_rules(t);
	u32 page, row;

	if (page_row[0] || page_row[t->nr_pages] != t->nr_rows)
		return false;
	for (page = 0; page < t->nr_pages; page++) {
		if (page_row[page] > page_row[page + 1] || page_row[page + 1] > t->nr_rows)
			return false;
		for (row = page_row[page]; row < page_row[page + 1]; row++)
			if (rule[row] >= t->nr_rules ||
			    (row > page_row[page] && start[row] <= start[row - 1]))
				return false;
	}
	return op_unwind_rules(t)[rule[t->nr_rows - 1]].cfa == OP_CFA_NONE;
}

/*
 * Whether @len bytes at @blob (4-aligned) are a valid table for the functions above, so that no
 * lookup reads outside of it. Checks all of it. [UT-3]
 */
static inline bool op_unwind_check(const void *blob, u64 len)
{
	const struct op_unwind_table *t = blob;
	unsigned int nr_registers;
	u32 i;

	if (len < sizeof(*t) || t->magic != OP_UNWIND_MAGIC || t->version != OP_UNWIND_VERSION)
		return false;
	nr_registers = op_unwind_registers(t->machine);
	if (!nr_registers)
		return false;
	if (!t->nr_rules || t->nr_rules > OP_UNWIND_RULES_MAX ||
	    !t->nr_pages || t->nr_pages > OP_UNWIND_PAGES_MAX ||
	    t->first_page > OP_UNWIND_PAGES_MAX - t->nr_pages ||
	    !t->nr_rows || t->nr_rows > OP_UNWIND_ROWS_MAX)
		return false;
	if (len != op_unwind_size(t->nr_rules, t->nr_pages, t->nr_rows))
		return false;
	for (i = 0; i < t->nr_rules; i++)
		if (!op_unwind_rule_ok(&op_unwind_rules(t)[i], nr_registers))
			return false;
	return op_unwind_rows_ok(t);
}

#endif
