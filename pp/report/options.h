/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - opreport's command line, checked: doc/man/opreport.1 */
#ifndef PP_REPORT_OPTIONS_H
#define PP_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/error.h"
#include "pp/binary/debug_server.h"
#include "pp/binary/demangle_name.h"
#include "pp/cli/asked.h"
#include "pp/report/ratio.h"
#include "pp/report/sort.h"
#include "pp/report/stack/report.h"
#include "pp/select/arrange.h"
#include "pp/select/spec.h"

enum report_format { FORMAT_TEXT, FORMAT_XML, FORMAT_JSON, FORMAT_CSV };

struct option_set;

struct report_options {
	enum asked asked;		/* unless ASKED_WORK, nothing else is set */
	bool compat;
	bool symbols;			/* -l, or what implies it */
	bool details, callgraph;	/* -d, -c */
	enum stacks_order stacks;	/* --stacks */
	bool timeline;			/* of a range of the history */
	bool utf8;			/* this and the next: for the timeline's characters */
	unsigned int width;		/* of the terminal, or of what stands in for it */
	enum report_format format;
	bool strict;
	bool has_sort;			/* --sort was given */
	bool exclude_dependent, no_header, show_address, long_names, accumulated;
	bool debug_info, inlines, global_percent, color, merge_unnamed;
	enum demangle_style demangle;
	struct merge merge;
	struct sort_order sort;
	double threshold;		/* percent */
	char *ratio;			/* as given: ratio.h; or NULL */
	bool separate_threads;		/* of sessions of opsample: --separate=thread */
	char *session_dir;		/* NULL: the default */
	char *root, *output_file;	/* or NULL */
	char *flamegraph, *html;	/* files of pictures, or NULL: pp/picture/picture.h */
	bool has_heatmap;		/* the page: of a range of the history */
	struct spec_list image_path, include, exclude;
	struct profile_spec specs[2];
	size_t nr_specs;		/* 2: they are compared */
	char *title;			/* the command line, for XML and JSON */
	char *arguments;		/* the ones that are not options, comma separated */
	/* as given, or NULL */
	char *merge_text, *image_path_text, *include_text, *exclude_text;
	unsigned int print;		/* PRINT_* of pp/cli/common_options.h */
};

/* -EINVAL or -ENOENT with @e set: *ret is empty. Else *ret is the caller's to free. */
int report_options_parse(int argc, const char **argv, struct report_options *ret,
			 struct op_error *e);
void report_options_free(struct report_options *o);
extern const struct option_set report_option_set;

#endif
