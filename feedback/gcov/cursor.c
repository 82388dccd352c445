/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cursor.c - read words and records of gcc's coverage files [XP-33] */
#include "feedback/gcov/cursor.h"

#include <errno.h>
#include <string.h>

int gcov_cursor_fail(const struct gcov_cursor *c, const char *what)
{
	return op_error_set(c->e, -EPROTO, "offset %zu: %s", (size_t)(c->at - c->base), what);
}

static bool read_bytes(struct gcov_cursor *c, void *ret, size_t n)
{
	if ((size_t)(c->end - c->at) < n) {
		memset(ret, 0, n);
		c->is_short = true;
		return false;
	}
	memcpy(ret, c->at, n);
	c->at += n;
	return true;
}

uint32_t gcov_cursor_u32(struct gcov_cursor *c)
{
	uint32_t n;

	read_bytes(c, &n, sizeof(n));
	return c->swapped ? __builtin_bswap32(n) : n;
}

/* The lower word comes first in either byte order. */
uint64_t gcov_cursor_u64(struct gcov_cursor *c)
{
	uint64_t low = gcov_cursor_u32(c);

	return low | (uint64_t)gcov_cursor_u32(c) << 32;
}

const char *gcov_cursor_string(struct gcov_cursor *c)
{
	uint32_t size = gcov_cursor_u32(c);	/* with the NUL */
	const char *text = c->at;

	if (!size)
		return "";
	if (size > (size_t)(c->end - c->at) || memchr(text, '\0', size) != text + size - 1) {
		c->is_short = true;
		return "";
	}
	c->at += size;
	return text;
}

int gcov_cursor_open(struct gcov_cursor *c, const char *bytes, size_t size, uint32_t magic,
		     struct op_error *e)
{
	char version[4];
	uint32_t word;

	*c = (struct gcov_cursor){
		.base = bytes, .at = bytes, .end = bytes + size, .file_end = bytes + size, .e = e,
	};
	word = gcov_cursor_u32(c);
	c->swapped = word == __builtin_bswap32(magic);
	if (word != magic && !c->swapped)
		return op_error_set(e, -EPROTO, "offset 0: not a gcc coverage file");
	c->version = gcov_cursor_u32(c);
	for (int i = 0; i < 4; i++)
		version[i] = c->version >> (24 - 8 * i);
	if (c->is_short || version[0] != 'B' || version[1] < '2' || version[1] > '4')
		return op_error_set(e, -EPROTO, "offset 4: unsupported version: expected gcc 12, "
				    "13 or 14");
	return 0;
}

bool gcov_cursor_record(struct gcov_cursor *c, uint32_t *ret_tag, int32_t *ret_length)
{
	c->at = c->end == c->file_end ? c->at : c->end;
	c->end = c->file_end;
	if (c->at == c->end)
		return false;
	*ret_tag = gcov_cursor_u32(c);
	if (!*ret_tag && c->at == c->end)
		return false;		/* the data ends with a 0 word */
	*ret_length = (int32_t)gcov_cursor_u32(c);
	if (*ret_length > c->end - c->at)
		c->is_short = true;
	else
		c->end = c->at + (*ret_length > 0 ? *ret_length : 0);
	return !c->is_short;
}
