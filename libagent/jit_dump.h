/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h - OProfile's dump of code made at run time, as libopagent writes it
 *
 * [JT-12] and [JT-13] in doc/jit.md define the layout. Numbers are in the byte order of the
 * machine. Every record is padded to 8 bytes; its size includes the padding.
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
	uint32_t magic, version;
	uint32_t size;			/* of the header with the target's name and padding */
	uint32_t architecture, machine;	/* libbfd's numbers */
	uint32_t pad;
	uint64_t timestamp;		/* seconds, as in records */
	/* the name of libbfd's target, NUL terminated */
};

struct jit_dump_record {
	uint32_t id, size;
	uint64_t timestamp;
};

struct jit_dump_load {
	uint64_t vma, address;		/* where the code runs; where it was when it was written */
	uint32_t size, pad;
	/* name, NUL terminated; then the code, if it is known */
};

struct jit_dump_unload {
	uint64_t vma;
};

struct jit_dump_lines {
	uint64_t address;		/* of an earlier load record */
	uint32_t nr, pad;
	/* unaligned entries: unsigned long vma, unsigned int line, file name, NUL terminated */
};

#endif
