/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml.h - the symbol list or call graph as XML, OProfile's schema 3.0 and 3.1 [XM-1]..[XM-6]
 */
#ifndef PP_REPORT_FORMAT_XML_H
#define PP_REPORT_FORMAT_XML_H

#include <stdbool.h>
#include <stdio.h>
#include "pp/report/callgraph.h"
#include "pp/report/symbols.h"
#include "pp/select/arrange.h"

struct xml_options {
	bool header_only;		/* options and setup */
	bool compat;		/* with the original's departures from its schema */
	bool details, wide_addresses;
	bool debug_info, exclude_dependent, reverse;
	const struct event_table *events;	/* or NULL */
	const char *title;	/* command line */
	const char *arguments;	/* non-option arguments, or "" */
	const char *merge, *image_path, *include, *exclude;	/* as given, or NULL */
};

/* @rows are sorted by application, image, samples. @graph may be NULL. */
void format_xml(const struct row_list *rows, const struct callgraph *graph,
		const struct arrangement *a, const struct xml_options *options, FILE *out);

#endif
