/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - between the files that fill in a binary */
#ifndef PP_BINARY_PRIVATE_H
#define PP_BINARY_PRIVATE_H

#include "pp/binary/binary.h"
#include "pp/binary/object_file.h"

#define NO_SECTION UINT32_MAX

struct binary_files {
	char *path;
	struct object_file image, debug, mini;	/* the last two: fd -1 and no bytes if not there */
	unsigned char *strings[4];	/* what names point into */
	size_t nr_strings;
	bool keep_open, is_compat;
};

/*
 * Add the symbols of @f's table of type @type (SHT_SYMTAB, SHT_DYNSYM), placed in the image's
 * sections of the same name [SY-8]. @sizes: those in the table count. True if there were any.
 */
bool elf_symbols_add(struct binary *b, const struct object_file *f, uint32_t type, bool sizes);

/* Add NAME@plt for each entry of the procedure linkage table [SY-13]. */
void plt_symbols_add(struct binary *b, const struct object_file *f);

/* Hand over memory that names point into. */
void binary_keep_strings(struct binary *b, unsigned char *strings);

#endif
