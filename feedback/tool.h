/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool.h - shared by the tools for profile feedback */
#ifndef FEEDBACK_TOOL_H
#define FEEDBACK_TOOL_H

#include "feedback/xprof/file.h"
#include "formats/format.h"

struct command_line;
struct option_set;

/* The main() of a tool: parse the command line, print help or call @run, return the exit status. */
int xprof_tool_main(const struct option_set *set, int argc, const char **argv,
		    int (*run)(const struct command_line *line));

extern const struct format_warnings xprof_tool_warnings;	/* prints to stderr */

/* The type named @word, or feedback if @word is NULL. -EINVAL: unknown. */
int xprof_tool_parse_type(const char *word, enum xprof_type *ret, struct op_error *e);

/* The type of the folder @dir without being told: feedback, or its only one. -ENOENT: others. */
int xprof_tool_find_type(const char *dir, enum xprof_type *ret, struct op_error *e);

/* How to store, from the options --add and --replace. -EINVAL: both are given. */
int xprof_tool_parse_store(bool add, bool replace, enum xprof_store *ret, struct op_error *e);

/* Store @x in the folder @dir, and print errors and notes. Returns the exit status. */
int xprof_tool_store(const char *dir, const struct xprof *x, enum xprof_store how);

/*
 * Read the file of @type in the folder @dir; if it does not exist, make that profile from the file
 * of type feedback. @object: the path of the object for type objfd, or NULL for the
 * one in the file.
 */
int xprof_tool_read(const char *dir, enum xprof_type type, const char *object,
		    struct xprof **ret, struct op_error *e);

#endif
