/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gunzip.h - unpack profiles that are packed with gzip */
#ifndef FORMATS_FILE_GUNZIP_H
#define FORMATS_FILE_GUNZIP_H

#include "formats/format.h"

bool is_gzip(const unsigned char *bytes, size_t size);

/*
 * Unpack all members of @bytes into *ret, which the caller frees. -EFBIG: the data exceeds the
 * limit of [PF-7]. -EPROTO: the data is malformed; with @options->salvage what precedes the fault
 * is kept.
 */
int profile_gunzip(const unsigned char *bytes, size_t size,
		   const struct format_read_options *options, unsigned char **ret,
		   size_t *ret_size, struct op_error *e);

#endif
