// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expression.c - recognize the DWARF expressions that compilers and linkers use in call frame
 * information
 *
 * An unwinder in an NMI cannot interpret programs, so only these few patterns have a rule.
 */
#include "unwind/state.h"

enum {
	DW_deref	= 0x06,
	DW_and		= 0x1a,
	DW_mul		= 0x1e,
	DW_plus		= 0x22,
	DW_plus_uconst	= 0x23,
	DW_shl		= 0x24,
	DW_ge		= 0x2a,
	DW_lit0		= 0x30,
	DW_breg0	= 0x70,
	DW_bregx	= 0x92,
};

/* "breg n, offset", optionally followed by "plus_uconst m". */
static bool read_base(struct unwind_bytes *b, uint8_t *ret_n, int64_t *ret_offset)
{
	uint64_t op = unwind_unsigned(b, 1), n;

	if (op >= DW_breg0 && op < DW_breg0 + 32)
		n = op - DW_breg0;
	else if (op == DW_bregx)
		n = unwind_uleb(b);
	else
		return false;
	*ret_offset = unwind_sleb(b);
	if (b->left && *b->p == DW_plus_uconst) {
		unwind_skip(b, 1);
		*ret_offset = (int64_t)((uint64_t)*ret_offset + unwind_uleb(b));
	}
	*ret_n = n;
	return !b->bad && n < UNWIND_STATE_REGISTERS;
}

/* The rest after "breg n, offset; breg pc, 0" in a .plt: a word more if pc % 16 >= a number. */
static bool read_plt(struct unwind_bytes *b, uint16_t machine, int32_t *ret_from)
{
	unsigned int shift = machine == OP_UNWIND_I386 ? 2 : 3;
	const uint8_t *p = unwind_skip(b, 7);

	if (!p || b->left || p[0] != DW_lit0 + 15 || p[1] != DW_and || p[3] != DW_ge ||
	    p[4] != DW_lit0 + shift || p[5] != DW_shl || p[6] != DW_plus)
		return false;
	if (p[2] < DW_lit0 || p[2] > DW_lit0 + 15)
		return false;
	*ret_from = p[2] - DW_lit0;
	return true;
}

/* The rest after "breg n, offset; deref": nothing, or an addend. */
static bool read_addend(struct unwind_bytes *b, int64_t *ret)
{
	*ret = 0;
	if (b->left && *b->p == DW_plus_uconst) {
		unwind_skip(b, 1);
		*ret = (int64_t)unwind_uleb(b);
	}
	return !b->bad && !b->left;
}

/* The second register after "breg n, offset", of the PLT's pattern or the indexed one. */
static bool read_second(struct unwind_bytes *b, uint16_t machine, struct unwind_cfa *cfa,
			int64_t *ret_offset2)
{
	static const uint8_t times_8[] = { DW_lit0 + 8, DW_mul, DW_plus, DW_deref };
	const uint8_t *p;
	int64_t offset;

	if (!read_base(b, &cfa->index, &offset) || offset)
		return false;
	if (machine != OP_UNWIND_ARM64 && cfa->index == unwind_ra_column(machine)) {
		cfa->kind = OP_CFA_PLT;
		cfa->index = 0;
		return read_plt(b, machine, &cfa->offset2);
	}
	if (machine == OP_UNWIND_I386)
		return false;
	cfa->kind = OP_CFA_INDEXED;
	p = unwind_skip(b, sizeof(times_8));
	return p && !memcmp(p, times_8, sizeof(times_8)) && read_addend(b, ret_offset2);
}

struct unwind_cfa unwind_expression_cfa(struct unwind_bytes b, uint16_t machine)
{
	static const struct unwind_cfa none = { .kind = OP_CFA_NONE };
	struct unwind_cfa cfa = { .kind = OP_CFA_REGISTER };
	int64_t offset, offset2 = 0;
	bool ok = true;

	if (!read_base(&b, &cfa.base, &offset))
		return none;
	if (b.left && *b.p == DW_deref) {
		cfa.kind = OP_CFA_DEREF;
		unwind_skip(&b, 1);
		ok = read_addend(&b, &offset2);
	} else if (b.left) {
		ok = read_second(&b, machine, &cfa, &offset2);
	}
	if (cfa.kind != OP_CFA_PLT)
		cfa.offset2 = unwind_fit(offset2, &ok);
	cfa.offset = unwind_fit(offset, &ok);
	return ok ? cfa : none;
}

struct unwind_place unwind_expression_place(struct unwind_bytes b)
{
	struct unwind_place place = { .where = UNWIND_AT_REGISTER };
	int64_t offset;
	bool ok = read_base(&b, &place.n, &offset) && !b.left;

	if (ok)
		place.offset = unwind_fit(offset, &ok);
	return ok ? place : (struct unwind_place){ .where = UNWIND_ELSEWHERE };
}
