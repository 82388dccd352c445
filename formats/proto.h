/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proto.h - the reader of profile.proto, for the format's object beside the writer */
#ifndef PROTO_H
#define PROTO_H

#include "format.h"

bool proto_detect(const unsigned char *bytes, size_t size);
int proto_read(const unsigned char *bytes, size_t size, const struct format_read_options *options,
	       struct profile *p, struct op_error *e);

#endif
