// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - the instructions of call frame information (DWARF 5, 6.4.2, and GNU's)
 *
 * A program sets a state, advances, and sets the next one: the code between two advances is one row
 * of the table.
 */
#include "unwind/pointer.h"
#include "unwind/program.h"

#define REMEMBERED_MAX	16	/* compilers nest one or two levels */

enum {
	CFA_advance_loc			= 0x40,	/* these three have an operand in their low bits */
	CFA_offset			= 0x80,
	CFA_restore			= 0xc0,
	CFA_nop				= 0x00,
	CFA_set_loc			= 0x01,
	CFA_advance_loc1		= 0x02,
	CFA_advance_loc2		= 0x03,
	CFA_advance_loc4		= 0x04,
	CFA_offset_extended		= 0x05,
	CFA_restore_extended		= 0x06,
	CFA_undefined			= 0x07,
	CFA_same_value			= 0x08,
	CFA_register			= 0x09,
	CFA_remember_state		= 0x0a,
	CFA_restore_state		= 0x0b,
	CFA_def_cfa			= 0x0c,
	CFA_def_cfa_register		= 0x0d,
	CFA_def_cfa_offset		= 0x0e,
	CFA_def_cfa_expression		= 0x0f,
	CFA_expression			= 0x10,
	CFA_offset_extended_sf		= 0x11,
	CFA_def_cfa_sf			= 0x12,
	CFA_def_cfa_offset_sf		= 0x13,
	CFA_val_offset			= 0x14,
	CFA_val_offset_sf		= 0x15,
	CFA_val_expression		= 0x16,
	CFA_MIPS_advance_loc8		= 0x1d,
	CFA_AARCH64_negate_ra_state	= 0x2d,
	CFA_GNU_args_size		= 0x2e,
	CFA_GNU_negative_offset		= 0x2f,
};

struct run {
	struct unwind_bytes b;
	uint64_t vaddr;			/* of the byte at @bytes_begin */
	const uint8_t *bytes_begin;
	const struct unwind_cie *cie;
	uint64_t at, end;
	bool fresh;			/* the state at @at is not emitted yet */
	unwind_emit emit;
	void *context;
	struct unwind_state now;
	unsigned int nr_remembered;
	struct unwind_state remembered[REMEMBERED_MAX];
};

static void emit_row(struct run *r)
{
	if (r->fresh && r->at < r->end)
		r->emit(r->context, r->at, &r->now);
	r->fresh = false;
}

/* False: the function ends there, and the rest of its program is ignored. */
static bool advance_to(struct run *r, uint64_t at)
{
	if (at == r->at)
		return true;
	emit_row(r);
	if (at < r->at || at >= r->end) {
		r->b.left = 0;
		return at >= r->end;
	}
	r->at = at;
	return true;
}

static bool advance(struct run *r, uint64_t delta)
{
	uint64_t left = r->end - r->at;

	if (r->cie->code_factor && delta > left / r->cie->code_factor)
		return advance_to(r, r->end);
	return advance_to(r, r->at + delta * r->cie->code_factor);
}

static bool set_location(struct run *r)
{
	uint64_t at;

	if (!unwind_pointer(&r->b, r->cie->encoding, r->vaddr + (r->b.p - r->bytes_begin), &at))
		return false;
	return advance_to(r, at);
}

static void place(struct run *r, uint64_t n, struct unwind_place place)
{
	if (n < UNWIND_STATE_REGISTERS)
		r->now.at[n] = place;
}

static void place_where(struct run *r, uint64_t n, enum unwind_where where)
{
	place(r, n, (struct unwind_place){ .where = where });
}

static bool multiply(int64_t a, int64_t b, int32_t *ret)
{
	int64_t product;
	bool fits = !__builtin_mul_overflow(a, b, &product);

	*ret = unwind_fit(product, &fits);
	return fits;
}

/* @offset is counted in data factors. */
static void place_at_cfa(struct run *r, uint64_t n, int64_t offset)
{
	struct unwind_place p = { .where = UNWIND_AT_CFA };

	if (!multiply(offset, r->cie->data_factor, &p.offset))
		p.where = UNWIND_ELSEWHERE;
	place(r, n, p);
}

static void place_in_register(struct run *r, uint64_t n, uint64_t holder)
{
	if (holder < UNWIND_STATE_REGISTERS)
		place(r, n, (struct unwind_place){ .where = UNWIND_IN_REGISTER, .n = holder });
	else
		place_where(r, n, UNWIND_ELSEWHERE);
}

static void place_initial(struct run *r, uint64_t n)
{
	if (n < UNWIND_STATE_REGISTERS)
		r->now.at[n] = r->cie->initial.at[n];
}

static void cfa_register(struct run *r, uint64_t n)
{
	if (n < UNWIND_STATE_REGISTERS) {
		r->now.cfa.kind = OP_CFA_REGISTER;
		r->now.cfa.offset2 = 0;
		r->now.cfa.base = n;
	} else {
		r->now.cfa.kind = OP_CFA_NONE;
	}
}

static void cfa_offset(struct run *r, int64_t offset, int64_t factor)
{
	if (!multiply(offset, factor, &r->now.cfa.offset))
		r->now.cfa.kind = OP_CFA_NONE;
}

static void expression(struct run *r, bool is_value)
{
	uint64_t n = unwind_uleb(&r->b), len = unwind_uleb(&r->b);
	struct unwind_bytes e = unwind_part(&r->b, len);

	if (is_value)
		place_where(r, n, UNWIND_ELSEWHERE);
	else
		place(r, n, unwind_expression_place(e));
}

