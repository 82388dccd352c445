/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmlinux.h - what opcontrol must know of a kernel image given with --vmlinux= */
#ifndef CONTROL_MACHINE_VMLINUX_H
#define CONTROL_MACHINE_VMLINUX_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/error.h"

/*
 * Whether @path is an uncompressed ELF kernel with a .text section: it has the symbol _stext or
 * _text, or, a stripped one, at least needs no program interpreter and its range is known
 * (@range_given). -errno and why in @e.
 */
int vmlinux_check(const char *path, bool range_given, struct op_error *e);

/*
 * Where the text of @path runs: section .text to symbol _etext, moved by as much as the running
 * kernel's _stext (or _text) in @kallsyms differs from the image's: it moves itself at boot.
 * Hidden or missing addresses in @kallsyms: not moved.
 */
int vmlinux_range(const char *path, const char *kallsyms, uint64_t *ret_start, uint64_t *ret_end,
		  struct op_error *e);

#endif
