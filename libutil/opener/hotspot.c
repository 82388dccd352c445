// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hotspot.c - a heap of code is an array of segments, and one byte for each in a map of its own: 0
 * where a block begins, 0xff where none is. A block is a header and a CodeBlob, which has the code
 * and, if it is a compiled method, leads to its names.
 */
#include "libutil/opener/hotspot.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX	8192		/* of a table of the virtual machine */
#define TEXT_MAX	64		/* bytes of a name in those */
#define HEAPS_MAX	8
#define STRUCT_MAX	1024		/* the sizes of structures that are read whole */
#define SEGMENTS_MAX	(4u << 20)	/* of a heap; they have 64 or 128 bytes */
#define BLOCK_MAX	(1u << 20)	/* bytes of a block; larger ones have no method */
#define SYMBOL_MAX	512		/* bytes; longer names are truncated */
#define FREE_SEGMENT	0xff
#define WORD		8
#define PAGE		4096
#define PAGES		512		/* that are kept, by address */

/* In the tables, with pointers of 64 bits. */
struct vm_field {
	uint64_t type, name, type_string;
	uint32_t is_static;
	uint64_t offset, address;
};

struct vm_type {
	uint64_t name, super;
	uint32_t is_oop, is_integer, is_unsigned;
	uint64_t size;
};

enum field {
	HEAPS, ARRAY_LENGTH, ARRAY_DATA, MEMORY, SEGMENTS, SHIFT, USED, LOW, HIGH,
	BLOB_NAME, BLOB_COMPLETE, BLOB_FRAME, BLOB_BEGIN, BLOB_END,
	METHOD, CONST_METHOD, CONSTANTS, NAME_INDEX, SIGNATURE_INDEX, HOLDER, KLASS_NAME,
	SYMBOL_LENGTH, SYMBOL_BODY, FIELDS
};

enum type { BLOCK, CONSTANT_POOL, TYPES };

static const char *const field_names[FIELDS][2] = {
	[HEAPS] = { "CodeCache", "_heaps" },
	[ARRAY_LENGTH] = { "GrowableArrayBase", "_len" },
	[ARRAY_DATA] = { "GrowableArray<int>", "_data" },
	[MEMORY] = { "CodeHeap", "_memory" },
	[SEGMENTS] = { "CodeHeap", "_segmap" },
	[SHIFT] = { "CodeHeap", "_log2_segment_size" },
	[USED] = { "HeapBlock::Header", "_used" },
	[LOW] = { "VirtualSpace", "_low" },
	[HIGH] = { "VirtualSpace", "_high" },
	[BLOB_NAME] = { "CodeBlob", "_name" },
	[BLOB_COMPLETE] = { "CodeBlob", "_frame_complete_offset" },
	[BLOB_FRAME] = { "CodeBlob", "_frame_size" },
	[BLOB_BEGIN] = { "CodeBlob", "_code_begin" },
	[BLOB_END] = { "CodeBlob", "_code_end" },
	[METHOD] = { "CompiledMethod", "_method" },
	[CONST_METHOD] = { "Method", "_constMethod" },
	[CONSTANTS] = { "ConstMethod", "_constants" },
	[NAME_INDEX] = { "ConstMethod", "_name_index" },
	[SIGNATURE_INDEX] = { "ConstMethod", "_signature_index" },
	[HOLDER] = { "ConstantPool", "_pool_holder" },
	[KLASS_NAME] = { "Klass", "_name" },
	[SYMBOL_LENGTH] = { "Symbol", "_length" },
	[SYMBOL_BODY] = { "Symbol", "_body" },
};

static const char *const type_names[TYPES] = {
	[BLOCK] = "HeapBlock",
	[CONSTANT_POOL] = "ConstantPool",
};

struct page {
	uint64_t address;		/* 0: unused */
	bool is_there;
	unsigned char bytes[PAGE];
};

struct hotspot {
	uint32_t pid;
	uint64_t offset[FIELDS];	/* of HEAPS the address */
	bool is_found[FIELDS];
	uint64_t size[TYPES];
	int (*add)(void *context, const struct iovec *parts, int nr);
	void *context;
	uint64_t *nr_pages;		/* looked at, for all calls */
	struct page *pages;		/* PAGES */
	unsigned char *block, *map;	/* BLOCK_MAX, SEGMENTS_MAX bytes */
	uint64_t kind_at;		/* address of the last kind that was read */
	char kind[TEXT_MAX];
};

/* ---- memory ---- */

/* The page of the process at @address; NULL: it cannot be read. Valid until the next call. */
static const unsigned char *page_at(struct hotspot *h, uint64_t address)
{
	struct page *p = &h->pages[address / PAGE % PAGES];
	struct iovec here = { p->bytes, PAGE }, there = { (void *)(uintptr_t)address, PAGE };

	if (p->address != address) {
		p->address = address;
		p->is_there = process_vm_readv((pid_t)h->pid, &here, 1, &there, 1, 0) == PAGE;
	}
	return p->is_there ? p->bytes : NULL;
}