static bool remember(struct run *r)
{
	if (r->nr_remembered == REMEMBERED_MAX)
		return false;
	r->remembered[r->nr_remembered++] = r->now;
	return true;
}

static bool recall(struct run *r)
{
	if (!r->nr_remembered)
		return false;
	r->now = r->remembered[--r->nr_remembered];
	return true;
}

/* Instructions about the CFA. */
static bool cfa_instruction(struct run *r, unsigned int op)
{
	struct unwind_bytes *b = &r->b;
	uint64_t n;

	switch (op) {
	case CFA_def_cfa:
		n = unwind_uleb(b);
		cfa_register(r, n);
		cfa_offset(r, unwind_uleb(b), 1);
		return true;
	case CFA_def_cfa_sf:
		n = unwind_uleb(b);
		cfa_register(r, n);
		cfa_offset(r, unwind_sleb(b), r->cie->data_factor);
		return true;
	case CFA_def_cfa_register:
		cfa_register(r, unwind_uleb(b));
		return true;
	case CFA_def_cfa_offset:
		cfa_offset(r, unwind_uleb(b), 1);
		return true;
	case CFA_def_cfa_offset_sf:
		cfa_offset(r, unwind_sleb(b), r->cie->data_factor);
		return true;
	case CFA_def_cfa_expression:
		n = unwind_uleb(b);
		r->now.cfa = unwind_expression_cfa(unwind_part(b, n), r->cie->machine);
		return true;
	}
	return false;
}

/* Instructions about one register. */
static bool register_instruction(struct run *r, unsigned int op)
{
	struct unwind_bytes *b = &r->b;
	uint64_t n;

	switch (op) {
	case CFA_offset_extended:
		n = unwind_uleb(b);
		place_at_cfa(r, n, unwind_uleb(b));
		return true;
	case CFA_offset_extended_sf:
		n = unwind_uleb(b);
		place_at_cfa(r, n, unwind_sleb(b));
		return true;
	case CFA_GNU_negative_offset:
		n = unwind_uleb(b);
		place_at_cfa(r, n, -(int64_t)(unwind_uleb(b) & INT64_MAX));
		return true;
	case CFA_restore_extended:
		place_initial(r, unwind_uleb(b));
		return true;
	case CFA_undefined:
		place_where(r, unwind_uleb(b), UNWIND_UNDEFINED);
		return true;
	case CFA_same_value:
		place_where(r, unwind_uleb(b), UNWIND_SAME);
		return true;
	case CFA_register:
		n = unwind_uleb(b);
		place_in_register(r, n, unwind_uleb(b));
		return true;
	case CFA_val_offset:
	case CFA_val_offset_sf:		/* both encodings end alike */
		place_where(r, unwind_uleb(b), UNWIND_ELSEWHERE);
		unwind_uleb(b);
		return true;
	case CFA_expression:
	case CFA_val_expression:
		expression(r, op == CFA_val_expression);
		return true;
	}
	return cfa_instruction(r, op);
}

static bool instruction(struct run *r, unsigned int op)
{
	switch (op) {
	case CFA_nop:
	case CFA_AARCH64_negate_ra_state:	/* pac_mask handles it [UT-24] */
		return true;
	case CFA_GNU_args_size:
		unwind_uleb(&r->b);
		return true;
	case CFA_set_loc:
		return set_location(r);
	case CFA_advance_loc1:
		return advance(r, unwind_unsigned(&r->b, 1));
	case CFA_advance_loc2:
		return advance(r, unwind_unsigned(&r->b, 2));
	case CFA_advance_loc4:
		return advance(r, unwind_unsigned(&r->b, 4));
	case CFA_MIPS_advance_loc8:
		return advance(r, unwind_unsigned(&r->b, 8));
	case CFA_remember_state:
		return remember(r);
	case CFA_restore_state:
		r->fresh = true;
		return recall(r);
	}
	r->fresh = true;
	return register_instruction(r, op);
}

static bool run(struct run *r)
{
	while (r->b.left) {
		unsigned int op = unwind_unsigned(&r->b, 1), low = op & 0x3f;
		bool ok = true;

		switch (op & 0xc0) {
		case CFA_advance_loc:
			ok = advance(r, low);
			break;
		case CFA_offset:
			r->fresh = true;
			place_at_cfa(r, low, unwind_uleb(&r->b));
			break;
		case CFA_restore:
			r->fresh = true;
			place_initial(r, low);
			break;
		default:
			ok = instruction(r, op);
		}
		if (!ok || r->b.bad)
			return false;
	}
	return true;
}

bool unwind_program_initial(struct unwind_bytes program, struct unwind_cie *cie)
{
	struct run r = { .b = program, .cie = cie };

	memset(&cie->initial, 0, sizeof(cie->initial));
	if (!run(&r))
		return false;
	cie->initial = r.now;
	return true;
}

bool unwind_program_run(struct unwind_bytes program, uint64_t vaddr, const struct unwind_cie *cie,
			uint64_t begin, uint64_t end, unwind_emit emit, void *context,
			uint64_t *ret_stopped)
{
	struct run r;
	bool ok;

	/* without the remembered states, which are written before they are read */
	memset(&r, 0, offsetof(struct run, remembered));
	r.b = program;
	r.bytes_begin = program.p;
	r.vaddr = vaddr;
	r.cie = cie;
	r.at = begin;
	r.end = end;
	r.fresh = true;
	r.emit = emit;
	r.context = context;
	r.now = cie->initial;
	ok = run(&r);
	if (ok)
		emit_row(&r);
	else
		*ret_stopped = r.at;
	return ok;
}
