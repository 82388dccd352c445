/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h - how a machine lays out sample files: OProfile's "abi" file, written and read
 *
 * doc/sample-file.md [SF-40]. The numbers are unchecked: code that uses them to read another file
 * checks them (pp/exchange/import/foreign_samples.h).
 */
#ifndef LIBDB_SESSION_ABI_H
#define LIBDB_SESSION_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

enum abi_field {
	ABI_SIZEOF_DOUBLE,
	ABI_SIZEOF_U64,
	ABI_SIZEOF_U8,
	ABI_SIZEOF_U32,
	ABI_SIZEOF_INT,
	ABI_SIZEOF_UNSIGNED_INT,
	ABI_SIZEOF_KEY,
	ABI_SIZEOF_INDEX,
	ABI_SIZEOF_VALUE,
	ABI_SIZEOF_NODE_NR,
	ABI_SIZEOF_DESCR,
	ABI_SIZEOF_NODE,
	ABI_SIZEOF_HEADER,
	ABI_NODE_KEY,			/* from here on offsets */
	ABI_NODE_VALUE,
	ABI_NODE_NEXT,
	ABI_DESCR_SIZE,
	ABI_DESCR_CURRENT_SIZE,
	ABI_HEADER_MAGIC,
	ABI_HEADER_VERSION,
	ABI_HEADER_CPU_TYPE,
	ABI_HEADER_EVENT,
	ABI_HEADER_UNIT_MASK,
	ABI_HEADER_COUNT,
	ABI_HEADER_IS_KERNEL,
	ABI_HEADER_CPU_SPEED,
	ABI_HEADER_MTIME,
	ABI_HEADER_CG_TO_IS_KERNEL,
	ABI_HEADER_ANON_START,
	ABI_HEADER_CG_TO_ANON_START,
	ABI_LITTLE_ENDIAN,		/* 0 or 1 */
	NR_ABI_FIELDS
};

struct abi {
	unsigned int value[NR_ABI_FIELDS];
};

/* This machine's layout of sample files of that version. */
void abi_native(uint32_t sample_version, struct abi *ret);
bool abi_equal(const struct abi *a, const struct abi *b);

/* The text of the file: a line per field, in the order above. */
void abi_format(const struct abi *abi, struct strbuf *out);
const char *abi_field_name(enum abi_field field);

/*
 * Parse @text (writable, ends in a NUL), overwriting it. Lines may come in any order, unknown names
 * are skipped. -EPROTO with "@name:line: why", or with the missing field, in @e.
 */
int abi_parse(char *text, size_t len, const char *name, struct abi *ret, struct op_error *e);
int abi_read(const char *path, struct abi *ret, struct op_error *e);	/* or an error of reading */

#endif
