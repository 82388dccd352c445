/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.h - the code symbols of one binary image, sorted and without overlaps
 *
 * A place is an offset in the file for images mapped from a file, an address for the kernel of a
 * snapshot, an offset from its start for a module of a snapshot. A sample's key plus key_base is
 * such a place. Rules: doc/pp-spec.md [SY-1]..[SY-15].
 *
 * Different threads may use different binaries.
 */
#ifndef PP_BINARY_BINARY_H
#define PP_BINARY_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/session/kernel_symbols.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

struct code_symbol {
	uint64_t start, end;		/* places [start, end) */
	uint64_t vma;			/* address of start, as linked */
	const char *name;		/* as in the file, the binary's; see binary_symbol_name() */
	uint32_t section;		/* index into sections, or UINT32_MAX */
	uint32_t order;			/* in the file's table */
	uint8_t rank;			/* of several at one address the lowest is kept [SY-2] */
	bool is_label;			/* not a function, and no size: may lie in one [SY-3] */
	bool is_unnamed;		/* a function without symbol [SY-18]; its name is "" */
};

struct code_section {
	uint64_t start, end;		/* places */
	uint64_t vma, offset;		/* offset: in the file */
	const char *name;		/* the binary's */
	bool is_code;
};

enum symbols_from {
	SYMBOLS_NONE,
	SYMBOLS_TABLE,			/* .symtab */
	SYMBOLS_DEBUG_FILE,		/* .symtab of a separate debug file */
	SYMBOLS_DYNAMIC,		/* .dynsym: only exported ones */
	SYMBOLS_PACKED,			/* .dynsym and .gnu_debugdata: together all functions */
	SYMBOLS_GO,			/* the tables of Go's runtime: all functions */
	SYMBOLS_SNAPSHOT,		/* the session's copy of the kernel's */
};

struct binary {
	struct code_symbol *symbols;	/* by start; they do not overlap */
	size_t nr_symbols, symbols_room;
	uint32_t *same_name;		/* of each symbol: the first of its name, or NULL */
	struct code_section *sections;	/* those that are loaded, in the file's order */
	size_t nr_sections, sections_room;
	uint64_t key_base;
	uint64_t vma_base;		/* of places outside all sections: start of the mapping */
	bool is_file;
	enum symbols_from from;
	char *debug_path;		/* of SYMBOLS_DEBUG_FILE */
	char *looked_in;		/* where no debug file was found, or NULL */
	struct binary_files *files;	/* open files and their contents, or NULL */
	const char **shown;		/* names of rows so far: pp/report/merge_pass.c */
	struct inlined *inlined;	/* pp/report/inlined.c's, which closes it */
};

struct binary_options {
	bool is_kernel;		/* keys count from the start of .text */
	bool compat;		/* as the original: .symtab only, sizes ignored */
	bool by_address;	/* places are addresses: code made at run time */
	bool merge_names;	/* set same_name */
	bool keep_open;		/* for binary_code() */
	bool no_code;		/* there are zeros in its place: symbols that the history kept */
	bool functions;		/* of stripped code, also those without a name */
	const char *name;	/* for these; NULL: of the file */
	const char *root;	/* prefix for debug files below /usr/lib/debug, "" if none */
};

/*
 * Read the sections of @path, and the symbols of it or of its separate debug file, if there are
 * any. -ENOEXEC: not an object file; other -errno: of open(). The reason is in @e.
 */
int binary_open(const char *path, const struct binary_options *options, struct binary *ret,
		struct op_error *e);

/* The symbols of the kernel or a module as they were when the profile was taken [FI-6]. */
void binary_from_snapshot(const struct kernel_part *part, struct binary *ret);

void binary_close(struct binary *b);

/*
 * The name of symbol @i, malloc'd; for a function without a name "[IMAGE+0xADDRESS]", the address
 * being that of its start, as linked.
 */
char *binary_symbol_name(const struct binary *b, size_t i);

/* The bytes of places [@start, @end), malloc'd; NULL: unavailable. */
unsigned char *binary_code(const struct binary *b, uint64_t start, uint64_t end,
			   size_t *ret_size);

/* The section that contains a place, or NULL. */
const struct code_section *binary_section(const struct binary *b, uint64_t place);

/* Index of the first symbol from @from on that ends after @place; nr_symbols: none. */
size_t binary_next_symbol(const struct binary *b, size_t from, uint64_t place);

/* Sort the symbols, keep one per address and set the ends. For code that fills in symbols. */
void binary_finish(struct binary *b);

#endif
