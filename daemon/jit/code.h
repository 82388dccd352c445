/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h - JIT code: what a process compiled at run time, according to its own files
 *
 * A block is one piece of code as announced: address, size, name and, if the file has times, when
 * it was live. Blocks overlap because memory is reused; layout.h turns them into symbols that do
 * not. Any user may have written the files, so nothing in them is trusted: doc/jit.md [JT-20] ff.
 */
#ifndef DAEMON_JIT_CODE_H
#define DAEMON_JIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/strbuf.h"

#define JIT_BLOCKS_MAX	(1u << 20)	/* of one process; the rest is counted as dropped */
#define JIT_LINES_MAX	(1u << 20)
#define JIT_NAME_MAX	2048		/* bytes; longer names are truncated */
#define JIT_MAP_BIRTH	(UINT64_C(1) << 32)	/* of a perf map's first line: after what was
						 * registered, which may be all memory for code */
#define JIT_FOREVER	UINT64_MAX	/* death of a block that is not known to be dead */

enum jit_clock {
	JIT_NO_CLOCK,			/* births are numbers: the order in the file */
	JIT_WALL,			/* CLOCK_REALTIME; all times are in ns */
	JIT_STEADY,			/* CLOCK_MONOTONIC */
	JIT_OTHER,			/* only comparable with each other */
	JIT_CLOCKS,
};

struct jit_block {
	uint64_t start, size;		/* size > 0, start + size does not wrap */
	uint64_t birth, death;		/* by @clock */
	size_t name;			/* in jit_code.names */
	const unsigned char *code;	/* @size bytes in the file's text; NULL: unknown */
	enum jit_clock clock;
	size_t first_line, nr_lines;	/* in jit_code.lines; by address */
};

struct jit_line {
	uint64_t address;		/* where it begins */
	uint32_t line;
	size_t file;			/* in jit_code.names */
};

/* The time of the session by each of the clocks. All 0: unknown. */
struct jit_window {
	struct {
		uint64_t start, end;
	} by[JIT_CLOCKS];
};

struct jit_code {
	struct jit_block *blocks;
	size_t nr, room;
	struct jit_line *lines;
	size_t nr_lines, lines_room;
	struct strbuf names;		/* NUL terminated each */
	struct jit_window window;
	uint16_t machine;		/* EM_*, from a file; 0: this machine's */
	size_t dropped;			/* malformed lines and records, or after the session */
	size_t later;			/* those after the session */
};

void jit_code_init(struct jit_code *c, const struct jit_window *window);
void jit_code_free(struct jit_code *c);

/*
 * Add a block. Its name is truncated and control characters in it are replaced. False, and counted
 * as dropped: it has no size or name, wraps, or there are too many.
 */
bool jit_code_add(struct jit_code *c, const struct jit_block *block, const char *name, size_t len);

/* Add a line of the current block. False: there are too many. */
bool jit_code_add_line(struct jit_code *c, uint64_t address, uint32_t line, const char *file,
		       size_t len);

static inline const char *jit_name(const struct jit_code *c, const struct jit_block *b)
{
	return c->names.text + b->name;
}

/*
 * Read the types of files. @text, of @len bytes, must outlive @c because blocks point to
 * their code in it. Reading stops at the first incomplete or malformed record. False: not such a
 * file.
 */
bool jit_read_perf_map(const char *text, size_t len, struct jit_code *c);	/* [JT-21] */
bool jit_read_jitdump(const void *bytes, size_t len, struct jit_code *c);	/* [JT-22] */
bool jit_read_dump(const void *bytes, size_t len, struct jit_code *c);		/* [JT-23] */
bool jit_read_registered(const void *bytes, size_t len, struct jit_code *c);	/* [JT-65] */
bool jit_read_interpreted(const void *bytes, size_t len, struct jit_code *c);	/* [IN-23] */

#endif
