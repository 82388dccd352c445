/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - read the stacks of a thread as nodes [FF-8] */
#ifndef FORMATS_FIREFOX_COLUMNS_H
#define FORMATS_FIREFOX_COLUMNS_H

#include "formats/file/json_tree.h"
#include "formats/profile/named_images.h"
#include "formats/profile/profile.h"
#include "libutil/error.h"

struct firefox_columns {
	struct profile *p;
	struct op_error *e;
	struct named_images images;
	uint32_t *nodes;		/* of each stack */
	uint32_t *depths;		/* frames of each stack */
	uint32_t nr_stacks;
	size_t room;
	const json_t *owner;		/* of the tables: a thread, or "shared" */
	size_t thread;			/* for errors */

	/* columns of the tables of @owner */
	const json_t *stack_frame, *stack_prefix, *frame_func, *frame_line, *frame_address;
	const json_t *func_name, *func_file, *func_line, *func_resource, *resource_name, *strings;
};

/* Read the stacks of @thread, the one at index @at, from its own tables or from @shared. */
int firefox_columns_read(struct firefox_columns *c, const json_t *thread, const json_t *shared,
			 size_t at);
void firefox_columns_free(struct firefox_columns *c);

#endif
