/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_options.h - opreport's command line, checked: doc/man/opreport.1 */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "arrange.h"
#include "error.h"
#include "sort.h"
#include "spec.h"

enum {			/* --verbose=: stages that print their result on stderr */
	PRINT_FILES = 1,
	PRINT_CLASSES = 2,
	PRINT_IMAGES = 4,
	PRINT_SYMBOLS = 8,
	PRINT_ROWS = 16,
};

struct report_options {
	bool help, usage, version;	/* asked for: nothing else was checked */
	bool compat;
	bool symbols;			/* -l */
	bool exclude_dependent, no_header, show_address, long_names, accumulated;
	bool debug_info, global_percent, demangle;
	struct merge merge;
	struct sort_order sort;
	double threshold;		/* percent */
	char *session_dir;		/* NULL: the default */
	char *root, *output_file;	/* or NULL */
	struct spec_list image_path, include, exclude;
	struct profile_spec spec;
	unsigned int print;		/* PRINT_* */
};

/* -EINVAL, -ENOTSUP with @e set; *ret is then empty. *ret is the caller's to free. */
int report_options_parse(int argc, const char **argv, struct report_options *ret,
			 struct op_error *e);
void report_options_free(struct report_options *o);
void report_options_help(bool usage_only);	/* on stdout */

#endif
