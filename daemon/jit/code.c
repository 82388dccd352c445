// SPDX-License-Identifier: GPL-2.0-or-later
/* code.c - the blocks of a process, from any of its files */
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/code.h"
#include "libutil/xalloc.h"

void jit_code_init(struct jit_code *c, const struct jit_window *window)
{
	*c = (struct jit_code){ .names = STRBUF_INIT };
	if (window)
		c->window = *window;
}

void jit_code_free(struct jit_code *c)
{
	free(c->blocks);
	free(c->lines);
	strbuf_free(&c->names);
	*c = (struct jit_code){ .names = STRBUF_INIT };
}

/* Replace control characters, because names go to terminals and into line tables. */
static size_t add_name(struct jit_code *c, const char *name, size_t len)
{
	size_t at = c->names.len;

	if (len > JIT_NAME_MAX)
		len = JIT_NAME_MAX;
	strbuf_add_bytes(&c->names, name, len);
	for (char *p = c->names.text + at; p < c->names.text + at + len; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	strbuf_add_char(&c->names, '\0');
	return at;
}

bool jit_code_add(struct jit_code *c, const struct jit_block *block, const char *name, size_t len)
{
	struct jit_block *b;

	if (!block->size || block->start + block->size < block->start || !len ||
	    c->nr == JIT_BLOCKS_MAX) {
		c->dropped++;
		return false;
	}
	xgrow(c->blocks, c->nr, c->room);
	b = &c->blocks[c->nr++];
	*b = *block;
	b->name = add_name(c, name, len);
	return true;
}

/* Neighboring lines mostly have the same file. */
static bool same_file(const struct jit_code *c, const char *file, size_t len)
{
	const char *last = c->nr_lines ? c->names.text + c->lines[c->nr_lines - 1].file : NULL;

	return last && strlen(last) == len && !memcmp(last, file, len);
}

bool jit_code_add_line(struct jit_code *c, uint64_t address, uint32_t line, const char *file,
		       size_t len)
{
	size_t name;

	if (c->nr_lines == JIT_LINES_MAX)
		return false;
	name = same_file(c, file, len) ? c->lines[c->nr_lines - 1].file : add_name(c, file, len);
	xgrow(c->lines, c->nr_lines, c->lines_room);
	c->lines[c->nr_lines++] = (struct jit_line){ address, line, name };
	return true;
}
