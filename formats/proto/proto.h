/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proto.h - profile.proto: what its reader needs of its writer */
#ifndef FORMATS_PROTO_PROTO_H
#define FORMATS_PROTO_PROTO_H

#include "formats/format.h"

int proto_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		struct op_error *e);

#endif
