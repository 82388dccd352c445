// SPDX-License-Identifier: GPL-2.0-or-later
/* buffer.c - the buffer for copies of stacks */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include "libsampler/sampling.h"
#include "tests/tap.h"

TEST(is_aligned_and_writable)
{
	static const size_t sizes[] = { 1, 4096, 4097, 1 << 20, 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct stack_buffer b;

		CHECK(!stack_buffer_init(&b, sizes[i]), "%zu bytes", sizes[i]);
		CHECK((uintptr_t)b.bytes % 16 == 0, "%p", (void *)b.bytes);
		CHECK(b.size >= sizes[i] && b.size > 0, "%zu of %zu", b.size, sizes[i]);
		memset(b.bytes, 0xa5, b.size);
		CHECK(b.bytes[b.size - 1] == 0xa5, "the last byte");
		stack_buffer_free(&b);
		CHECK(!b.bytes && !b.size, "nothing left");
	}
}

TEST(refuses_impossible_sizes)
{
	struct stack_buffer b = { .bytes = NULL };

	CHECK(stack_buffer_init(&b, SIZE_MAX) == -ENOMEM, "as big as can be");
	CHECK(stack_buffer_init(&b, SIZE_MAX / 2) == -ENOMEM, "half of that");
	CHECK(!b.bytes && !b.size, "untouched");
	stack_buffer_free(&b);
}

static size_t resident(const struct stack_buffer *b)
{
	unsigned char pages[1024];
	size_t nr = b->size / 4096, in = 0;

	if (nr > sizeof(pages) || mincore(b->bytes, b->size, pages))
		return 0;
	for (size_t i = 0; i < nr; i++)
		in += pages[i] & 1;
	return in;
}

TEST(keeps_the_pages_of_a_deep_stack)
{
	struct stack_buffer b;

	if (sysconf(_SC_PAGESIZE) != 4096)
		SKIP("counts pages of 4096 bytes");
	CHECK(!stack_buffer_init(&b, 1 << 20), "made");
	CHECK(resident(&b) == 4, "%zu pages are ready beforehand", resident(&b));
	memset(b.bytes, 1, b.size);
	stack_buffer_used(&b, b.size);
	stack_buffer_trim(&b, false);
	CHECK(resident(&b) == 256, "%zu pages when all was used", resident(&b));
	stack_buffer_trim(&b, true);
	CHECK(resident(&b) == 4, "%zu pages after the profile", resident(&b));
	b.bytes[b.size - 1] = 1;
	stack_buffer_free(&b);
}

TEST(buffers_together_have_a_limit)
{
	struct stack_buffer many[80];

	for (int i = 0; i < 80; i++) {
		CHECK(!stack_buffer_init(&many[i], 1 << 20), "made");
		memset(many[i].bytes, 1, many[i].size);
		stack_buffer_used(&many[i], many[i].size);
		stack_buffer_trim(&many[i], false);
	}
	CHECK(resident(&many[10]) == 256 && resident(&many[79]) == 4, "%zu and %zu pages",
	      resident(&many[10]), resident(&many[79]));
	for (int i = 0; i < 80; i++)
		stack_buffer_free(&many[i]);
}

TEST_MAIN()
