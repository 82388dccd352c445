/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objects.h - copies of the code objects of an interpreter in another process
 *
 * An interpreter keeps the names, files and lines of its functions in memory only. The opener
 * copies what is a code object by its type and has the mark that it had when it was sampled, and
 * nothing else; nobody else gets to see that memory. doc/interpreters.md [IN-20] ff.
 */
#ifndef LIBUTIL_OPENER_OBJECTS_H
#define LIBUTIL_OPENER_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#define OBJECTS_MAX		64		/* in a call */
#define OBJECT_TEXT_MAX		4096		/* bytes of a name or file; longer ones are cut */
#define OBJECT_LINES_MAX	(64u << 10)	/* bytes of a line table */

/*
 * A copy: for each object this, then the bytes of its name, file and line table. A head of zeros is
 * the last: there was no room for more.
 */
struct object_head {
	uint64_t object;		/* address and mark */
	uint32_t number;		/* enum op_runtime_number */
	uint32_t instructions;		/* PHP: its lines */
	uint32_t line;			/* its first */
	uint32_t name_size, file_size, lines_size;
	/* bytes of a character: 1 (Latin-1), 2 or 4; 0: UTF-8 */
	uint32_t name_width, file_width;
};

/*
 * Copy the @nr code objects @objects of the process @pid, by the runtime of that @number, to a
 * memfd of the process's user. What is none, or another one by now, is left out. Blocks while the
 * process's memory does. -errno: no right to read it, or it has ended.
 */
int opener_objects(uint32_t pid, uint32_t number, const uint64_t *objects, size_t nr);
int opener_objects_here(uint32_t pid, uint32_t number, const uint64_t *objects, size_t nr);

#endif
