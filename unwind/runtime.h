/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtime.h - recognize the interpreters that runtime/ knows, in untrusted ELF files */
#ifndef UNWIND_RUNTIME_H
#define UNWIND_RUNTIME_H

#include "runtime/runtime.h"

/*
 * Set *ret to what is known of the interpreter in the file open at @fd; its number is
 * OP_RUNTIME_NONE if there is none, or one of a version whose table does not fit it.
 */
void unwind_runtime_find(int fd, struct op_runtime *ret);

#endif
