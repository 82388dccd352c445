// SPDX-License-Identifier: GPL-2.0-or-later
/* hotspot.c - code and its names are found in the memory of a made-up Java virtual machine */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "libutil/opener/hotspot.h"
#include "tests/tap.h"

#define SEGMENT		128
#define SEGMENTS	64
#define ADDRESS(p)	((uint64_t)(uintptr_t)(p))

struct field {
	const char *type, *name, *type_string;
	uint32_t is_static;
	uint64_t offset;
	void *address;
};

struct type {
	const char *name, *super;
	uint32_t is_oop, is_integer, is_unsigned;
	uint64_t size;
};

/* Its structures, with members in places of their own. */
struct symbol { uint32_t x; uint16_t length; char body[600]; };
struct klass { uint64_t x; struct symbol *name; };
struct pool { uint64_t x; struct klass *holder; uint64_t more[3]; struct symbol *symbols[4]; };
struct constant { struct pool *pool; uint16_t code_size, name, signature; };
struct method { uint64_t x[2]; struct constant *constant; };
struct space { uint64_t x, low, high; };
struct heap { uint32_t shift; struct space memory; uint64_t x[3]; struct space map; };
struct array { uint32_t length; struct heap **data; };
struct blob {
	uint32_t length, x;
	bool is_used;
	/* the block's header ends here */
	const char *name __attribute__((aligned(8)));
	uint32_t frame_words, complete;
	unsigned char *begin, *end;
	struct method *method;
	unsigned char code[];
};
#define HEADER	offsetof(struct blob, name)

static struct symbol names[] = {
	{ 0, 4, "a/Be" }, { 0, 3, "run" }, { 0, 4, "(I)V" }, { 0, UINT16_MAX, "long" },
};
static struct klass klass = { 0, &names[0] };
static struct pool pool = { 0, &klass, { 0 }, { NULL, &names[1], &names[2], &names[3] } };
static struct constant constants[] = { { &pool, 0, 1, 2 }, { &pool, 0, 3, 2 } };
static struct method methods[] = { { { 0 }, &constants[0] }, { { 0 }, &constants[1] } };
static unsigned char memory[SEGMENTS * SEGMENT] __attribute__((aligned(4096)));
static unsigned char map[SEGMENTS];
static struct heap heap;
static struct heap *heap_list[] = { &heap };
static struct array array, *heaps;

#define STATIC(type, name, variable)	{ type, name, "", 1, 0, variable }
#define MEMBER(type, name, s, member)	{ type, name, "", 0, offsetof(struct s, member), NULL }
#define OF_BLOB(name, member)		\
	{ "CodeBlob", name, "", 0, offsetof(struct blob, member) - HEADER, NULL }

static struct field fields[] = {
	MEMBER("Klass", "_name", klass, name),
	MEMBER("Klass", "_other", klass, x),
	MEMBER("Symbol", "_length", symbol, length),
	MEMBER("Symbol", "_body", symbol, body),
	MEMBER("ConstantPool", "_pool_holder", pool, holder),
	MEMBER("ConstMethod", "_constants", constant, pool),
	MEMBER("ConstMethod", "_name_index", constant, name),
	MEMBER("ConstMethod", "_signature_index", constant, signature),
	MEMBER("Method", "_constMethod", method, constant),
	STATIC("CodeCache", "_heaps", &heaps),
	MEMBER("GrowableArrayBase", "_len", array, length),
	MEMBER("GrowableArray<int>", "_data", array, data),
	MEMBER("CodeHeap", "_memory", heap, memory),
	MEMBER("CodeHeap", "_segmap", heap, map),
	MEMBER("CodeHeap", "_log2_segment_size", heap, shift),
	MEMBER("HeapBlock::Header", "_used", blob, is_used),
	MEMBER("VirtualSpace", "_low", space, low),
	MEMBER("VirtualSpace", "_high", space, high),
	OF_BLOB("_name", name),
	OF_BLOB("_frame_complete_offset", complete),
	OF_BLOB("_frame_size", frame_words),
	OF_BLOB("_code_begin", begin),
	OF_BLOB("_code_end", end),
	{ "CompiledMethod", "_method", "", 0, offsetof(struct blob, method) - HEADER, NULL },
	{ NULL, NULL, NULL, 0, 0, NULL },
};
static struct type types[] = {
	{ "Klass", NULL, 0, 0, 0, sizeof(struct klass) },
	{ "HeapBlock", NULL, 0, 0, 0, HEADER },
	{ "ConstantPool", NULL, 0, 0, 0, offsetof(struct pool, symbols) },
	{ NULL, NULL, 0, 0, 0, 0 },
};
static struct field *structs_symbol = fields;
static struct type *types_symbol = types;

/* What was found. */
static struct {
	struct registered_blob head;
	char name[2048];
	size_t len;
	unsigned char first;
} found[8];
static int nr, answer;
static uint64_t nr_pages;

static int add(void *context, const struct iovec *parts, int nr_parts)
{
	(void)context;
	CHECK(nr_parts == HOTSPOT_PARTS && nr < 8 && parts[0].iov_len == sizeof(found->head) &&
	      parts[2].iov_len < sizeof(found->name), "parts");
	memcpy(&found[nr].head, parts[0].iov_base, sizeof(found->head));
	CHECK(parts[1].iov_len == found[nr].head.size, "the size of the code");
	found[nr].first = *(unsigned char *)parts[1].iov_base;
	found[nr].len = parts[2].iov_len;
	snprintf(found[nr].name, sizeof(found->name), "%.*s", (int)parts[2].iov_len,
		 (char *)parts[2].iov_base);
	nr++;
	return answer;
}

