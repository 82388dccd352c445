/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text.h - kernel_symbols.h's text on the disk: compressed, and shared by sessions [SS-41]
 *
 *	SD/samples/NAME/stats/kernel-symbols		what differs between boots, compressed
 *	SD/samples/NAME/stats/kernel-symbols.HASH	the kernel's own symbols, compressed
 *	SD/kernels/HASH					the same file: a hard link
 *
 * So sessions of one kernel have its symbols once, a copy of a session has all of them, and the
 * file system counts who refers to them. Where it has no hard links each session has its own.
 */
#ifndef LIBDB_SESSION_KERNEL_TEXT_H
#define LIBDB_SESSION_KERNEL_TEXT_H

#define KERNEL_TEXT_MODE	0600	/* it has the addresses that kernel.kptr_restrict hides */

#include <stddef.h>
#include "libutil/error.h"

#define KERNEL_TEXT_MAX	(64 << 20)	/* bytes; files with more are refused [SS-4] */
#define KERNEL_TEXTS	"kernels"	/* folder in the session directory */

/*
 * Write the text to @path, a session's stats/kernel-symbols, in one step: after a kill -9 it is
 * the old one or the new one. 0 or -errno.
 */
int kernel_text_write(const char *path, const char *text, size_t len);

/*
 * Read the text of @path, packed or not. *ret_text is NUL terminated, the caller's to free.
 * -EFBIG: too large. -EPROTO: damaged, or the file with the kernel's own symbols is; see @e.
 */
int kernel_text_read(const char *path, char **ret_text, size_t *ret_len, struct op_error *e);

/* Remove those that no session below @session_dir refers to any more. */
void kernel_texts_remove_unused(const char *session_dir);

#endif
