/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.h - whether a library can be preloaded into a command */
#ifndef OPERF_OPSAMPLE_TARGET_H
#define OPERF_OPSAMPLE_TARGET_H

#include "libutil/error.h"

/*
 * Check the program @file, or the interpreter of a script. -EPERM: it is privileged. -ENOEXEC:
 * it is statically linked, or for another kind of machine. 0 also if it cannot be read. [SM-75]
 */
int opsample_target_check(const char *file, struct op_error *e);

#endif