static bool is_exhausted(const struct hotspot *h)
{
	return *h->nr_pages >= HOTSPOT_PAGES_MAX;
}

static bool read_at(struct hotspot *h, uint64_t address, void *to, size_t n)
{
	unsigned char *at = to;

	while (n) {
		const size_t in_page = address % PAGE;
		const size_t some = n < PAGE - in_page ? n : PAGE - in_page;
		const unsigned char *page;

		if (is_exhausted(h))
			return false;
		++*h->nr_pages;
		page = page_at(h, address - in_page);
		if (!page)
			return false;
		memcpy(at, page + in_page, some);
		at += some;
		address += some;
		n -= some;
	}
	return true;
}

static uint64_t read_word(struct hotspot *h, uint64_t address)
{
	uint64_t word = 0;

	return read_at(h, address, &word, sizeof(word)) ? word : 0;
}

/* A text, truncated; it may lie before memory that is not there. */
static void read_text(struct hotspot *h, uint64_t address, char text[TEXT_MAX])
{
	const uint64_t to_end = PAGE - address % PAGE;
	size_t n = to_end < TEXT_MAX - 1 ? (size_t)to_end : TEXT_MAX - 1;

	memset(text, 0, TEXT_MAX);
	if (read_at(h, address, text, n) && !memchr(text, '\0', n) && n < TEXT_MAX - 1)
		(void)read_at(h, address + n, text + n, TEXT_MAX - 1 - n);
}

/* ---- the tables of the virtual machine ---- */

static void take_field(struct hotspot *h, const struct vm_field *f)
{
	char type[TEXT_MAX], name[TEXT_MAX];

	read_text(h, f->type, type);
	for (unsigned int i = 0; i < FIELDS; i++) {
		if (strcmp(type, field_names[i][0]))
			continue;
		read_text(h, f->name, name);
		if (!strcmp(name, field_names[i][1])) {
			h->offset[i] = f->is_static ? f->address : f->offset;
			h->is_found[i] = f->is_static == (i == HEAPS) &&
					 (i == HEAPS || f->offset < STRUCT_MAX - WORD);
		}
	}
}

static void take_type(struct hotspot *h, const struct vm_type *t)
{
	char name[TEXT_MAX];

	read_text(h, t->name, name);
	for (unsigned int i = 0; i < TYPES; i++)
		if (!strcmp(name, type_names[i]) && t->size < STRUCT_MAX)
			h->size[i] = t->size;
}

static int read_tables(struct hotspot *h, const struct registered_place *place)
{
	uint64_t fields = read_word(h, place->symbol), types = read_word(h, place->types);
	struct vm_field f;
	struct vm_type t;

	for (size_t i = 0; i < ENTRIES_MAX; i++, fields += sizeof(f)) {
		if (!read_at(h, fields, &f, sizeof(f)))
			return -EFAULT;
		if (!f.type)
			break;
		take_field(h, &f);
	}
	for (size_t i = 0; i < ENTRIES_MAX; i++, types += sizeof(t)) {
		if (!read_at(h, types, &t, sizeof(t)))
			return -EFAULT;
		if (!t.name)
			break;
		take_type(h, &t);
	}
	for (unsigned int i = 0; i < FIELDS; i++)
		if (!h->is_found[i])
			return -EPROTO;
	return h->size[BLOCK] && h->size[CONSTANT_POOL] ? 0 : -EPROTO;
}

/* ---- names ---- */

/* Append the symbols at @addresses to @name; those that cannot be read are empty. */
static size_t read_symbols(struct hotspot *h, const uint64_t *addresses, size_t nr, char *name)
{
	size_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		uint16_t len = 0;

		if (!read_at(h, addresses[i] + h->offset[SYMBOL_LENGTH], &len, sizeof(len)))
			continue;
		len = len < SYMBOL_MAX ? len : SYMBOL_MAX;
		if (!i)
			name[at++] = 'L';
		if (read_at(h, addresses[i] + h->offset[SYMBOL_BODY], name + at, len))
			at += len;
		if (!i)
			name[at++] = ';';
	}
	return at;
}

/* The name as libopagent's for Java spells it: LClass;method(arguments)result. 0: unknown. */
static size_t read_method(struct hotspot *h, uint64_t method, char *name)
{
	const uint64_t constant = read_word(h, method + h->offset[CONST_METHOD]);
	const uint64_t pool = read_word(h, constant + h->offset[CONSTANTS]);
	const uint64_t klass = read_word(h, pool + h->offset[HOLDER]);
	uint64_t symbols[3] = { read_word(h, klass + h->offset[KLASS_NAME]) };
	uint16_t index[2];

	if (!read_at(h, constant + h->offset[NAME_INDEX], &index[0], sizeof(*index)) ||
	    !read_at(h, constant + h->offset[SIGNATURE_INDEX], &index[1], sizeof(*index)))
		return 0;
	for (size_t i = 0; i < 2; i++)
		symbols[1 + i] = read_word(h, pool + h->size[CONSTANT_POOL] +
					      WORD * (uint64_t)index[i]);
	return read_symbols(h, symbols, 3, name);
}

