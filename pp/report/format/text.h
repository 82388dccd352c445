/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - reports as text; widths and titles are a stable interface [RP-1]..[RP-6]
 */
#ifndef PP_REPORT_FORMAT_TEXT_H
#define PP_REPORT_FORMAT_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include "libutil/strbuf.h"
#include "pp/report/callgraph.h"
#include "pp/report/ratio.h"
#include "pp/report/summary.h"
#include "pp/report/symbols.h"
#include "pp/select/arrange.h"
#include "pp/select/sessions.h"

struct text_options {
	bool compat;			/* no header lines that the original does not have */
	bool no_header;
	bool color;
	bool long_names;
	bool show_address;		/* this and the next five: not for the summary */
	bool show_lines;
	bool accumulated;
	bool details;
	bool differential;
	bool global_percent;
	bool wide_addresses;
	bool several_apps;
	const char *title;		/* the command line */
	const struct event_table *events;	/* or NULL: no descriptions */
	const struct ratio_list *ratios;	/* or NULL */
};

/* Append @part of @total as a percentage in 7 characters; see [RP-1] for the small ones. */
void format_percent(struct strbuf *out, uint64_t part, uint64_t total);
void format_percent_value(struct strbuf *out, double percent);

/* Number of ratios. */
size_t format_nr_ratios(const struct text_options *options);

/* The same for a change, with its sign; and with the width and digits of the original. */
void format_change(struct strbuf *out, double percent);
void format_change_as_original(struct strbuf *out, double percent);

/* Color of a line on a terminal. */
enum line_color {
	COLOR_NONE,
	COLOR_WARM,			/* 0.5 % and more of the samples */
	COLOR_HOT,			/* 5 % and more */
};

/* print_line() in that color. */
void format_colored_line(struct strbuf *line, enum line_color color, FILE *out);

/* The color for a row of these counts, by its largest share; COLOR_NONE unless @wanted. */
enum line_color format_color(const uint64_t *counts, const uint64_t *totals, size_t nr,
			     bool wanted);

/* Escape sequences before and after text of that color; "" for none. */
const char *format_color_start(enum line_color color);
const char *format_color_end(enum line_color color);

/* @sessions: @nr lists of them, one for each profile. */
void format_header(const struct arrangement *a, const struct session_list *const *sessions,
		   size_t nr, const struct text_options *options, FILE *out);
void format_summary(const struct summary *summary, const struct arrangement *a,
		    const struct text_options *options, FILE *out);
void format_symbols(const struct row_list *rows, const struct text_options *options, FILE *out);
void format_callgraph(const struct callgraph *graph, const struct row_list *rows,
		      const struct text_options *options, FILE *out);

#endif
