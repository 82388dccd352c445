// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi.c - CIEs and FDEs (DWARF 5, 6.4.1, and the LSB's .eh_frame)
 *
 * An entry begins with its length and its kind: a CIE has what functions share, an FDE is one
 * function and refers to a CIE. Many FDEs share a few CIEs, so these are cached.
 */
#include <errno.h>
#include "unwind/cfi.h"
#include "unwind/pointer.h"

#define CIE_SIZE_MAX	1024	/* real ones have 20 to 200 bytes */
#define CIES_KEPT	8	/* a power of two */

struct entry {
	struct unwind_bytes b;		/* the bytes after its id */
	bool is_cie;
	uint64_t cie;			/* of an FDE: offset of its CIE in the section */
};

struct kept_cie {
	uint64_t offset;
	bool tried, ok;
	struct unwind_cie cie;
};

struct walk {
	const struct unwind_cfi *cfi;
	struct kept_cie kept[CIES_KEPT];
};

static uint64_t vaddr_of(const struct unwind_cfi *cfi, const struct unwind_bytes *b)
{
	return cfi->vaddr + (b->p - cfi->bytes);
}

/*
 * Read the entry at @b and advance @b past it. ret->b.p is NULL for a length of 0. False: invalid
 * length, so the rest cannot be read either.
 */
static bool read_entry(const struct unwind_cfi *cfi, struct unwind_bytes *b, struct entry *ret)
{
	unsigned int id_size = 4;
	uint64_t len = unwind_unsigned(b, 4), id, id_at;

	*ret = (struct entry){ .is_cie = false };
	if (!len)
		return !b->bad;
	if (len == UINT32_MAX) {
		len = unwind_unsigned(b, 8);
		id_size = cfi->debug_frame ? 8 : 4;
	}
	ret->b = unwind_part(b, len);
	id_at = ret->b.p - cfi->bytes;
	id = id_size == 4 ? unwind_unsigned(&ret->b, 4) : unwind_unsigned(&ret->b, 8);
	if (ret->b.bad)
		return false;
	if (cfi->debug_frame) {
		ret->is_cie = id == (id_size == 8 ? UINT64_MAX : UINT32_MAX);
		ret->cie = id;
	} else {
		ret->is_cie = !id;
		ret->cie = id_at - id;
	}
	return true;
}

static uint8_t address_encoding(const struct unwind_cfi *cfi, uint8_t encoding)
{
	return cfi->is_32 ? unwind_encoding_of_32(encoding) : encoding;
}

/* The letters after 'z', each with its data; an unknown letter ends the readable part. */
static bool read_augmentation(const struct unwind_cfi *cfi, const char *letters,
			      struct unwind_bytes *b, struct unwind_cie *cie)
{
	uint64_t ignored;
	uint8_t encoding;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'L':
			unwind_unsigned(b, 1);
			break;
		case 'P':
			encoding = address_encoding(cfi, unwind_unsigned(b, 1));
			if ((encoding & UNWIND_RELATIVE) == UNWIND_ALIGNED ||
			    (encoding != UNWIND_OMITTED && !unwind_number(b, encoding, &ignored)))
				return false;
			break;
		case 'R':
			cie->encoding = address_encoding(cfi, unwind_unsigned(b, 1));
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': case 'G':	/* arm64: signing key, memory tags */
			break;
		default:
			return !b->bad;
		}
	}
	return !b->bad;
}

static bool read_cie(const struct unwind_cfi *cfi, struct unwind_bytes b, struct unwind_cie *cie)
{
	unsigned int version = unwind_unsigned(&b, 1);
	const char *letters = (const char *)b.p;
	const uint8_t *nul = b.left ? memchr(b.p, 0, b.left) : NULL;
	struct unwind_bytes data;
	uint64_t ra;

	if (!nul || (version != 1 && version != 3 && version != 4))
		return false;
	unwind_skip(&b, nul + 1 - b.p);
	if (version == 4 && unwind_unsigned(&b, 2) != (cfi->is_32 ? 4 : 8))
		return false;		/* the address size, and 0 for that of segment selectors */
	cie->machine = cfi->machine;
	cie->encoding = address_encoding(cfi, UNWIND_ABSOLUTE);
	cie->code_factor = unwind_uleb(&b);
	cie->data_factor = unwind_sleb(&b);
	ra = version == 1 ? unwind_unsigned(&b, 1) : unwind_uleb(&b);
	if (ra != unwind_ra_column(cfi->machine))
		return false;
	if (letters[0] == 'z') {
		cie->augmented = true;
		data = unwind_part(&b, unwind_uleb(&b));
		if (!read_augmentation(cfi, letters + 1, &data, cie))
			return false;
	} else if (letters[strspn(letters, "SBG")]) {
		return false;		/* other letters need a length of their data */
	} else {
		cie->signal = strchr(letters, 'S');
	}
	return !b.bad && unwind_program_initial(b, cie);
}

/* NULL: missing or malformed. */
static const struct unwind_cie *find_cie(struct walk *walk, uint64_t offset)
{
	const struct unwind_cfi *cfi = walk->cfi;
	struct kept_cie *kept = &walk->kept[(offset >> 2) % CIES_KEPT];
	struct unwind_bytes b;
	struct entry entry;

	if (offset >= cfi->size)
		return NULL;
	if (!kept->tried || kept->offset != offset) {
		*kept = (struct kept_cie){ .offset = offset, .tried = true };
		b = unwind_bytes(cfi->bytes + offset, cfi->size - offset);
		kept->ok = read_entry(cfi, &b, &entry) && entry.is_cie &&
			   entry.b.left <= CIE_SIZE_MAX && read_cie(cfi, entry.b, &kept->cie);
	}
	return kept->ok ? &kept->cie : NULL;
}

static bool read_fde(struct walk *walk, const struct entry *entry, struct unwind_fde *ret)
{
	const struct unwind_cie *cie = find_cie(walk, entry->cie);
	struct unwind_bytes b = entry->b;
	uint64_t size;

	if (!cie || !unwind_pointer(&b, cie->encoding, vaddr_of(walk->cfi, &b), &ret->begin) ||
	    !unwind_number(&b, cie->encoding, &size))
		return false;
	if (walk->cfi->is_32)		/* relative to their place modulo 4 GiB */
		ret->begin = (uint32_t)ret->begin;
	ret->end = ret->begin + size;
	if (cie->augmented)
		unwind_skip(&b, unwind_uleb(&b));
	ret->cie = cie;
	ret->program = b;
	ret->program_vaddr = vaddr_of(walk->cfi, &b);
	return !b.bad && ret->end >= ret->begin;
}

int unwind_cfi_walk(const struct unwind_cfi *cfi, unwind_fde_callback callback, void *context,
		    uint64_t *skipped)
{
	struct walk walk = { .cfi = cfi };
	struct unwind_bytes b = unwind_bytes(cfi->bytes, cfi->size);
	struct unwind_fde fde;
	struct entry entry;
	int err = 0;

	while (b.left && !err) {
		if (!read_entry(cfi, &b, &entry)) {
			++*skipped;
			break;
		}
		if (!entry.b.p && cfi->to_end)
			break;
		if (!entry.b.p || entry.is_cie)
			continue;
		if (read_fde(&walk, &entry, &fde))
			err = callback(context, &fde);
		else
			++*skipped;
	}
	return err;
}
