/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test.h - create dumps of JIT code in a test */
#ifndef TESTS_UNIT_DAEMON_JIT_TEST_H
#define TESTS_UNIT_DAEMON_JIT_TEST_H

#include <stdint.h>
#include <string.h>
#include "daemon/jit/code.h"
#include "libagent/jit_dump.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"

static inline void add_u32(struct strbuf *s, uint32_t n)
{
	strbuf_add_bytes(s, &n, sizeof(n));
}

static inline void add_u64(struct strbuf *s, uint64_t n)
{
	strbuf_add_bytes(s, &n, sizeof(n));
}

static inline void set_u32(struct strbuf *s, size_t at, uint32_t n)
{
	memcpy(s->text + at, &n, sizeof(n));
}

/* libopagent's. A record ends with dump_end(its beginning). */
static inline void dump_header(struct strbuf *s)
{
	add_u32(s, JIT_DUMP_MAGIC);
	add_u32(s, JIT_DUMP_VERSION);
	add_u32(s, 48);
	add_u32(s, 9);
	add_u32(s, 8);
	add_u32(s, 0);
	add_u64(s, 1);
	strbuf_add_bytes(s, "elf64-x86-64\0\0\0", 16);
}

static inline size_t dump_begin(struct strbuf *s, uint32_t id, uint64_t when)
{
	size_t at = s->len;

	add_u32(s, id);
	add_u32(s, 0);
	add_u64(s, when);
	return at;
}

static inline void dump_end(struct strbuf *s, size_t at)
{
	while ((s->len - at) % 8)
		strbuf_add_char(s, '\0');
	set_u32(s, at + 4, (uint32_t)(s->len - at));
}

static inline void dump_load(struct strbuf *s, uint64_t when, uint64_t vma, uint32_t size,
			     const char *name, const char *code)
{
	size_t at = dump_begin(s, JIT_DUMP_LOAD, when);

	add_u64(s, vma);
	add_u64(s, vma);
	add_u32(s, size);
	add_u32(s, 0);
	strbuf_add_bytes(s, name, strlen(name) + 1);
	if (code)
		strbuf_add_bytes(s, code, size);
	dump_end(s, at);
}

static inline void dump_unload(struct strbuf *s, uint64_t when, uint64_t vma)
{
	size_t at = dump_begin(s, JIT_DUMP_UNLOAD, when);

	add_u64(s, vma);
	dump_end(s, at);
}

static inline void dump_line(struct strbuf *s, uint64_t address, uint32_t line, const char *file)
{
	add_u64(s, address);
	add_u32(s, line);
	strbuf_add_bytes(s, file, strlen(file) + 1);
}

/* Begin a record of @nr lines for the code at @vma. */
static inline size_t dump_lines(struct strbuf *s, uint64_t when, uint64_t vma, uint32_t nr)
{
	size_t at = dump_begin(s, JIT_DUMP_LINES, when);

	add_u64(s, vma);
	add_u32(s, nr);
	add_u32(s, 0);
	return at;
}

#define JITDUMP_HEADER	40

/* perf's. */
static inline void jitdump_header(struct strbuf *s, uint64_t flags)
{
	add_u32(s, 0x4a695444);
	add_u32(s, 1);
	add_u32(s, JITDUMP_HEADER);
	add_u32(s, 62);
	add_u32(s, 0);
	add_u32(s, 7);
	add_u64(s, 1);
	add_u64(s, flags);
}

static inline void jitdump_load(struct strbuf *s, uint64_t when, uint64_t address, uint64_t size,
				const char *name, const char *code)
{
	size_t at = dump_begin(s, 0, when);

	add_u32(s, 7);
	add_u32(s, 7);
	add_u64(s, address);
	add_u64(s, address);
	add_u64(s, size);
	add_u64(s, 0);
	strbuf_add_bytes(s, name, strlen(name) + 1);
	if (code)
		strbuf_add_bytes(s, code, size);
	set_u32(s, at + 4, (uint32_t)(s->len - at));
}

static inline void jitdump_move(struct strbuf *s, uint64_t when, uint64_t from, uint64_t to,
				uint64_t size)
{
	size_t at = dump_begin(s, 1, when);

	add_u32(s, 7);
	add_u32(s, 7);
	add_u64(s, to);
	add_u64(s, from);
	add_u64(s, to);
	add_u64(s, size);
	add_u64(s, 0);
	set_u32(s, at + 4, (uint32_t)(s->len - at));
}

/* x of hash_u64(x) */
static inline uint64_t inverse_hash(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x96de1b173f119089u;	/* of 0xbf58476d1ce4e5b9 modulo 2^64 */
	x ^= x >> 29 ^ x >> 58;
	x *= 0xf1de83e19937733du;	/* of 0x9e3779b97f4a7c15 */
	return x ^ x >> 32;
}

/* Addresses with the same lower half of the hash that is published in our source. */
static inline uint64_t colliding_address(uint64_t i)
{
	return inverse_hash(i << 32) & ~(UINT64_C(1) << 63);
}

#endif
