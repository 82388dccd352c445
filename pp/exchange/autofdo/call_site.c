/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_site.c - decode the instruction before a return address */
#include "pp/exchange/autofdo/call_site.h"

#include <elf.h>
#include <stdbool.h>

#define X86_LONGEST	7

static bool is_code(const struct object_file *f, uint64_t address)
{
	for (size_t i = 0; i < f->nr_sections; i++) {
		const struct object_section *s = &f->sections[i];

		if (s->flags & SHF_EXECINSTR && address - s->addr < s->size)
			return true;
	}
	return false;
}

/* Length of the instruction FF /2 at @p, which has no prefix. */
static unsigned int indirect_length(const unsigned char *p)
{
	unsigned int mode = p[1] >> 6, register_or_memory = p[1] & 7;
	unsigned int index_byte = mode != 3 && register_or_memory == 4;

	switch (mode) {
	case 0:
		if (register_or_memory == 5 || (index_byte && (p[2] & 7) == 5))
			return 6 + index_byte;
		return 2 + index_byte;
	case 1:
		return 3 + index_byte;
	case 2:
		return 6 + index_byte;
	default:
		return 2;
	}
}

static enum call_kind x86_call(const struct object_file *f, uint64_t offset, uint64_t address,
			       uint64_t *ret_target)
{
	unsigned char bytes[X86_LONGEST + 1] = { 0 }, *end = bytes + X86_LONGEST;

	if (offset < X86_LONGEST || object_file_read(f, offset - X86_LONGEST, bytes, X86_LONGEST))
		return CALL_SITE_NONE;
	if (end[-5] == 0xe8) {
		uint64_t target = address + (int64_t)(int32_t)object_get32(f, end - 4);

		if (is_code(f, target)) {
			*ret_target = target;
			return CALL_SITE_DIRECT;
		}
	}
	for (unsigned int length = 2; length <= X86_LONGEST; length++) {
		const unsigned char *p = end - length;

		if (p[0] == 0xff && (p[1] >> 3 & 7) == 2 && indirect_length(p) == length)
			return CALL_SITE_INDIRECT;
	}
	return CALL_SITE_NONE;
}

static enum call_kind arm64_call(const struct object_file *f, uint64_t offset, uint64_t address,
				 uint64_t *ret_target)
{
	unsigned char bytes[4];
	uint32_t instruction;

	if (offset < 4 || object_file_read(f, offset - 4, bytes, 4))
		return CALL_SITE_NONE;
	instruction = object_get32(f, bytes);
	if ((instruction & 0xfc000000) == 0x94000000) {		/* bl */
		*ret_target = address - 4 + (int64_t)(int32_t)(instruction << 6) / 16;
		return CALL_SITE_DIRECT;
	}
	if ((instruction & 0xfffffc1f) == 0xd63f0000 ||		/* blr */
	    (instruction & 0xfefff800) == 0xd63f0800)		/* blraa and its kin */
		return CALL_SITE_INDIRECT;
	return CALL_SITE_NONE;
}

enum call_kind pgo_call_site(const struct object_file *f, uint64_t offset, uint64_t address,
			     uint64_t *ret_target)
{
	switch (f->machine) {
	case EM_X86_64:
	case EM_386:
		return x86_call(f, offset, address, ret_target);
	case EM_AARCH64:
		return arm64_call(f, offset, address, ret_target);
	default:
		return CALL_SITE_UNKNOWN;
	}
}
