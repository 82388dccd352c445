// SPDX-License-Identifier: GPL-2.0-or-later
/* php.c - functions of PHP: their type, and that of their texts */
#include <string.h>
#include "libutil/opener/memory.h"
#include "libutil/opener/objects/read.h"

#define MAIN	"{main}"	/* what PHP calls code of a file outside of functions */

/* Append the text at @at as far as there is room. */
static bool add_text(uint32_t pid, const struct op_runtime_php *t, uint64_t at,
		     struct object_text *to)
{
	uint32_t head[2];
	uint64_t length, room = sizeof(to->bytes) - to->size;

	if (process_read(pid, at, head, sizeof(head)) || (head[1] & 0xf) != OP_PHP_STRING ||
	    process_read(pid, at + t->length, &length, sizeof(length)))
		return false;
	length = length < room ? length : room;
	if (process_read(pid, at + t->text, to->bytes + to->size, length))
		return false;
	to->size += (uint32_t)length;
	return true;
}

static void add(struct object_text *to, const char *text)
{
	size_t len = strlen(text);

	if (len > sizeof(to->bytes) - to->size)
		return;
	memcpy(to->bytes + to->size, text, len);
	to->size += (uint32_t)len;
}

static bool read_name(uint32_t pid, const struct op_runtime_php *t, uint64_t name, uint64_t scope,
		      struct object_text *ret)
{
	if (!name) {
		add(ret, MAIN);
		return true;
	}
	if (scope) {
		uint64_t class_name;

		if (process_read(pid, scope + t->class_name, &class_name, sizeof(class_name)) ||
		    !add_text(pid, t, class_name, ret))
			return false;
		add(ret, "::");
	}
	return add_text(pid, t, name, ret);
}

bool object_read_php(uint32_t pid, const struct op_runtime_table *table, uint64_t object,
		     struct object *ret)
{
	const struct op_runtime_php *t = &table->php;
	uint64_t at = OP_RUNTIME_OBJECT(object), name, scope, file, lines;
	unsigned char type;

	ret->name.size = ret->name.width = ret->file.size = ret->file.width = 0;
	if (process_read(pid, at, &type, sizeof(type)) ||
	    (type != OP_PHP_USER_FUNCTION && type != OP_PHP_EVAL_CODE) ||
	    process_read(pid, at + t->name, &name, sizeof(name)) ||
	    process_read(pid, at + t->scope, &scope, sizeof(scope)) ||
	    process_read(pid, at + t->file, &file, sizeof(file)) ||
	    process_read(pid, at + t->line, &lines, sizeof(lines)) ||
	    op_runtime_mark(name, lines) != object - at || lines >> 32 < (uint32_t)lines ||
	    (lines >> 32) - (uint32_t)lines >= OP_RUNTIME_SIZE_MAX ||
	    !read_name(pid, t, name, scope, &ret->name) || !add_text(pid, t, file, &ret->file))
		return false;
	ret->head = (struct object_head){
		.line = (uint32_t)lines,
		.instructions = (uint32_t)(lines >> 32) - (uint32_t)lines + 1,
	};
	return true;
}
