/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binary_bfd.h - what the files around libbfd share; nobody else sees a bfd */
#ifndef BINARY_BFD_H
#define BINARY_BFD_H

#define PACKAGE "oprofile"	/* bfd.h insists */
#define PACKAGE_VERSION "1"
#include <bfd.h>

#include "binary.h"

struct binary_files {
	bfd *image;
	bfd *debug;		/* separate debug file, or NULL */
	bfd *symbols_from;	/* one of the two, or NULL */
	asymbol **table;	/* of symbols_from */
	char *strings;		/* .dynstr, when that was read */
};

/* Open an object file; NULL with @e set and *ret_err. */
bfd *binary_bfd_open(const char *path, int *ret_err, struct op_error *e);

/*
 * The separate debug file of @image at @path, open, or NULL: by build-id, else by
 * .gnu_debuglink with its CRC checked [SY-7].
 */
bfd *debug_file_open(bfd *image, const char *path, const char *root);

/* Add the functions of .dynsym [SY-6]. */
void dynamic_symbols_add(struct binary *b, bfd *image);

#endif
