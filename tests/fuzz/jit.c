// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit.c - any bytes taken for files about made code, up to the object that comes of them
 *
 * The first byte says which kind of file. Symbols must not overlap, must have names and must lie
 * inside a block.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "daemon/jit/layout.h"
#include "daemon/jit/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_in_a_block(const struct jit_code *c, const struct jit_symbol *s)
{
	for (size_t i = 0; i < c->nr; i++)
		if (s->start >= c->blocks[i].start &&
		    s->end - c->blocks[i].start <= c->blocks[i].size)
			return true;
	return false;
}

/* Every byte of code is read: it must lie in the input. */
static unsigned int sum_of(const unsigned char *code, uint64_t size)
{
	unsigned int sum = 0;

	for (uint64_t i = 0; code && i < size; i++)
		sum += code[i];
	return sum;
}

static void check(const struct jit_code *c, const struct jit_layout *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct jit_symbol *s = &l->symbols[i];

		if (s->start >= s->end || (i && l->symbols[i - 1].end > s->start) ||
		    !l->names.text[s->name] || (c->nr < 100 && !is_in_a_block(c, s)) ||
		    sum_of(s->code, s->end - s->start) == UINT32_MAX)
			abort();
	}
}

static void write_object(const struct jit_layout *l)
{
	int fd = memfd_create("object", MFD_CLOEXEC);

	if (fd < 0 || jit_object_write(fd, l, 0))
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_window window = { 0 };
	struct jit_layout layout;
	struct jit_code c;
	char *exact;

	if (!size)
		return 0;
	if (data[0] & 4)
		for (unsigned int i = 0; i < JIT_CLOCKS; i++) {
			window.by[i].start = 1000000000;
			window.by[i].end = 9000000000;
		}
	exact = malloc(size - 1);	/* of its own, so that a byte too far is seen */
	if (size > 1)
		memcpy(exact, data + 1, size - 1);
	jit_code_init(&c, &window);
	if (data[0] & 8)
		jit_read_registered(exact, size - 1, &c);
	else if ((data[0] & 3) == 1)
		jit_read_jitdump(exact, size - 1, &c);
	else if ((data[0] & 3) == 2)
		jit_read_dump(exact, size - 1, &c);
	else if ((data[0] & 3) == 3)
		jit_read_interpreted(exact, size - 1, &c);
	else
		jit_read_perf_map(exact, size - 1, &c);
	jit_layout_make(&c, &layout);
	check(&c, &layout);
	write_object(&layout);
	jit_layout_free(&layout);
	jit_code_free(&c);
	free(exact);
	return 0;
}