/* A block of @n segments from @at on, with a code that begins with @first. */
static struct blob *new_block(size_t at, size_t n, const char *name, struct method *method,
			      unsigned char first)
{
	struct blob *b = (struct blob *)(memory + at * SEGMENT);

	*b = (struct blob){ (uint32_t)n, 0, true, name, 4, 7, b->code, b->code + 20, method };
	b->code[0] = first;
	for (size_t i = 0; i < n; i++)
		map[at + i] = (unsigned char)i;
	return b;
}

static void set_up(void)
{
	memset(map, 0xff, sizeof(map));
	heap = (struct heap){ .shift = 7,
			      .memory = { 0, ADDRESS(memory), ADDRESS(memory) + sizeof(memory) },
			      .map = { 0, ADDRESS(map), ADDRESS(map) + sizeof(map) } };
	array = (struct array){ 1, heap_list };
	heaps = &array;
	new_block(0, 2, "nmethod", &methods[0], 11);
	new_block(5, 1, "Interpreter", NULL, 12);
	new_block(6, 4, "native nmethod", &methods[1], 13);
	nr = answer = 0;
}

static int look(void)
{
	const struct registered_place place = { ADDRESS(&structs_symbol), ADDRESS(&types_symbol) };

	nr = 0;
	return hotspot_blobs((uint32_t)getpid(), &place, &nr_pages, add, NULL);
}

TEST(code_has_its_frame_and_its_name)
{
	struct blob *b;

	set_up();
	b = new_block(0, 2, "nmethod", &methods[0], 11);
	CHECK(!look() && nr == 3, "%d pieces", nr);
	CHECK(found[0].head.start == ADDRESS(b->code) && found[0].head.size == 20 &&
	      found[0].head.frame_size == 32 && found[0].head.complete == 7 &&
	      found[0].first == 11 && !memcmp(found[0].head.kind, "nmethod", 8), "the first");
	CHECK(!strcmp(found[0].name, "La/Be;run(I)V"), "%s", found[0].name);
	CHECK(!strcmp(found[1].name, "Interpreter") && found[1].first == 12, "%s", found[1].name);
	CHECK(found[2].len == strlen("La/Be;(I)V") + 512, "a long name is truncated");
}

TEST(malformed_blocks_are_left_out)
{
	struct blob *b;

	set_up();
	new_block(0, 2, "nmethod", &methods[0], 11)->is_used = false;
	b = new_block(5, 1, "Interpreter", NULL, 12);
	b->end = memory + 6 * SEGMENT + 1;
	CHECK(!look() && nr == 1, "an unused one, one beyond its end: %d", nr);
	b->end = b->begin - 1;
	CHECK(!look() && nr == 1, "one that ends before it begins: %d", nr);
	b->begin = b->end = memory;
	CHECK(!look() && nr == 1, "one with the code of another: %d", nr);
	b->begin = b->end = b->code;
	b->complete = UINT32_MAX;
	b->name = (const char *)8;
	CHECK(!look() && nr == 2 && !found[0].head.complete && !found[0].name[0], "no name");
}

TEST(what_is_not_there_ends_it)
{
	unsigned char *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	set_up();
	methods[0].constant = (struct constant *)gone;
	CHECK(!look() && nr == 3 && !strcmp(found[0].name, "nmethod"), "a method");
	answer = 7;
	CHECK(look() == 7 && nr == 1, "the caller has enough");
	set_up();
	heap.map.low = ADDRESS(gone);
	CHECK(look() == -EFAULT, "the map of a heap");
	heap_list[0] = (struct heap *)gone;
	CHECK(look() == -EFAULT, "a heap");
	heaps = NULL;
	CHECK(look() == -EFAULT, "all heaps");
	structs_symbol = (struct field *)gone;
	CHECK(look() == -EFAULT, "the tables");
}

TEST(numbers_out_of_range_are_refused)
{
	set_up();
	array.length = UINT32_MAX;
	CHECK(look() == -EFAULT, "more heaps than there are");
	array.length = 1;
	heap.memory.high = heap.memory.low - 1;
	CHECK(look() == -EPROTO, "a heap that ends before it begins");
	heap.memory.high = heap.memory.low + ((uint64_t)1 << 40);
	CHECK(look() == -EPROTO, "a huge heap");
	set_up();
	heap.shift = 64;
	CHECK(look() == -EPROTO, "segments of no size");
	set_up();
	fields[0].offset = UINT64_MAX;
	CHECK(look() == -EPROTO, "a member out of its structure");
	fields[0].offset = 8;
	types[1].size = 4096;
	CHECK(look() == -EPROTO, "a structure of no sane size");
	types[1].size = HEADER;
	fields[9].is_static = 0;
	CHECK(look() == -EPROTO, "a member in place of a variable");
	fields[9].is_static = 1;
	fields[11].name = "_moved";
	CHECK(look() == -EPROTO, "another version");
}

TEST(what_is_read_is_bounded)
{
	unsigned char *gone = mmap(NULL, sizeof(memory), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
	uint64_t needed;

	set_up();
	nr_pages = 0;
	CHECK(!look() && nr == 3, "all");
	needed = nr_pages;
	nr_pages = HOTSPOT_PAGES_MAX - needed + 20;
	CHECK(look() == -E2BIG && nr > 0 && nr < 3, "not all: %d", nr);
	CHECK(look() == -E2BIG && !nr && nr_pages == HOTSPOT_PAGES_MAX, "nothing more");
	nr_pages = 0;
	memset(map, 0, sizeof(map));
	heap.memory.low = ADDRESS(gone);
	heap.memory.high = heap.memory.low + sizeof(memory);
	CHECK(!look() && !nr && nr_pages > needed, "blocks that are not there");
}

TEST_MAIN()
