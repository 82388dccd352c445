/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - opgprof's command line, checked: doc/man/opgprof.1 */
#ifndef PP_EXCHANGE_GMON_OPTIONS_H
#define PP_EXCHANGE_GMON_OPTIONS_H

#include <stdbool.h>
#include "libutil/error.h"
#include "pp/cli/asked.h"
#include "pp/select/spec.h"

struct option_set;

struct gprof_options {
	enum asked asked;		/* if not ASKED_WORK, nothing else was checked */
	bool compat;
	double threshold;		/* percent */
	char *output_file;		/* never NULL */
	char *session_dir;		/* NULL: the default */
	char *root;			/* or NULL */
	struct spec_list image_path;
	struct profile_spec spec;
	unsigned int print;		/* PRINT_* of pp/cli/common_options.h */
};

/* -EINVAL with @e set; *ret is then empty. *ret is the caller's to free. */
int gprof_options_parse(int argc, const char **argv, struct gprof_options *ret,
			struct op_error *e);
void gprof_options_free(struct gprof_options *o);
extern const struct option_set gprof_option_set;

#endif
