/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pointer.h - the encodings of addresses in .eh_frame */
#ifndef UNWIND_POINTER_H
#define UNWIND_POINTER_H

#include "unwind/bytes.h"

/* Low four bits: the number's form; next three: what it is relative to; high bit: indirect. */
enum unwind_encoding {
	UNWIND_ABSOLUTE		= 0x00,
	UNWIND_UNSIGNED_4	= 0x03,
	UNWIND_SIGNED_4		= 0x0b,
	UNWIND_FORM		= 0x0f,
	UNWIND_PC_RELATIVE	= 0x10,
	UNWIND_RELATIVE		= 0x70,
	UNWIND_ALIGNED		= 0x50,
	UNWIND_OMITTED		= 0xff,
};

/* @encoding as in a file with addresses of 4 bytes: only absolute ones depend on that. */
static inline uint8_t unwind_encoding_of_32(uint8_t encoding)
{
	return encoding & UNWIND_FORM ? encoding : encoding | UNWIND_UNSIGNED_4;
}

static inline bool unwind_other_number(struct unwind_bytes *b, uint8_t encoding, uint64_t *ret)
{
	switch (encoding & UNWIND_FORM) {
	case 0x0: case 0x4: case 0xc:
		*ret = unwind_unsigned(b, 8);
		break;
	case 0x1:
		*ret = unwind_uleb(b);
		break;
	case 0x2:
		*ret = unwind_unsigned(b, 2);
		break;
	case 0x3:
		*ret = unwind_unsigned(b, 4);
		break;
	case 0x9:
		*ret = unwind_sleb(b);
		break;
	case 0xa:
		*ret = unwind_signed(b, 2);
		break;
	default:
		return false;
	}
	return !b->bad;
}

/* A number of the form in @encoding; false: unknown form. */
static inline bool unwind_number(struct unwind_bytes *b, uint8_t encoding, uint64_t *ret)
{
	if ((encoding & UNWIND_FORM) != UNWIND_SIGNED_4)	/* what compilers choose */
		return unwind_other_number(b, encoding, ret);
	*ret = unwind_signed(b, 4);
	return !b->bad;
}

/*
 * Read an address that is stored at @vaddr. Addresses of code are absolute or relative to their own
 * place; others, and indirect ones, cannot be resolved from the file alone: false.
 */
static inline bool unwind_pointer(struct unwind_bytes *b, uint8_t encoding, uint64_t vaddr,
				  uint64_t *ret)
{
	uint8_t relative = encoding & ~UNWIND_FORM;

	if (relative != UNWIND_ABSOLUTE && relative != UNWIND_PC_RELATIVE)
		return false;
	if (!unwind_number(b, encoding, ret))
		return false;
	*ret += relative == UNWIND_PC_RELATIVE ? vaddr : 0;
	return true;
}

#endif
