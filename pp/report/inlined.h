/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlined.h - the functions inlined at places of a binary
 *
 * A function of one name is one in its binary, at however many places it is inlined. It is numbered
 * from 0 when it is found first. Rules: doc/pp-spec.md [IL-1]..[IL-6].
 */
#ifndef PP_REPORT_INLINED_H
#define PP_REPORT_INLINED_H

#include "pp/binary/binary.h"
#include "pp/binary/demangle_name.h"
#include "pp/report/symbols.h"
#include "pp/select/notices.h"

#define INLINED_MAX	64	/* functions inlined into each other at one place */

/*
 * Open the debug information of @b, which was read from @path (NULL: no file), unless it is open.
 * False: there is none, and nothing is inlined anywhere. @root: "" if none; @cache_dir: of line
 * tables, or NULL. Threads may work on different binaries.
 */
bool inlined_open(struct binary *b, const char *path, const char *root, const char *cache_dir);

/*
 * Prepare inlined_at() for @nr places, which are sorted on return; may be called again for others.
 * Damaged debug information is a notice.
 */
void inlined_prepare(struct binary *b, uint64_t *places, size_t nr, struct notices *notices);

/* Close the debug information, before binary_close(). Names of rows stay valid. */
void inlined_close(struct binary *b);

/*
 * The numbers of the functions inlined at @place, innermost first; at most @room, which is
 * INLINED_MAX or less. Returns how many.
 */
size_t inlined_at(const struct binary *b, uint64_t place, uint32_t *ret, size_t room);

/* The number of functions found so far. */
size_t inlined_nr(const struct binary *b);

/* The place where the code of function @number begins, of its copy that was found first. */
uint64_t inlined_start(const struct binary *b, uint32_t number);

/* Set the names of @row, which is that of function @number. They are stored in @rows. */
void inlined_set_names(const struct binary *b, uint32_t number, enum demangle_style style,
		       struct row_list *rows, struct symbol_row *row);

/* Whether @text is @name, that of a row for an inlined function, without the mark of these. */
bool inlined_is_called(const char *name, const char *text);

#endif
