// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hotspot.c - a compiled method has a frame of one size, except in its first and last instructions,
 * which are recognized by their bytes
 *
 * All of this is x86-64's.
 */
#include "unwind/hotspot.h"

#include <string.h>
#include "unwind/build.h"

#define WORD		8
#define PROLOGUE_MAX	32		/* bytes, up to where the frame is complete */
#define PUSH		0x55		/* of rbp */
#define POP		0x5d
#define LEAVE		0xc9
#define RET		0xc3
#define SUB		0xec		/* operand of instructions that change rsp */
#define ADD		0xc4

struct blob {
	const struct registered_blob *head;
	const unsigned char *code;
	uint64_t offset;		/* of the code in the window */
	struct unwind_rules *rules;
	struct unwind_rows *rows;
	int err;
};

static bool has(const struct blob *b, size_t at, const void *bytes, size_t n)
{
	return at <= b->head->size && n <= b->head->size - at && !memcmp(b->code + at, bytes, n);
}

static void add_rule(struct blob *b, size_t at, uint16_t rule)
{
	if (!b->err && at < b->head->size)
		b->err = unwind_rows_add(b->rows, (uint32_t)(b->offset + at), rule);
}

/* From @at on the state is @s. Java's functions keep nobody's registers, but rbp. */
static void add_state(struct blob *b, size_t at, struct unwind_state *s)
{
	static const uint8_t lost[] = { OP_X86_RBX, OP_X86_R12, OP_X86_R13, OP_X86_R14,
					OP_X86_R15 };
	uint16_t rule = UNWIND_UNKNOWN_RULE;

	for (size_t i = 0; i < sizeof(lost); i++)
		s->at[lost[i]].where = UNWIND_UNDEFINED;
	if (!b->err)
		b->err = unwind_rules_add(b->rules, s, false, &rule);
	add_rule(b, at, rule);
}

/* The CFA is @base + @offset. rbp was pushed behind the return address if @is_pushed. */
static void add_frame(struct blob *b, size_t at, uint8_t base, int32_t offset, bool is_pushed)
{
	struct unwind_state s = { .cfa = { OP_CFA_REGISTER, base, 0, offset, 0 } };

	s.at[UNWIND_X86_RA] = (struct unwind_place){ UNWIND_AT_CFA, 0, -WORD };
	if (is_pushed)
		s.at[OP_X86_RBP] = (struct unwind_place){ UNWIND_AT_CFA, 0, -2 * WORD };
	add_state(b, at, &s);
}

/*
 * The interpreter's callers keep their arguments above its frame. If a caller is compiled, these
 * were moved, and its sp is not behind the return address but where the interpreter saved it.
 */
static void add_interpreter(struct blob *b)
{
	struct unwind_state s = { .cfa = { OP_CFA_DEREF, OP_X86_RBP, 0, -WORD, 0 } };

	s.at[UNWIND_X86_RA] = (struct unwind_place){ UNWIND_AT_REGISTER, OP_X86_RBP, WORD };
	s.at[OP_X86_RBP] = (struct unwind_place){ UNWIND_AT_REGISTER, OP_X86_RBP, 0 };
	add_state(b, 0, &s);
}

/* The length of the instruction that changes rsp by @value; 0: it is not there. */
static size_t change_of_rsp(const struct blob *b, size_t at, uint8_t operand, uint32_t value)
{
	const unsigned char small[] = { 0x48, 0x83, operand, (unsigned char)value };
	const unsigned char large[] = { 0x48, 0x81, operand, (unsigned char)value,
					(unsigned char)(value >> 8), (unsigned char)(value >> 16),
					(unsigned char)(value >> 24) };

	if (value < 0x80 && has(b, at, small, sizeof(small)))
		return sizeof(small);
	return has(b, at, large, sizeof(large)) ? sizeof(large) : 0;
}

/* The length of what makes rbp the frame pointer at @at, or 0. */
static size_t frame_pointer_at(const struct blob *b, size_t at)
{
	static const unsigned char set[] = { 0x48, 0x8b, 0xec };

	return has(b, at, set, sizeof(set)) ? sizeof(set) : 0;
}

/* push rbp, the frame pointer perhaps, and the rest of the frame. */
static bool add_pushing(struct blob *b, size_t at)
{
	const uint32_t frame = b->head->frame_size, rest = frame - 2 * WORD;
	size_t to = at + 1 + frame_pointer_at(b, at + 1);
	size_t sub = change_of_rsp(b, to, SUB, rest);

	if (b->code[at] != PUSH || (rest && !sub) || (!rest && to != b->head->complete))
		return false;
	add_frame(b, 0, OP_X86_RSP, WORD, false);
	add_frame(b, at + 1, OP_X86_RSP, 2 * WORD, true);
	add_frame(b, to + sub, OP_X86_RSP, (int32_t)frame, true);
	return true;
}

/* The whole frame, and then rbp to its place. */
static bool add_moving(struct blob *b, size_t at)
{
	static const unsigned char near[] = { 0x48, 0x89, 0x6c, 0x24 };
	static const unsigned char far[] = { 0x48, 0x89, 0xac, 0x24 };
	const uint32_t frame = b->head->frame_size;
	size_t to = at + change_of_rsp(b, at, SUB, frame - WORD), saved = 0;

	if (to > at && has(b, to, near, sizeof(near)))
		saved = to + sizeof(near) + 1;
	else if (to > at && has(b, to, far, sizeof(far)))
		saved = to + sizeof(far) + 4;
	if (!saved)
		return false;
	add_frame(b, 0, OP_X86_RSP, WORD, false);
	add_frame(b, to, OP_X86_RSP, (int32_t)frame, false);
	add_frame(b, saved, OP_X86_RSP, (int32_t)frame, true);
	return true;
}

