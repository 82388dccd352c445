// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_map.c - /tmp/perf-PID.map: lines "START SIZE NAME", the newest last
 *
 * Most run-time compilers can write it if told to. It has neither times nor code.
 */
#include <string.h>
#include "daemon/jit/code.h"

/* Hexadecimal digits, with or without "0x", then blanks. NULL: malformed. */
static const char *parse_hex(const char *p, const char *end, uint64_t *ret)
{
	unsigned int digits = 0;
	uint64_t n = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (; p < end; p++, digits++) {
		char c = *p;

		if (c >= '0' && c <= '9')
			n = n << 4 | (uint64_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			n = n << 4 | (uint64_t)((c | 32) - 'a' + 10);
		else
			break;
	}
	if (!digits || digits > 16 || p == end || (*p != ' ' && *p != '\t'))
		return NULL;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*ret = n;
	return p;
}

static bool add_line(struct jit_code *c, const char *line, const char *end, uint64_t number)
{
	struct jit_block b = { .birth = number, .death = JIT_FOREVER };
	const char *p = parse_hex(line, end, &b.start);

	if (p)
		p = parse_hex(p, end, &b.size);
	if (!p) {
		c->dropped++;
		return false;
	}
	if (end > p && end[-1] == '\r')
		end--;
	jit_code_add(c, &b, p, (size_t)(end - p));
	return true;
}

/* A last line without newline may be incomplete: leave it to the next reading. */
bool jit_read_perf_map(const char *text, size_t len, struct jit_code *c)
{
	const char *end = text + len, *newline;
	uint64_t number = JIT_MAP_BIRTH;
	bool any = false;

	for (; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			break;
		if (newline > text)
			any |= add_line(c, text, newline, number++);
	}
	return any;
}
