/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_options.h - opdiff's command line, checked: doc/man/opdiff.1 */
#ifndef PP_REPORT_DIFF_OPTIONS_H
#define PP_REPORT_DIFF_OPTIONS_H

#include <stdbool.h>
#include "libutil/error.h"
#include "pp/binary/demangle_name.h"
#include "pp/cli/asked.h"
#include "pp/report/compare.h"
#include "pp/report/options.h"
#include "pp/select/spec.h"

struct option_set;

struct diff_options {
	enum asked asked;		/* unless ASKED_WORK, nothing else is set */
	bool watch;			/* both profiles are the last hour: pp/report/watch.h */
	bool images;			/* compare images, not symbols */
	bool applications;		/* a row per application */
	bool long_names, no_header, inlines, color, merge_unnamed;
	enum report_format format;	/* text, JSON or CSV */
	double confidence;		/* percent */
	double fail_above;		/* percent of all samples; negative: none */
	bool only_folders;		/* of samples: the session directory does not matter */
	struct compare_options compare;
	enum demangle_style demangle;
	char *session_dir;		/* NULL: the default */
	char *root, *output_file;	/* or NULL */
	struct spec_list image_path;
	struct profile_spec specs[2];
	char *command_line;
	unsigned int print;		/* PRINT_* of pp/cli/common_options.h */
};

/* -EINVAL with @e set; *ret is then empty. *ret is the caller's to free. */
int diff_options_parse(int argc, const char **argv, struct diff_options *ret, struct op_error *e);
void diff_options_free(struct diff_options *o);
extern const struct option_set diff_option_set;

#endif
