// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal.c - find the code that returns from a signal handler
 *
 * On arm64 it is in the vdso. On x86-64 each C library has its own, and so has Go; glibc's has call
 * frame information, musl's has none, and Go's describes it as an ordinary function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unwind/signal.h"

#define CHUNK		(64 << 10)
#define CODE_MAX	(UINT64_C(256) << 20)	/* bytes that are searched */
#define NOT_FOUND	SIZE_MAX

/* mov $15, %eax or %rax; syscall: the common end, and the beginnings. */
static const uint8_t x86_end[] = { 0x0f, 0, 0, 0, 0x0f, 0x05 };
static const uint8_t x86_rax[] = { 0x48, 0xc7, 0xc0 }, x86_eax[] = { 0xb8 };
/* mov x8, #139; svc #0 */
static const uint8_t arm64_code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };

#define X86_BEFORE	(sizeof(x86_rax) + 1)

/* Offsets of the registers from sp: after uc_flags, uc_link, uc_stack; after siginfo up to x0. */
#define X86_REGISTERS	40
#define ARM64_REGISTERS	(128 + 176 + 8)

/*
 * Lookups are by the return address - 1, a byte before the code. So that byte must be padding
 * rather than another function's.
 */
static bool is_padding(uint8_t byte)
{
	return byte == 0x90 || byte == 0xcc || byte == 0;
}

/* The length of the instruction before @end; 0: another one. */
static size_t x86_begin(const uint8_t *end)
{
	if (!memcmp(end - sizeof(x86_rax), x86_rax, sizeof(x86_rax)))
		return is_padding(end[-(int)sizeof(x86_rax) - 1]) ? sizeof(x86_rax) : 0;
	if (!memcmp(end - sizeof(x86_eax), x86_eax, sizeof(x86_eax)))
		return is_padding(end[-(int)sizeof(x86_eax) - 1]) ? sizeof(x86_eax) : 0;
	return 0;
}

/* The offset in @bytes of the byte before the code; *ret_size: the length from there to its end. */
static size_t find_x86(const uint8_t *bytes, size_t n, size_t *ret_size)
{
	const uint8_t *at = bytes + X86_BEFORE, *found;

	while (at < bytes + n && (found = memmem(at, bytes + n - at, x86_end, sizeof(x86_end)))) {
		size_t begin = x86_begin(found);

		if (begin) {
			*ret_size = 1 + begin + sizeof(x86_end);
			return found - bytes - begin - 1;
		}
		at = found + 1;
	}
	return NOT_FOUND;
}

static size_t find_arm64(const uint8_t *bytes, size_t n, size_t *ret_size)
{
	const uint8_t *found = memmem(bytes, n, arm64_code, sizeof(arm64_code));

	if (!found || found - bytes < 4)
		return NOT_FOUND;
	*ret_size = 4 + sizeof(arm64_code);
	return found - bytes - 4;
}

static int add(struct unwind_rules *rules, struct unwind_rows *rows, uint64_t offset, size_t size)
{
	bool arm64 = rules->machine == OP_UNWIND_ARM64;
	uint16_t rule;
	int err;

	if (offset + size >= (uint64_t)OP_UNWIND_PAGES_MAX << OP_UNWIND_PAGE_SHIFT)
		return 0;
	err = unwind_rules_add_signal(rules, arm64 ? OP_ARM64_SP : OP_X86_RSP,
				      arm64 ? ARM64_REGISTERS : X86_REGISTERS, &rule);
	if (!err)
		err = unwind_rows_function(rows, offset, offset + size);
	return err ? err : unwind_rows_add(rows, offset, rule);
}

/*
 * The first match in each chunk, as binaries have one or two. Chunks overlap by the code's length.
 */
static int search_segment(const struct unwind_elf *elf, const struct unwind_segment *s,
			uint8_t *room, struct unwind_rules *rules, struct unwind_rows *rows)
{
	const size_t overlap = X86_BEFORE + sizeof(x86_end) - 1;
	uint64_t size = s->size < CODE_MAX ? s->size : CODE_MAX, last = UINT64_MAX;

	for (uint64_t at = 0; at + overlap < size; at += CHUNK - overlap) {
		size_t n = size - at < CHUNK ? size - at : CHUNK, found, found_size;
		int err = elf_file_read(&elf->file, s->offset + at, room, n);

		if (err)
			return err;
		found = find_x86(room, n, &found_size);
		if (found == NOT_FOUND || s->offset + at + found == last)
			continue;
		last = s->offset + at + found;
		err = add(rules, rows, last, found_size);
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

	if (file->machine == OP_UNWIND_X86_64)	/* a dynamic program's is in its C library */
		return elf->has_interpreter && !elf->is_go ? 0 : add_x86(elf, rules, rows);
	if (!file->bytes)
		return 0;
	at = find_arm64(file->bytes, file->size, &size);
	return at == NOT_FOUND ? 0 : add(rules, rows, at, size);
}
