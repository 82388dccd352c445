// SPDX-License-Identifier: GPL-2.0-or-later
/* ruby.c - bodies of Ruby's instruction sequences: the types of their label and path are checked */
#include "libutil/opener/memory.h"
#include "libutil/opener/objects/read.h"
#include "runtime/names.h"

#define TYPE		0x1f		/* in an object's flags */
#define APART		0x2000		/* a string's bytes; of an array: its items are not */
#define LENGTH_SHIFT	14		/* of a string's bytes in it */

static bool read_string(uint32_t pid, const struct op_runtime_ruby *t, uint64_t at,
			struct object_text *ret)
{
	uint64_t flags, length, bytes = at + t->embedded;

	if (process_read(pid, at, &flags, sizeof(flags)) || (flags & TYPE) != OP_RUBY_STRING)
		return false;
	length = flags >> LENGTH_SHIFT & 0x1f;
	if (flags & APART &&
	    (process_read(pid, at + t->length, &length, sizeof(length)) ||
	     process_read(pid, at + t->pointer, &bytes, sizeof(bytes))))
		return false;
	ret->size = (uint32_t)(length < sizeof(ret->bytes) ? length : sizeof(ret->bytes));
	ret->width = 0;
	return !process_read(pid, bytes, ret->bytes, ret->size);
}

/* A string, or an array of the path as it was given and the real path, if it has one. */
static bool read_path(uint32_t pid, const struct op_runtime_ruby *t, uint64_t at,
		      struct object_text *ret)
{
	uint64_t flags, items[2];

	if (process_read(pid, at, &flags, sizeof(flags)))
		return false;
	if ((flags & TYPE) != OP_RUBY_ARRAY)
		return read_string(pid, t, at, ret);
	return flags & APART && !process_read(pid, at + t->embedded, items, sizeof(items)) &&
	       (read_string(pid, t, items[1], ret) || read_string(pid, t, items[0], ret));
}

/* The lines, and then the index of instructions in them. */
static uint32_t read_lines(uint32_t pid, const struct op_runtime_ruby *t, uint64_t at,
			   uint32_t instructions, unsigned char *to)
{
	uint64_t lines, index, index_size = op_runtime_ruby_index(instructions), lines_size;
	uint32_t nr;

	if (process_read(pid, at + t->lines, &lines, sizeof(lines)) ||
	    process_read(pid, at + t->nr_lines, &nr, sizeof(nr)) ||
	    process_read(pid, at + t->index, &index, sizeof(index)))
		return 0;
	lines_size = (uint64_t)nr * OP_RUBY_LINE_SIZE;
	if (lines_size + index_size > OBJECT_LINES_MAX ||
	    process_read(pid, lines, to, lines_size) ||
	    process_read(pid, index, to + lines_size, index_size))
		return 0;
	return (uint32_t)(lines_size + index_size);
}

bool object_read_ruby(uint32_t pid, const struct op_runtime_table *table, uint64_t object,
		      struct object *ret)
{
	const struct op_runtime_ruby *t = &table->ruby;
	uint64_t at = OP_RUNTIME_OBJECT(object), code, path, label, line;
	uint32_t size;

	if (process_read(pid, at + t->size, &size, sizeof(size)) ||
	    process_read(pid, at + t->code, &code, sizeof(code)) ||
	    size >= OP_RUNTIME_SIZE_MAX / 8 || op_runtime_mark(size, code) != object - at ||
	    process_read(pid, at + t->path, &path, sizeof(path)) ||
	    process_read(pid, at + t->label, &label, sizeof(label)) ||
	    process_read(pid, at + t->line, &line, sizeof(line)) ||
	    !read_string(pid, t, label, &ret->name) || !read_path(pid, t, path, &ret->file))
		return false;
	ret->head = (struct object_head){
		/* a Ruby integer; of a file itself 0 */
		.line = line >> 1 ? (uint32_t)(line >> 1) : 1,
		.instructions = size,
		.lines_size = read_lines(pid, t, at, size, ret->lines),
	};
	return true;
}
