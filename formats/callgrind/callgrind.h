/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callgrind.h - between the halves of callgrind's format. Rules: doc/callgrind.md */
#ifndef FORMATS_CALLGRIND_CALLGRIND_H
#define FORMATS_CALLGRIND_CALLGRIND_H

#include "formats/format.h"

#define CALLGRIND_CREATOR "creator: oprofile "	/* how what we wrote says who did */

int callgrind_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		    struct op_error *e);

#endif
