/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool.h - what the tools for profile feedback have in common */
#ifndef FEEDBACK_TOOL_H
#define FEEDBACK_TOOL_H

#include "feedback/xprof/file.h"
#include "formats/format.h"

struct command_line;
struct option_set;

/* A whole program: its command line is read, help given, or @run called, which says the status. */
int xprof_tool_main(const struct option_set *set, int argc, const char **argv,
		    int (*run)(const struct command_line *line));

extern const struct format_warnings xprof_tool_warnings;	/* each is said at once */

/* The type called @word, or that of feedback for NULL. -EINVAL. */
int xprof_tool_type(const char *word, enum xprof_type *ret, struct op_error *e);

/* How to store: --add or --replace, not both. -EINVAL. */
int xprof_tool_how(bool add, bool replace, enum xprof_store *ret, struct op_error *e);

/* Store @x in the folder and say how many objects began anew. Exit status. */
int xprof_tool_store(const char *dir, const struct xprof *x, enum xprof_store how);

/*
 * What @dir has of @type: its file of that type, or, made from that of feedback, what it would say.
 * @object: the path that objfd is about.
 */
int xprof_tool_read(const char *dir, enum xprof_type type, const char *object,
		    struct xprof **ret, struct op_error *e);

#endif
