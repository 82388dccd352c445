/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folded.h - between the halves of folded stacks: the marks behind names. Rules: doc/folded.md */
#ifndef FORMATS_FOLDED_FOLDED_H
#define FORMATS_FOLDED_FOLDED_H

#include "formats/format.h"

/* "_[k]": what a frame is, as flamegraph.pl's colours know it [FO-4] */
#define FOLDED_KERNEL	'k'
#define FOLDED_JIT	'j'
#define FOLDED_INLINED	'i'
#define FOLDED_MARKS	"kji"
#define FOLDED_MARK_LENGTH 4

int folded_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		 struct op_error *e);

#endif
