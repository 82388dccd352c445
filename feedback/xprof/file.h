/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - profile feedback as binary files in a folder NAME.profile
 *
 * A file holds the arrays of struct xprof with their layout in memory, each with a checksum, so
 * that it can be used as it is mapped. Rules: doc/xprof.md [XP-24]..[XP-30].
 */
#ifndef FEEDBACK_XPROF_FILE_H
#define FEEDBACK_XPROF_FILE_H

#include "feedback/xprof/text.h"
#include "libutil/strbuf.h"

#define XPROF_FILE_MAGIC	"OPXPROF\n"
#define XPROF_FILE_MAJOR	1
#define XPROF_FILE_MINOR	1
#define XPROF_FILE_ORDER	0x01020304u

struct xprof_file_header {
	char magic[8];
	uint32_t byte_order;
	uint16_t major, minor;
	uint32_t header_size;		/* with the section table that follows */
	uint32_t nr_sections;
	uint64_t total_size;
	uint32_t type;
	uint32_t crc;			/* of header_size bytes, with 0 here */
	uint32_t zero[6];
};

struct xprof_file_section {
	uint32_t id, element_size;
	uint64_t offset, size;		/* bytes; padded with zeros to a multiple of 8 */
	uint32_t crc;			/* of the section with its padding */
	uint32_t zero;
};

/* Append the bytes of a file to @out; @swapped: in the opposite of this machine's byte order. */
void xprof_file_encode(const struct xprof *x, bool swapped, struct strbuf *out);

/*
 * Map and check the file @path. -EPROTO: malformed, @e reports file and offset. The caller frees
 * *ret, which is read-only: its arrays are in the mapping.
 */
int xprof_file_read(const char *path, const struct xprof_options *options, struct xprof **ret,
		    struct op_error *e);

enum xprof_store {
	XPROF_NEW,		/* -EEXIST if the file exists */
	XPROF_REPLACE,
	XPROF_ADD,		/* the sum of the existing file and the new profile: xprof_add() */
};

/*
 * Store @x in the folder @dir, which is created if needed, as the file of its type. The file is
 * replaced in one step and is on the disk on return. Concurrent calls for one folder wait for each
 * other. *ret_nr_reset: objects whose old counters were discarded.
 */
int xprof_dir_store(const char *dir, const struct xprof *x, enum xprof_store how,
		    const struct xprof_options *options, uint32_t *ret_nr_reset,
		    struct op_error *e);

/* Read the file of @type. -ENOENT: it does not exist. */
int xprof_dir_read(const char *dir, enum xprof_type type, const struct xprof_options *options,
		   struct xprof **ret, struct op_error *e);

#endif
