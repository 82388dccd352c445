/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - any report of opreport as JSON: doc/opreport-json.md */
#ifndef PP_REPORT_FORMAT_JSON_H
#define PP_REPORT_FORMAT_JSON_H

#include <stdio.h>
#include "libutil/json_text.h"
#include "pp/report/callgraph.h"
#include "pp/report/ratio.h"
#include "pp/report/stack/report.h"
#include "pp/report/summary.h"
#include "pp/report/symbols.h"
#include "pp/select/arrange.h"
#include "pp/select/notices.h"
#include "pp/select/sessions.h"

struct json_report {
	const char *command;
	const struct session_list *const *sessions;	/* one list for each profile */
	size_t nr_sessions;
	const struct arrangement *arrangement;
	const struct notices *notices;
	const struct ratio_list *ratios;
	const struct summary *summary;		/* this or rows */
	const struct row_list *rows;
	const struct callgraph *graph;		/* or NULL */
	const struct stack_report *stacks;	/* or NULL; then @rows are its rows */
};

/* An element of "sessions" in the schema. */
void json_session(struct json *j, const struct report_session *s);

void format_json(const struct json_report *report, FILE *out);

#endif
