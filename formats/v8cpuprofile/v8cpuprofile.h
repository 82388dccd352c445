/* SPDX-License-Identifier: GPL-2.0-or-later */
/* v8cpuprofile.h - V8's .cpuprofile: what reader and writer share. Rules: doc/v8cpuprofile.md */
#ifndef FORMATS_V8CPUPROFILE_V8CPUPROFILE_H
#define FORMATS_V8CPUPROFILE_V8CPUPROFILE_H

#include "formats/format.h"

#define V8_ROOT		"(root)"	/* above all stacks */
#define V8_ANONYMOUS	"(anonymous)"	/* how functions without a name are shown */
#define V8_OURS		"oprofile"	/* member of files that we wrote: the event */

int v8cpuprofile_write(const struct profile *p, const struct format_write_options *options,
		       FILE *out, struct op_error *e);

#endif
