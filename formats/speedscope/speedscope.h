/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope.h - speedscope's format: what reader and writer share. Rules: doc/speedscope.md */
#ifndef FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "formats/format.h"

#define SPEEDSCOPE_EXPORTER "oprofile "	/* identifies files that we wrote */

int speedscope_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		     struct op_error *e);

#endif
