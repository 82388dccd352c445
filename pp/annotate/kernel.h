/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - find the files of a kernel that was profiled by its symbols
 *
 * Such a session needs no vmlinux, but lines and instructions do. If the kernel's debug package is
 * installed, the file is found by the release, and its load address by the symbols [AN-15].
 */
#ifndef PP_ANNOTATE_KERNEL_H
#define PP_ANNOTATE_KERNEL_H

#include "pp/binary/binary.h"
#include "pp/select/invert.h"
#include "pp/select/notices.h"

struct kernel_files;

/* @root: prefix of all paths, "" if none. */
struct kernel_files *kernel_files_new(const char *root);
void kernel_files_free(struct kernel_files *k);

/*
 * If @b is a snapshot of the kernel or a module of @inverted's session and the file is found,
 * replace @b by that file: keys plus its key_base are places in it. *ret_path is then its name,
 * malloc'd; else NULL.
 */
void kernel_files_open(struct kernel_files *k, const struct inverted_image *inverted,
		       struct binary *b, char **ret_path, struct notices *notices);

#endif
