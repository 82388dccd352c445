/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.h - whether a library can be loaded into a command's program */
#ifndef OPERF_OPSAMPLE_TARGET_H
#define OPERF_OPSAMPLE_TARGET_H

#include "libutil/error.h"

/*
 * Look at the program that $PATH leads to, and at the interpreter of a script. -EPERM: it runs with
 * other rights than ours. -ENOEXEC: it is linked statically, or for another kind of machine. What
 * cannot be read is taken for one that can. [SM-75]
 */
int opsample_target_check(const char *name, struct op_error *e);

#endif
