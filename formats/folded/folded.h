/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folded.h - folded stacks: the marks after names, which reader and writer share: doc/folded.md */
#ifndef FORMATS_FOLDED_FOLDED_H
#define FORMATS_FOLDED_FOLDED_H

#include "formats/format.h"

/* "_[k]": the kind of a frame, by the convention of flamegraph.pl's colors [FO-4] */
#define FOLDED_KERNEL	'k'
#define FOLDED_JIT	'j'
#define FOLDED_INLINED	'i'
#define FOLDED_MARKS	"kji"
#define FOLDED_MARK_LENGTH 4

int folded_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		 struct op_error *e);

#endif
