/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - shared by the files that fill in a binary */
#ifndef PP_BINARY_PRIVATE_H
#define PP_BINARY_PRIVATE_H

#include <stdlib.h>

#include "pp/binary/binary.h"
#include "pp/binary/object_file.h"

#define NO_SECTION UINT32_MAX

struct binary_files {
	char *path;
	struct object_file image, debug, mini;	/* the last two: fd -1 and no bytes if missing */
	unsigned char *strings[4];	/* names point into these */
	size_t nr_strings;
	bool keep_open, is_compat;
};

/* Take over @strings, which names point into. */
static inline void binary_keep_strings(struct binary *b, unsigned char *strings)
{
	struct binary_files *files = b->files;

	if (files->nr_strings == sizeof(files->strings) / sizeof(files->strings[0]))
		abort();	/* more tables than binary_open() reads */
	files->strings[files->nr_strings++] = strings;
}

/*
 * Add the symbols of @f's table of type @type (SHT_SYMTAB, SHT_DYNSYM), placed in the image's
 * sections of the same name [SY-8]. @sizes: use the table's sizes. True if there were any.
 */
bool elf_symbols_add(struct binary *b, const struct object_file *f, uint32_t type, bool sizes);

/* Add NAME@plt for each entry of the procedure linkage table [SY-13]. */
void plt_symbols_add(struct binary *b, const struct object_file *f);

#endif
