/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - the binary twin of profile feedback text: a file, and the folder it lies in
 *
 * A file is the arrays of struct xprof as they are in memory, each with a checksum, so that it
 * is used as it is mapped. Rules: doc/xprof.md [XP-24]..[XP-30].
 */
#ifndef FEEDBACK_XPROF_FILE_H
#define FEEDBACK_XPROF_FILE_H

#include "feedback/xprof/text.h"
#include "libutil/strbuf.h"

#define XPROF_FILE_MAGIC	"OPXPROF\n"
#define XPROF_FILE_MAJOR	1
#define XPROF_FILE_MINOR	0
#define XPROF_FILE_ORDER	0x01020304u

struct xprof_file_header {
	char magic[8];
	uint32_t byte_order;
	uint16_t major, minor;
	uint32_t header_size;		/* with the sections that follow */
	uint32_t nr_sections;
	uint64_t total_size;
	uint32_t type;
	uint32_t crc;			/* of header_size bytes, taking this for 0 */
	uint32_t zero[6];
};

struct xprof_file_section {
	uint32_t id, element_size;
	uint64_t offset, size;		/* bytes; zeros follow up to a multiple of 8 */
	uint32_t crc;			/* of these, zeros included */
	uint32_t zero;
};

/* Append the bytes of such a file; @swapped: in the byte order that is not this machine's. */
void xprof_file_encode(const struct xprof *x, bool swapped, struct strbuf *out);

/*
 * Map and check the file @path. -EPROTO: @e says at which byte which rule is broken. *ret is new
 * and may be read only; its arrays lie in the mapping.
 */
int xprof_file_read(const char *path, const struct xprof_options *options, struct xprof **ret,
		    struct op_error *e);

enum xprof_store {
	XPROF_NEW,		/* -EEXIST if there is one */
	XPROF_REPLACE,
	XPROF_ADD,		/* what is there and this, see xprof_add() */
};

/*
 * Store @x in the folder @dir, which is made if need be, as the file of its type; replaced in one
 * step, and on disk when this returns. Whoever stores meanwhile waits. *ret_nr_reset: objects whose
 * counters began anew.
 */
int xprof_dir_store(const char *dir, const struct xprof *x, enum xprof_store how,
		    const struct xprof_options *options, uint32_t *ret_nr_reset,
		    struct op_error *e);

/* Read the file of @type. -ENOENT: there is none. */
int xprof_dir_read(const char *dir, enum xprof_type type, const struct xprof_options *options,
		   struct xprof **ret, struct op_error *e);

#endif