/* ---- code ---- */

static uint64_t block_word(const struct hotspot *h, enum field f)
{
	uint64_t word;

	memcpy(&word, h->block + h->size[BLOCK] + h->offset[f], sizeof(word));
	return word;
}

/* The block of @n bytes at @address is in h->block. */
static int add_block(struct hotspot *h, uint64_t address, size_t n)
{
	const uint64_t begin = block_word(h, BLOB_BEGIN), end = block_word(h, BLOB_END);
	const uint32_t complete = (uint32_t)block_word(h, BLOB_COMPLETE);
	struct registered_blob blob = { .magic = REGISTERED_BLOB, .start = begin,
					.frame_size = (uint32_t)block_word(h, BLOB_FRAME) * WORD };
	char name[3 * SYMBOL_MAX + 2];
	size_t len = 0;

	if (begin < address || begin > end || end > address + n)
		return 0;
	if (block_word(h, BLOB_NAME) != h->kind_at) {
		h->kind_at = block_word(h, BLOB_NAME);
		read_text(h, h->kind_at, h->kind);
	}
	memcpy(blob.kind, h->kind, sizeof(blob.kind));
	blob.size = (uint32_t)(end - begin);
	blob.complete = complete < blob.size ? complete : blob.size;
	if (strstr(h->kind, "nmethod"))
		len = read_method(h, block_word(h, METHOD), name);
	if (!len)
		len = (size_t)snprintf(name, sizeof(name), "%s", h->kind);
	return h->add(h->context, (struct iovec[]){ { &blob, sizeof(blob) },
		      { h->block + (begin - address), blob.size }, { name, len } }, HOTSPOT_PARTS);
}

static int add_heap(struct hotspot *h, const unsigned char *heap)
{
	uint64_t low, high, map;
	uint32_t shift;
	size_t nr, next;
	int err = 0;

	memcpy(&low, heap + h->offset[MEMORY] + h->offset[LOW], sizeof(low));
	memcpy(&high, heap + h->offset[MEMORY] + h->offset[HIGH], sizeof(high));
	memcpy(&map, heap + h->offset[SEGMENTS] + h->offset[LOW], sizeof(map));
	memcpy(&shift, heap + h->offset[SHIFT], sizeof(shift));
	if (high < low || shift < 4 || shift > 16 || (high - low) >> shift > SEGMENTS_MAX)
		return -EPROTO;
	nr = (high - low) >> shift;
	if (!read_at(h, map, h->map, nr))
		return -EFAULT;
	for (size_t i = 0; i < nr && !err && !is_exhausted(h); i = next) {
		uint64_t address = low + ((uint64_t)i << shift), n;

		for (next = i + 1; next < nr && h->map[next] && h->map[next] != FREE_SEGMENT;)
			next++;
		n = (next - i) << shift;
		if (h->map[i] || n > BLOCK_MAX)
			continue;
		memset(h->block, 0, h->size[BLOCK] + STRUCT_MAX);	/* it may be smaller */
		if (read_at(h, address, h->block, n) && h->block[h->offset[USED]])
			err = add_block(h, address, n);
	}
	return err;
}

static uint64_t largest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int add_heaps(struct hotspot *h)
{
	const uint64_t array = read_word(h, h->offset[HEAPS]);
	uint64_t data = read_word(h, array + h->offset[ARRAY_DATA]);
	unsigned char heap[2 * STRUCT_MAX] = { 0 };
	uint64_t size = h->offset[SHIFT] + sizeof(uint32_t);
	uint32_t nr;
	int err = 0;

	size = largest(size, h->offset[MEMORY] + h->offset[HIGH] + WORD);
	size = largest(size, h->offset[SEGMENTS] + h->offset[LOW] + WORD);
	if (!read_at(h, array + h->offset[ARRAY_LENGTH], &nr, sizeof(nr)))
		return -EFAULT;
	for (uint32_t i = 0; i < nr && i < HEAPS_MAX && !err; i++) {
		uint64_t at = read_word(h, data + (uint64_t)i * WORD);

		err = read_at(h, at, heap, size) ? add_heap(h, heap) : -EFAULT;
	}
	return err;
}

int hotspot_blobs(uint32_t pid, const struct registered_place *place, uint64_t *nr_pages,
		  int (*add)(void *context, const struct iovec *parts, int nr), void *context)
{
	struct hotspot h = { .pid = pid, .add = add, .context = context, .nr_pages = nr_pages };
	int err;

	h.pages = calloc(PAGES, sizeof(*h.pages));
	h.block = malloc(BLOCK_MAX);
	h.map = malloc(SEGMENTS_MAX);
	err = h.pages && h.block && h.map ? read_tables(&h, place) : -ENOMEM;
	if (!err)
		err = add_heaps(&h);
	if (err <= 0 && is_exhausted(&h))
		err = -E2BIG;
	free(h.map);
	free(h.block);
	free(h.pages);
	return err;
}
