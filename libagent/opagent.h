/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opagent.h - report the names of code made at run time to the profiler
 *
 *	op_agent_t agent = op_open_agent();
 *	op_write_native_code(agent, "Main.run", (uintptr_t)code, code, size);
 *	...
 *	op_unload_native_code(agent, (uintptr_t)code);
 *	op_close_agent(agent);
 *
 * Link with -lopagent. Names are written to a file that only the user of this process can read
 * (doc/jit.md [JT-11]); reports then name the code. All functions may be called from any thread.
 * After fork() the child has the same handle; its first call creates a file of its own, which
 * begins with a copy of the parent's. Functions that return int return 0, or -1 with errno set if
 * nothing was written.
 */
#ifndef LIBAGENT_OPAGENT_H
#define LIBAGENT_OPAGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *op_agent_t;

/* The code from @vma up to the next entry's @vma belongs to line @lineno. */
struct debug_line_info {
	unsigned long vma;
	unsigned int lineno;
	const char *filename;
};

/*
 * NULL with errno set on failure. Opening again returns the same agent, which must be closed as
 * often as it was opened.
 */
op_agent_t op_open_agent(void);
int op_close_agent(op_agent_t agent);

/*
 * Report @size bytes of code at @vma with the name @symbol_name. @code: where the bytes can be read
 * now; NULL if they cannot, then reports cannot disassemble them. Replaces earlier code at @vma.
 */
int op_write_native_code(op_agent_t agent, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size);

/* Report the lines, by increasing vma, of the code that was reported with this @code before. */
int op_write_debug_line_info(op_agent_t agent, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map);

/* Report that the code at @vma no longer exists. */
int op_unload_native_code(op_agent_t agent, uint64_t vma);

/* The version of this interface, 1.0. */
int op_major_version(void);
int op_minor_version(void);

#ifdef __cplusplus
}
#endif

#endif
