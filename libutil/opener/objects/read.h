/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.h - follow the pointers of one code object in another process, for each runtime
 *
 * Each type is checked, and each size is bounded. The process may change all of it meanwhile: then
 * names are wrong, but no more than it could have called its functions. False: none, or another one
 * by now.
 */
#ifndef LIBUTIL_OPENER_OBJECTS_READ_H
#define LIBUTIL_OPENER_OBJECTS_READ_H

#include <stdbool.h>

#include "libutil/opener/objects.h"
#include "runtime/runtime.h"

struct object_text {
	uint32_t size, width;
	unsigned char bytes[OBJECT_TEXT_MAX];
};

struct object {
	struct object_head head;	/* object and number are the caller's */
	struct object_text name, file;
	unsigned char lines[OBJECT_LINES_MAX];
};

typedef bool object_read(uint32_t pid, const struct op_runtime_table *table, uint64_t object,
			 struct object *ret);
object_read object_read_python, object_read_php, object_read_ruby;

#endif