/* The length of the instructions between the last pop and the end of a return at @at. */
static size_t return_at(const struct blob *b, size_t at)
{
	static const unsigned char poll[] = { 0x49, 0x3b, 0xa7 }, above[] = { 0x0f, 0x87 };

	if (has(b, at, poll, sizeof(poll)) && has(b, at + 7, above, sizeof(above)))
		at += 13;
	return at < b->head->size && b->code[at] == RET ? at + 1 : 0;
}

/* The frame is taken down at @at: the instruction behind that is returned; else 0. */
static size_t add_epilogue(struct blob *b, size_t at)
{
	const uint32_t frame = b->head->frame_size, rest = frame - 2 * WORD;
	size_t add = rest ? change_of_rsp(b, at, ADD, rest) : 0, pop = at + add, end;

	if ((rest && !add) || pop >= b->head->size || b->code[pop] != POP)
		return 0;
	end = return_at(b, pop + 1);
	if (!rest && !end)
		return 0;		/* anything */
	if (add)
		add_frame(b, pop, OP_X86_RSP, 2 * WORD, true);
	add_frame(b, pop + 1, OP_X86_RSP, WORD, false);
	if (!end)
		end = pop + 1 + WORD;	/* a jump */
	add_frame(b, end, OP_X86_RSP, (int32_t)frame, true);
	return end;
}

/* True: it is such a function. */
static bool add_compiled(struct blob *b)
{
	const size_t complete = b->head->complete;
	size_t at = complete < PROLOGUE_MAX ? 0 : complete - PROLOGUE_MAX, end;

	if (b->head->frame_size < 2 * WORD || b->head->frame_size > INT32_MAX)
		return false;
	while (at < complete && !add_pushing(b, at) && !add_moving(b, at))
		at++;
	if (at == complete)
		return false;
	for (at = complete; at < b->head->size; at = end ? end : at + 1)
		end = add_epilogue(b, at);
	return true;
}

/* push rbp, and it becomes the frame pointer. */
static bool is_entry(const struct blob *b, size_t at)
{
	return at < b->head->size && b->code[at] == PUSH && frame_pointer_at(b, at + 1);
}

/* Functions with frame pointers, one or many; those without are small and push nothing. */
static bool add_entering(struct blob *b)
{
	size_t first = 0;

	while (first < b->head->complete && !is_entry(b, first))
		first++;
	if (first == b->head->complete)
		return false;
	add_frame(b, 0, OP_X86_RSP, WORD, false);
	for (size_t at = first; at + 1 < b->head->size; at++) {
		if (is_entry(b, at)) {
			add_frame(b, at, OP_X86_RSP, WORD, false);
			add_frame(b, at + 1, OP_X86_RSP, 2 * WORD, true);
			add_frame(b, at + 4, OP_X86_RBP, 2 * WORD, true);
			at += 3;
		} else if (b->code[at] == LEAVE && b->code[at + 1] == RET) {
			add_frame(b, at + 1, OP_X86_RSP, WORD, false);
			add_frame(b, at + 2, OP_X86_RBP, 2 * WORD, true);
			at++;
		}
	}
	return true;
}

/*
 * Compiled methods jump to the code that finds their handlers, with the place of the exception in
 * rdx. It pushes that as if it had been called there.
 */
static bool add_exception(struct blob *b)
{
	static const unsigned char enter[] = { 0x52, 0x48, 0x83, SUB, WORD, 0x48, 0x89, 0x2c,
					       0x24 };
	static const unsigned char leave[] = { 0x48, 0x8b, 0x2c, 0x24, 0x48, 0x83, ADD, WORD,
					       0x5a };

	if (!has(b, 0, enter, sizeof(enter)))
		return false;
	add_rule(b, 0, UNWIND_UNKNOWN_RULE);
	add_frame(b, 1, OP_X86_RSP, WORD, false);
	add_frame(b, 5, OP_X86_RSP, 2 * WORD, false);
	add_frame(b, sizeof(enter), OP_X86_RSP, 2 * WORD, true);
	for (size_t at = sizeof(enter); at < b->head->size; at++) {
		if (!has(b, at, leave, sizeof(leave)))
			continue;
		add_frame(b, at + sizeof(leave) - 1, OP_X86_RSP, WORD, false);
		add_rule(b, at + sizeof(leave), UNWIND_UNKNOWN_RULE);
	}
	return true;
}

static bool is_kind(const struct blob *b, const char *kind)
{
	return !memcmp(b->head->kind, kind, strnlen(kind, sizeof(b->head->kind)));
}

int unwind_hotspot_add(const struct registered_blob *blob, const unsigned char *code,
		       uint32_t window, struct unwind_rules *rules, struct unwind_rows *rows)
{
	struct blob b = { blob, code, (uint32_t)blob->start, rules, rows, 0 };

	if (unwind_window(blob->start) != window || !blob->size ||
	    b.offset + blob->size > UINT32_MAX)
		return 0;
	b.err = unwind_rows_function(rows, (uint32_t)b.offset, (uint32_t)(b.offset + blob->size));
	if (is_kind(&b, "Interpre"))
		add_interpreter(&b);
	else if (is_kind(&b, "vtable") || is_kind(&b, "MethodHa"))
		add_frame(&b, 0, OP_X86_RSP, WORD, false);	/* these only jump */
	else if (!(is_kind(&b, "nmethod") ? add_compiled(&b) :
					    add_exception(&b) || add_entering(&b) ||
					    add_compiled(&b)))
		add_rule(&b, 0, UNWIND_UNKNOWN_RULE);
	return b.err;
}
