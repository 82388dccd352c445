/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope.h - between the halves of speedscope's format. Rules: doc/speedscope.md */
#ifndef FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "formats/format.h"

#define SPEEDSCOPE_EXPORTER "oprofile "	/* how what we wrote begins to say who did */

int speedscope_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		     struct op_error *e);

#endif
