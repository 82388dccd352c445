/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks_names.h - the names of functions, of one program and of the kernel; what fails ends it */
#ifndef TESTS_VM_STACKS_NAMES_H
#define TESTS_VM_STACKS_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct symbols {
	struct symbol *list;	/* by address */
	size_t nr;
};

/* Functions by their offset in the file at @path, as samples have them. */
void read_program(struct symbols *program, const char *path);

/* Those of the running kernel, and of its modules. */
void read_kernel(struct symbols *kernel);

/* The function that begins last before @address, or "?". */
const char *name_of(const struct symbols *s, uint64_t address);

/* Say what errno says of @what, and exit. */
_Noreturn void die(const char *what);

#endif
