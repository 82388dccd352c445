/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h - OProfile's dump of code made at run time: what libopagent writes, and we read
 *
 * The layout is [JT-12] and [JT-13] of doc/jit.md. Numbers are in the byte order of the machine;
 * every record is padded to 8 bytes, which its size counts.
 */
#ifndef LIBAGENT_JIT_DUMP_H
#define LIBAGENT_JIT_DUMP_H

#include <stdint.h>

#define JIT_DUMP_MAGIC		0x4f74496au	/* "jItO" */
#define JIT_DUMP_VERSION	1
#define JIT_DUMP_ALIGN(n)	(((n) + 7) & ~(uint64_t)7)

enum jit_dump_id {
	JIT_DUMP_LOAD,
	JIT_DUMP_UNLOAD,
	JIT_DUMP_CLOSE,
	JIT_DUMP_LINES,
};

struct jit_dump_header {
	uint32_t magic, version, size;	/* of the header, with the target's name and padding */
	uint32_t architecture, machine;	/* as libbfd numbers them */
	uint32_t pad;
	uint64_t timestamp;		/* seconds, as all of them */
	/* the name of libbfd's target, NUL terminated */
};

struct jit_dump_record {
	uint32_t id, size;
	uint64_t timestamp;
};

struct jit_dump_load {
	uint64_t vma, address;		/* where it runs, and where it lay when it was told */
	uint32_t size, pad;
	/* name, NUL terminated; then the code, or nothing */
};

struct jit_dump_unload {
	uint64_t vma;
};

struct jit_dump_lines {
	uint64_t address;		/* of a load record before */
	uint32_t nr, pad;
	/* entries: unsigned long vma, unsigned int line, file name NUL terminated; unaligned */
};

#endif
