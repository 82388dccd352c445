/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_script.h - parse lines of the output of perf script. Rules: doc/perf-script.md [PS-n] */
#ifndef FORMATS_PERF_SCRIPT_PERF_SCRIPT_H
#define FORMATS_PERF_SCRIPT_PERF_SCRIPT_H

#include <stdint.h>
#include "formats/file/text_lines.h"
#include "formats/format.h"

/* "comm 123/124 [002] 17.000001:  250000 cpu-clock:ppp:  55d0 main+0x4 (/bin/prog)" [PS-2] */
struct perf_header {
	struct text comm, event;
	int64_t pid, tid, cpu;		/* -1: missing */
	int64_t period;			/* 0: missing */
	struct text frame;		/* on the same line; empty: in the lines that follow */
};

/* "	    55d0 main+0x4 (/bin/prog)" [PS-3] */
struct perf_frame {
	uint64_t address;
	struct text symbol;		/* without the offset; empty: unknown */
	struct text image;		/* empty: unknown */
	bool is_inlined;		/* into the next frame */
};

bool perf_script_header(struct text line, struct perf_header *ret);
bool perf_script_frame(struct text line, struct perf_frame *ret);

int perf_script_write(const struct profile *p, const struct format_write_options *options,
		      FILE *out, struct op_error *e);

#endif
