/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - the header of a sample file: event, count, CPU type
 *
 * OProfile's header in the two versions in use, 0x12 (0.9.8, 0.9.9; 88 bytes) and 0x13 (1.x;
 * 72 bytes), as laid out on 64-bit machines; doc/sample-file.md [SF-1] to [SF-6].
 */
#ifndef LIBDB_SESSION_HEADER_H
#define LIBDB_SESSION_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define SAMPLE_VERSION_099	0x12
#define SAMPLE_VERSION_1X	0x13
#define SAMPLE_HEADER_SIZE	72	/* of SAMPLE_VERSION_1X, what we write */
#define SAMPLE_HEADER_SIZE_099	88
#define SAMPLE_HEADER_SIZE_MAX	88

struct sample_header {
	uint32_t version;
	uint32_t cpu_type;		/* as numbered by that version: events/cpu/type.h */
	uint32_t event;			/* event code */
	uint32_t unit_mask;
	uint32_t count;			/* events per sample */
	bool is_kernel;			/* in a {cg} file: of the caller */
	double cpu_mhz;
	uint64_t mtime;			/* of the image, seconds; 0 unknown */
	bool cg_to_is_kernel;
	uint64_t anon_start;		/* address of the anonymous mapping, else 0 */
	uint64_t cg_to_anon_start;
};

/* Encode @h, of either version, into @bytes. The header's size, -ENOTSUP or -ENOSPC. */
int sample_header_encode(const struct sample_header *h, void *bytes, size_t room);

/*
 * Encode @h into odb_header()'s memory, the magic last: if the writer is killed before that, the
 * file is still new for the next one (odb_is_new()). 0 or -ENOTSUP. [SF-16]
 */
int sample_header_store(const struct sample_header *h, void *mapped);

/*
 * Decode the first @n bytes of a file; *ret_size is the header's size in that version.
 * -EPROTO: too short, or the magic is wrong. -ENOTSUP: another version (named in @e).
 * -ENODATA: no bytes, or zeros only: its writer has not finished creating it [SF-16].
 */
int sample_header_decode(const void *bytes, size_t n, struct sample_header *ret, size_t *ret_size,
			 struct op_error *e);

/* The header of the file @path, and its size. Errors as above, or those of open() and read(). */
int sample_header_read(const char *path, struct sample_header *ret, size_t *ret_size,
		       struct op_error *e);

/* The same, but a header of an unknown version is taken for one of 1.x, as the original does. */
int sample_header_read_any(const char *path, struct sample_header *ret, struct op_error *e);

#endif
