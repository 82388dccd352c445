/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opagent.h - for programs that make code at run time: tell the profiler what it is called
 *
 *	op_agent_t agent = op_open_agent();
 *	op_write_native_code(agent, "Main.run", (uintptr_t)code, code, size);
 *	...
 *	op_unload_native_code(agent, (uintptr_t)code);
 *	op_close_agent(agent);
 *
 * Link with -lopagent. What is told goes into a file that only this process' user can read
 * (doc/jit.md [JT-11]); reports then name the code. Any thread may call, at any time. After fork()
 * the child has the same handle: with its first call it gets a file of its own, which begins with
 * all that was told before. Functions that return int return 0, or -1 with errno set; then nothing
 * was told.
 */
#ifndef LIBAGENT_OPAGENT_H
#define LIBAGENT_OPAGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *op_agent_t;

/* One line of source: the code from @vma on, up to the next entry's, is of line @lineno. */
struct debug_line_info {
	unsigned long vma;
	unsigned int lineno;
	const char *filename;
};

/*
 * NULL with errno set. Opened twice, it is the same agent, which is closed when it was closed
 * as often.
 */
op_agent_t op_open_agent(void);
int op_close_agent(op_agent_t agent);

/*
 * @size bytes of code run at @vma and are called @symbol_name. @code: where they can be read now,
 * or NULL: then they can't be disassembled. Code that lay there before is gone.
 */
int op_write_native_code(op_agent_t agent, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size);

/* Lines of the code that was told with this @code before, by increasing vma. */
int op_write_debug_line_info(op_agent_t agent, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map);

/* The code at @vma is gone. */
int op_unload_native_code(op_agent_t agent, uint64_t vma);

/* Of this interface: 1 and 0. */
int op_major_version(void);
int op_minor_version(void);

#ifdef __cplusplus
}
#endif

#endif
