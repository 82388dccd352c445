/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callgrind.h - callgrind's format: what reader and writer share. Rules: doc/callgrind.md */
#ifndef FORMATS_CALLGRIND_CALLGRIND_H
#define FORMATS_CALLGRIND_CALLGRIND_H

#include "formats/format.h"

#define CALLGRIND_CREATOR "creator: oprofile "	/* identifies files that we wrote */

int callgrind_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		    struct op_error *e);

#endif
