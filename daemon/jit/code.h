/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h - the code that a process made at run time, as its own files tell it
 *
 * A block is one piece of code as it was announced: address, size, name, and from when to when it
 * lived, where the file has times. Blocks overlap as memory is used again; layout.h makes
 * symbols of them that don't. The files belong to any user, so nothing in them is believed:
 * doc/jit.md [JT-20] ff.
 */
#ifndef DAEMON_JIT_CODE_H
#define DAEMON_JIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/strbuf.h"

#define JIT_BLOCKS_MAX	(1u << 20)	/* of one process; the rest is counted as dropped */
#define JIT_LINES_MAX	(1u << 20)
#define JIT_NAME_MAX	2048		/* bytes; longer names are cut */
#define JIT_FOREVER	UINT64_MAX	/* death of what is not known to be gone */

enum jit_clock {
	JIT_NO_CLOCK,			/* births are numbers: the order in the file */
	JIT_WALL,			/* CLOCK_REALTIME, in ns as all of them */
	JIT_STEADY,			/* CLOCK_MONOTONIC */
	JIT_OTHER,			/* to be compared with each other only */
	JIT_CLOCKS,
};

struct jit_block {
	uint64_t start, size;		/* size > 0, start + size does not wrap */
	uint64_t birth, death;		/* by @clock */
	size_t name;			/* in jit_code.names */
	const unsigned char *code;	/* @size bytes in the text that was read; NULL: not told */
	enum jit_clock clock;
	size_t first_line, nr_lines;	/* in jit_code.lines; by address */
};

struct jit_line {
	uint64_t address;		/* that it begins at */
	uint32_t line;
	size_t file;			/* in jit_code.names */
};

/* When the session was, by each of the clocks. All 0: not known. */
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
	uint16_t machine;		/* EM_*, as a file says; 0: this machine's */
	size_t dropped;			/* lines and records that can't be; */
	size_t later;			/* of these, because they come after the session */
};

void jit_code_init(struct jit_code *c, const struct jit_window *window);
void jit_code_free(struct jit_code *c);

/*
 * Add a block, whose name is cut and its control characters replaced. False, and counted as
 * dropped: one without size or name, one that wraps, one too many.
 */
bool jit_code_add(struct jit_code *c, const struct jit_block *block, const char *name, size_t len);

/* Add a line of the block that gets its lines just now. False: there are too many. */
bool jit_code_add_line(struct jit_code *c, uint64_t address, uint32_t line, const char *file,
		       size_t len);

static inline const char *jit_name(const struct jit_code *c, const struct jit_block *b)
{
	return c->names.text + b->name;
}

/*
 * Readers of the three kinds of files. @text, of @len bytes, must stay as long as @c: blocks point
 * to their code in it. They take what is whole and stop at what makes no sense. False: it is no
 * such file at all.
 */
bool jit_read_perf_map(const char *text, size_t len, struct jit_code *c);	/* [JT-21] */
bool jit_read_jitdump(const void *bytes, size_t len, struct jit_code *c);	/* [JT-22] */
bool jit_read_dump(const void *bytes, size_t len, struct jit_code *c);		/* [JT-23] */

#endif
