// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal.c - find the code that returns from a signal handler
 *
 * On arm64 it is in the vdso. On x86 each C library has its own, and so has Go; glibc's has call
 * frame information, musl's has none, and Go's describes it as an ordinary function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unwind/signal.h"

#define CHUNK		(64 << 10)
#define CODE_MAX	(UINT64_C(256) << 20)	/* bytes that are searched */
#define NOT_FOUND	SIZE_MAX
#define CODE_LEN	9			/* bytes of the longest x86 code */

/*
 * Offsets of the registers from sp: after uc_flags, uc_link, uc_stack, on i386 also after the
 * handler's arguments and siginfo, or after the one argument of a handler without siginfo; on arm64
 * after siginfo up to x0.
 */
#define X86_REGISTERS		40
#define I386_REGISTERS		176
#define I386_OLD_REGISTERS	20
#define ARM64_REGISTERS		(128 + 176 + 8)

static const struct code {
	uint16_t machine;
	uint8_t size, bytes[CODE_LEN];
	int32_t registers;
	bool pops;			/* a word, with its first byte */
} x86_codes[] = {
	/* mov $15, %rax or %eax; syscall */
	{ OP_UNWIND_X86_64, 9, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, X86_REGISTERS,
	  false },
	{ OP_UNWIND_X86_64, 7, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, X86_REGISTERS, false },
	/* mov $173, %eax; int $0x80 */
	{ OP_UNWIND_I386, 7, { 0xb8, 0xad, 0, 0, 0, 0xcd, 0x80 }, I386_REGISTERS, false },
	/* pop %eax; mov $119, %eax; int $0x80 */
	{ OP_UNWIND_I386, 8, { 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80 }, I386_OLD_REGISTERS, true },
};

/* mov x8, #139; svc #0 */
static const uint8_t arm64_code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };

/*
 * Lookups are by the return address - 1, a byte before the code. So that byte must be padding
 * rather than another function's, or belong to the other code, as in musl on i386.
 */
static bool may_precede(const uint8_t *end)
{
	return end[-1] == 0x90 || end[-1] == 0xcc || end[-1] == 0 ||
	       (end[-1] == 0x80 && end[-2] == 0xcd);
}

/* The code that ends at @end, or NULL. At least CODE_LEN + 2 bytes precede it. */
static const struct code *x86_code(uint16_t machine, const uint8_t *end)
{
	for (size_t i = 0; i < sizeof(x86_codes) / sizeof(*x86_codes); i++) {
		const struct code *code = &x86_codes[i];

		if (code->machine == machine && !memcmp(end - code->size, code->bytes, code->size))
			return may_precede(end - code->size) ? code : NULL;
	}
	return NULL;
}

/* The end of the next code from @at on, or NULL; *ret is the code. */
static const uint8_t *find_x86(uint16_t machine, const uint8_t *at, const uint8_t *end,
			       const struct code **ret)
{
	static const uint8_t call[] = { 0x0f, 0x05 }, old_call[] = { 0xcd, 0x80 };
	const uint8_t *wanted = machine == OP_UNWIND_I386 ? old_call : call;

	while (at < end && (at = memmem(at, end - at, wanted, sizeof(call)))) {
		at += sizeof(call);
		*ret = x86_code(machine, at);
		if (*ret)
			return at;
	}
	return NULL;
}

static size_t find_arm64(const uint8_t *bytes, size_t n, size_t *ret_size)
{
	const uint8_t *found = memmem(bytes, n, arm64_code, sizeof(arm64_code));

	if (!found || found - bytes < 4)
		return NOT_FOUND;
	*ret_size = 4 + sizeof(arm64_code);
	return found - bytes - 4;
}

/* Rows for the @size bytes at @offset, where the registers are at @registers from sp. */
static int add(struct unwind_rules *rules, struct unwind_rows *rows, uint64_t offset, size_t size,
	       int32_t registers)
{
	uint16_t rule;
	int err;

	if (offset + size >= (uint64_t)OP_UNWIND_PAGES_MAX << OP_UNWIND_PAGE_SHIFT)
		return 0;
	err = unwind_rules_add_signal(rules, unwind_sp_column(rules->machine), registers, &rule);
	if (!err)
		err = unwind_rows_function(rows, offset, offset + size);
	return err ? err : unwind_rows_add(rows, offset, rule);
}

/* The code that ends at @end of the file, with the byte before it. */
static int add_code(const struct code *code, uint64_t end, struct unwind_rules *rules,
		    struct unwind_rows *rows)
{
	uint64_t begin = end - code->size;
	int err;

	if (!code->pops)
		return add(rules, rows, begin - 1, 1 + code->size, code->registers);
	err = add(rules, rows, begin - 1, 2, code->registers);
	return err ? err : add(rules, rows, begin + 1, code->size - 1,
			       code->registers - unwind_word(rules->machine));
}

/* In chunks, which overlap by the longest code and the two bytes before it. */
static int search_segment(const struct unwind_elf *elf, const struct unwind_segment *s,
			  uint8_t *room, struct unwind_rules *rules, struct unwind_rows *rows)
{
	const size_t overlap = CODE_LEN + 1;
	uint64_t size = s->size < CODE_MAX ? s->size : CODE_MAX;

	for (uint64_t at = 0; at + overlap < size; at += CHUNK - overlap) {
		size_t n = size - at < CHUNK ? size - at : CHUNK;
		const uint8_t *found = room + overlap - 1;
		const struct code *code;
		int err = elf_file_read(&elf->file, s->offset + at, room, n);

		while (!err && (found = find_x86(rules->machine, found, room + n, &code)))
			err = add_code(code, s->offset + at + (found - room), rules, rows);
		if (err)
			return err;
	}
	return 0;
}

static int add_x86(const struct unwind_elf *elf, struct unwind_rules *rules,
		   struct unwind_rows *rows)
{
	uint8_t *room = malloc(CHUNK);
	int err = room ? 0 : -ENOMEM;

	for (size_t i = 0; i < elf->nr_segments && !err; i++)
		if (elf->segments[i].executable)
			err = search_segment(elf, &elf->segments[i], room, rules, rows);
	free(room);
	return err;
}

int unwind_signal_add(const struct unwind_elf *elf, struct unwind_rules *rules,
		      struct unwind_rows *rows)
{
	const struct elf_file *file = &elf->file;
	size_t at, size;

	if (file->machine != OP_UNWIND_ARM64)	/* a dynamic program's is in its C library */
		return elf->has_interpreter && !elf->is_go ? 0 : add_x86(elf, rules, rows);
	if (!file->bytes)
		return 0;
	at = find_arm64(file->bytes, file->size, &size);
	return at == NOT_FOUND ? 0 : add(rules, rows, at, size, ARM64_REGISTERS);
}
