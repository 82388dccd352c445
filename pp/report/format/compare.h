/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.h - comparisons as text, CSV or JSON [DS-6]..[DS-9] */
#ifndef PP_REPORT_FORMAT_COMPARE_H
#define PP_REPORT_FORMAT_COMPARE_H

#include <stdio.h>
#include "pp/report/compare.h"
#include "pp/report/diff_options.h"
#include "pp/report/format/text.h"
#include "pp/select/arrange.h"
#include "pp/select/notices.h"
#include "pp/select/sessions.h"

struct compare_report {
	const struct diff_options *options;
	const struct session_list *sessions[2];
	const struct arrangement *arrangement;	/* the second's; the first has the same classes */
	const struct comparison *comparisons;	/* one for each class */
	const struct event_table *events;	/* or NULL: no descriptions */
	const struct notices *notices;
};

void format_compare_text(const struct compare_report *r, FILE *out);
void format_compare_csv(const struct compare_report *r, FILE *out);
void format_compare_json(const struct compare_report *r, FILE *out);

#endif
