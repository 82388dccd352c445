/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmlinux.h - check a kernel image for --vmlinux=, and find its address range */
#ifndef CONTROL_MACHINE_VMLINUX_H
#define CONTROL_MACHINE_VMLINUX_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/error.h"

/*
 * Whether @path is an uncompressed ELF kernel with a .text section. It must have the symbol _stext
 * or _text; a stripped one needs a known range (@range_given), and must not have a program
 * interpreter.
 */
int vmlinux_check(const char *path, bool range_given, struct op_error *e);

/*
 * The address range of the text of @path in the running kernel: section .text to symbol _etext,
 * moved by the difference between _stext (or _text) in @kallsyms and in the image. Not moved if the
 * addresses in @kallsyms are hidden or missing.
 */
int vmlinux_range(const char *path, const char *kallsyms, uint64_t *ret_start, uint64_t *ret_end,
		  struct op_error *e);

#endif
