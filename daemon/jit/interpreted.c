// SPDX-License-Identifier: GPL-2.0-or-later
/* interpreted.c - symbols of the code objects that were copied from an interpreter [IN-23] */
#include <stdio.h>
#include <string.h>
#include "daemon/jit/code.h"
#include "libutil/opener/objects.h"
#include "runtime/names.h"
#include "runtime/runtime.h"

#define TEXT_MAX	(JIT_NAME_MAX + 1)

struct item {
	struct object_head head;
	const unsigned char *name, *file, *lines;
};

/* False: malformed. */
static bool is_valid(const struct object_head *h)
{
	return h->number && h->number < OP_RUNTIMES && h->instructions < OP_RUNTIME_SIZE_MAX &&
	       h->object < OP_RUNTIME_END;
}

/* The item at *@at, which moves behind it. False: no more, or a part of one: it may still be being
 * written. */
static bool next_item(const unsigned char *bytes, size_t len, size_t *at, struct item *ret)
{
	struct object_head *h = &ret->head;
	size_t left = len - *at;
	uint64_t size;

	if (left < sizeof(*h))
		return false;
	memcpy(h, bytes + *at, sizeof(*h));
	size = sizeof(*h) + (uint64_t)h->name_size + h->file_size + h->lines_size;
	if (size > left)
		return false;
	ret->name = bytes + *at + sizeof(*h);
	ret->file = ret->name + h->name_size;
	ret->lines = ret->file + h->file_size;
	*at += size;
	return true;
}

static void add_lines(struct jit_code *c, const struct item *i, const char *file, size_t file_len,
		      uint64_t code, uint64_t end)
{
	struct op_runtime_lines l = { .number = i->head.number,
				      .instructions = i->head.instructions, .at = i->lines,
				      .end = i->lines + i->head.lines_size, .line = i->head.line };
	uint64_t offset;
	uint32_t line, last = 0;

	while (op_runtime_next_line(&l, &offset, &line)) {
		if (code + offset >= end)
			return;
		if (line && line != last && !jit_code_add_line(c, code + offset, line, file,
							       file_len))
			return;
		last = line ? line : last;
	}
}

static void add_item(struct jit_code *c, const struct item *i, uint64_t birth)
{
	const struct object_head *h = &i->head;
	struct jit_block b = {
		.start = h->object,
		.birth = birth, .death = JIT_FOREVER, .first_line = c->nr_lines,
	};
	uint32_t first, bytes;
	char text[TEXT_MAX], file[TEXT_MAX], name[2 * TEXT_MAX + 20];
	size_t text_len = op_runtime_text(i->name, h->name_size, h->name_width, text, TEXT_MAX),
	       file_len = op_runtime_text(i->file, h->file_size, h->file_width, file, TEXT_MAX);
	int len = snprintf(name, sizeof(name), "%.*s (%.*s:%u)", (int)text_len, text,
			   (int)file_len, file, h->line);

	op_runtime_place(h->number, &first, &bytes);
	b.size = first + bytes * (uint64_t)h->instructions;
	if (!jit_code_add(c, &b, name, (size_t)len))
		return;
	if (file_len)
		add_lines(c, i, file, file_len, b.start + first, b.start + b.size);
	c->blocks[c->nr - 1].nr_lines = c->nr_lines - b.first_line;
}

bool jit_read_interpreted(const void *bytes, size_t len, struct jit_code *c)
{
	size_t at = 0;
	struct item i;
	uint64_t nr = 0;

	while (next_item(bytes, len, &at, &i)) {
		if (!is_valid(&i.head))
			return false;
		add_item(c, &i, nr++);
	}
	return true;
}
