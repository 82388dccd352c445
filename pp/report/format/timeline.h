/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - a timeline as text: a bar of characters for each row */
#ifndef PP_REPORT_FORMAT_TIMELINE_H
#define PP_REPORT_FORMAT_TIMELINE_H

#include "pp/report/format/text.h"
#include "pp/report/timeline.h"

struct timeline_text {
	bool symbols;		/* rows are functions, not images */
	bool utf8;		/* block characters can be shown; else ASCII */
	unsigned int width;	/* of lines, in columns */
};

/* Periods that lines of that width have room for. */
size_t format_timeline_periods(const struct timeline_text *how);

void format_timeline(const struct timeline *t, const struct arrangement *a,
		     const struct timeline_text *how, const struct text_options *options,
		     FILE *out);

#endif
