/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - shared by the files that fill in a binary */
#ifndef PP_BINARY_PRIVATE_H
#define PP_BINARY_PRIVATE_H

#include <stdlib.h>

#include "pp/binary/binary.h"
#include "pp/binary/object_file.h"

#define NO_SECTION UINT32_MAX

struct binary_files {
	char *path, *name;	/* name: the image's, for functions without one */
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

/* Sections of code by address, without linkage tables, whose entries have names of their own. */
struct code_sections {
	const struct code_section **list;
	size_t nr;
};

void code_sections_make(const struct binary *b, struct code_sections *ret);
void code_sections_free(struct code_sections *s);
/* The section at @vma, or NULL. */
const struct code_section *code_sections_find(const struct code_sections *s, uint64_t vma);

/* Functions by place, without names and overlaps [SY-18]; a big binary has 100,000 or more. */
struct function_bounds {
	uint64_t start;			/* place */
	uint32_t size, section;
};

struct functions {
	struct function_bounds *list;
	size_t nr, room;
};

/* Add those of @f's call frame information, placed in the image's sections. */
void functions_read(const struct binary *b, const struct object_file *f, struct functions *ret);
/* Set the ends of @b's symbols that have no size. */
void functions_end_symbols(const struct functions *f, struct binary *b);
/* Add to @b's symbols, which are complete, what lies between them. */
void functions_fill_gaps(const struct functions *f, struct binary *b);

/*
 * Add the functions of a Go binary from the tables of its runtime [SY-19]. False: it is none, or
 * they are malformed.
 */
bool go_symbols_add(struct binary *b, const struct object_file *f);

/* Add NAME@plt for each entry of the procedure linkage table [SY-13]. */
void plt_symbols_add(struct binary *b, const struct object_file *f);

#endif
