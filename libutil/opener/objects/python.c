// SPDX-License-Identifier: GPL-2.0-or-later
/* python.c - code objects of CPython: their types are checked by name */
#include <string.h>
#include "libutil/opener/memory.h"
#include "libutil/opener/objects/read.h"

#define HEAD		256		/* bytes: more than a code object has before its code */

static uint64_t word_at(const unsigned char *head, size_t at)
{
	uint64_t ret;

	memcpy(&ret, head + at, sizeof(ret));
	return ret;
}

/* Whether the object that begins with @head is of the type called @name. */
static bool is_a(uint32_t pid, const unsigned char *head, const char *name)
{
	uint64_t at = word_at(head, OP_PYTHON_TYPE);
	size_t len = strlen(name) + 1;
	char has[8];

	return !process_read(pid, at + OP_PYTHON_TYPE_NAME, &at, sizeof(at)) &&
	       !process_read(pid, at, has, len) && !memcmp(has, name, len);
}

static bool read_text(uint32_t pid, const struct op_runtime_python *t, uint64_t at,
		      struct object_text *ret)
{
	unsigned char head[OP_PYTHON_STR_STATE + 8];
	uint32_t state;
	uint64_t length;
	bool is_ascii;

	if (process_read(pid, at, head, sizeof(head)) || !is_a(pid, head, "str"))
		return false;
	state = (uint32_t)word_at(head, OP_PYTHON_STR_STATE);
	length = word_at(head, OP_PYTHON_SIZE);
	ret->width = state >> 2 & 7;
	is_ascii = state >> 6 & 1;
	if (!(state >> 5 & 1) || (ret->width != 1 && ret->width != 2 && ret->width != 4))
		return false;
	if (length > OBJECT_TEXT_MAX / ret->width)
		length = OBJECT_TEXT_MAX / ret->width;
	ret->size = (uint32_t)length * ret->width;
	return !process_read(pid, at + (is_ascii ? t->ascii : t->text), ret->bytes, ret->size);
}

/* A function without a line table still has a name. */
static uint32_t read_lines(uint32_t pid, uint64_t at, unsigned char *to)
{
	unsigned char head[OP_PYTHON_BYTES];
	uint64_t size;

	if (process_read(pid, at, head, sizeof(head)) || !is_a(pid, head, "bytes"))
		return 0;
	size = word_at(head, OP_PYTHON_SIZE);
	if (size > OBJECT_LINES_MAX || process_read(pid, at + OP_PYTHON_BYTES, to, size))
		return 0;
	return (uint32_t)size;
}

bool object_read_python(uint32_t pid, const struct op_runtime_table *table, uint64_t object,
			struct object *ret)
{
	const struct op_runtime_python *t = &table->python;
	unsigned char head[HEAD];
	uint64_t size;

	if (process_read(pid, OP_RUNTIME_OBJECT(object), head, t->instructions) ||
	    !is_a(pid, head, "code"))
		return false;
	size = word_at(head, OP_PYTHON_SIZE);
	if (size >= OP_RUNTIME_SIZE_MAX ||
	    op_runtime_mark(size, word_at(head, t->mark)) !=
	    object - OP_RUNTIME_OBJECT(object) ||
	    !read_text(pid, t, word_at(head, t->name), &ret->name) ||
	    !read_text(pid, t, word_at(head, t->file), &ret->file))
		return false;
	ret->head = (struct object_head){
		.instructions = (uint32_t)size,
		.line = (uint32_t)word_at(head, t->line),
		.lines_size = read_lines(pid, word_at(head, t->lines), ret->lines),
	};
	return true;
}
