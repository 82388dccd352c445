/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bfd.h - object files in libbfd's form, for libopcodes and for compatibility mode */
#ifndef PP_BINARY_DISASSEMBLE_BFD_H
#define PP_BINARY_DISASSEMBLE_BFD_H

#define PACKAGE "oprofile"	/* <bfd.h> requires it */
#define PACKAGE_VERSION "1"
#include <bfd.h>

#include "libutil/error.h"

struct bfd_file {
	bfd *bfd;
	asymbol **symbols;	/* of .symtab, ended by NULL; or NULL */
};

/*
 * Open @path with its symbol table. @bytes: its unpacked contents if it is compressed, else NULL.
 * -errno with @e set.
 */
int bfd_file_open(const char *path, const void *bytes, size_t size, struct bfd_file *ret,
		  struct op_error *e);
void bfd_file_close(struct bfd_file *f);	/* also if it is all 0 */

#endif
