/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gunzip.h - profiles as they are stored: packed with gzip */
#ifndef FORMATS_FILE_GUNZIP_H
#define FORMATS_FILE_GUNZIP_H

#include "formats/format.h"

bool is_gzip(const unsigned char *bytes, size_t size);

/*
 * What is in @bytes, malloc'd, all members of it. -EFBIG: it grows beyond all reason [PF-7].
 * -EPROTO: it is broken; what came out before the fault is kept if the options say so.
 */
int profile_gunzip(const unsigned char *bytes, size_t size,
		   const struct format_read_options *options, unsigned char **ret,
		   size_t *ret_size, struct op_error *e);

#endif
