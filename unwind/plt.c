// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plt.c - what the entries of a procedure linkage table do to the stack
 *
 * An entry jumps to a function whose address it reads: the caller's frame is unchanged. Only the
 * lazy kind, for functions that are not bound yet, pushes a number for the dynamic linker, and its
 * first entry, to which all others jump, pushes another one.
 */
#include "unwind/plt.h"

#define X86_FIRST	16	/* bytes of the first entry of the lazy kind */
#define ARM64_FIRST	32

struct piece {
	uint32_t from;			/* offset in the section */
	struct unwind_cfa cfa;
};

static int add_pieces(struct unwind_rules *rules, struct unwind_rows *rows, uint64_t offset,
		      uint64_t size, const struct piece *piece, size_t nr)
{
	int err = unwind_rows_function(rows, offset, offset + size);

	for (size_t i = 0; i < nr && piece[i].from < size && !err; i++) {
		struct unwind_state state = { .cfa = piece[i].cfa };
		uint16_t rule;

		if (rules->machine != OP_UNWIND_ARM64 || state.cfa.offset)
			state.at[unwind_ra_column(rules->machine)] = (struct unwind_place){
				UNWIND_AT_CFA, 0, -unwind_word(rules->machine) };
		err = unwind_rules_add(rules, &state, false, &rule);
		if (!err)
			err = unwind_rows_add(rows, offset + piece[i].from, rule);
	}
	return err;
}

static int add_x86(struct unwind_rules *rules, struct unwind_rows *rows, uint64_t offset,
		   uint64_t size, const uint8_t *first)
{
	uint8_t sp = unwind_sp_column(rules->machine);
	int word = unwind_word(rules->machine);
	const struct piece plain = { 0, { OP_CFA_REGISTER, sp, 0, word, 0 } };
	struct piece lazy[] = {
		{ 0, { OP_CFA_REGISTER, sp, 0, 2 * word, 0 } },
		{ 6, { OP_CFA_REGISTER, sp, 0, 3 * word, 0 } },
		{ X86_FIRST, { OP_CFA_PLT, sp, 0, word, 11 } },
	};

	/*
	 * push [rip + n], on i386 [n] or [ebx + n], begins a first entry; endbr and push n an entry
	 * with branch tracking.
	 */
	if (first[0] != 0xff || (first[1] != 0x35 && first[1] != 0xb3))
		return add_pieces(rules, rows, offset, size, &plain, 1);
	if (first[X86_FIRST] == 0xf3 && first[X86_FIRST + 1] == 0x0f)
		lazy[2].cfa.offset2 = 9;
	return add_pieces(rules, rows, offset, size, lazy, 3);
}

static int add_arm64(struct unwind_rules *rules, struct unwind_rows *rows, uint64_t offset,
		     uint64_t size, const uint8_t *first)
{
	/* stp x16, x30, [sp, #-16]! */
	static const uint8_t push[] = { 0xf0, 0x7b, 0xbf, 0xa9 };
	static const struct piece plain = { 0, { OP_CFA_REGISTER, OP_ARM64_SP, 0, 0, 0 } };
	struct piece lazy[] = {
		plain, { 0, { OP_CFA_REGISTER, OP_ARM64_SP, 0, 16, 0 } },
		{ ARM64_FIRST, { OP_CFA_REGISTER, OP_ARM64_SP, 0, 0, 0 } },
	};

	if (!memcmp(first, push, sizeof(push)))
		lazy[1].from = 4;
	else if (!memcmp(first + 4, push, sizeof(push)))	/* after bti c */
		lazy[1].from = 8;
	else
		return add_pieces(rules, rows, offset, size, &plain, 1);
	return add_pieces(rules, rows, offset, size, lazy, 3);
}

int unwind_plt_add(struct unwind_elf *elf, struct unwind_rules *rules, struct unwind_rows *rows,
		   uint64_t *bytes)
{
	for (size_t i = 0; i < elf->nr_plts; i++) {
		const struct unwind_section *s = &elf->plt[i];
		uint8_t first[2 * X86_FIRST] = { 0 };
		uint64_t offset, known = s->size < sizeof(first) ? s->size : sizeof(first);
		int err;

		if (!unwind_elf_offset(elf, s->vaddr, s->size, &offset) ||
		    offset + s->size >= (uint64_t)OP_UNWIND_PAGES_MAX << OP_UNWIND_PAGE_SHIFT)
			continue;
		err = elf_file_read(&elf->file, offset, first, known);
		if (!err && elf->file.machine == OP_UNWIND_ARM64)
			err = add_arm64(rules, rows, offset, s->size, first);
		else if (!err)
			err = add_x86(rules, rows, offset, s->size, first);
		if (err)
			return err;
		*bytes += s->size;
	}
	return 0;
}
