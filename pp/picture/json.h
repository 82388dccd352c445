/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - a picture's data as JSON, for the page that draws it: doc/pictures.md */
#ifndef PP_PICTURE_JSON_H
#define PP_PICTURE_JSON_H

#include <stdio.h>
#include "pp/picture/data.h"
#include "pp/picture/source.h"
#include "pp/picture/times.h"
#include "pp/report/stack/report.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

struct picture_report {
	const char *title;		/* what was profiled */
	const char *command;		/* or NULL */
	bool is_served;			/* by opserve: another time can be asked for */
	const struct session_list *sessions[2];	/* of the picture's profiles */
	const struct picture *picture;
	const struct picture_sources *sources;
	const struct picture_times *times;
	const struct stack_quality *quality;	/* of the last profile */
	const struct notices *notices;
};

/* Write one object. Its texts are not escaped for HTML: see picture_json_in_page(). */
void picture_json(const struct picture_report *report, FILE *out);

/*
 * Write @json for use within a page: '<', '>', '&', and the line separators that old browsers treat
 * as newlines become \u escapes, which do not change its meaning.
 */
void picture_json_in_page(const char *json, FILE *out);

#endif
