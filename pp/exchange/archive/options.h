/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - oparchive's command line, checked: doc/man/oparchive.1 */
#ifndef PP_EXCHANGE_ARCHIVE_OPTIONS_H
#define PP_EXCHANGE_ARCHIVE_OPTIONS_H

#include <stdbool.h>
#include "libutil/error.h"
#include "pp/cli/asked.h"
#include "pp/select/spec.h"

struct option_set;

struct archive_options {
	enum asked asked;		/* if not ASKED_WORK, nothing else was checked */
	bool compat;
	bool list_files, exclude_dependent;
	bool print_files;		/* --verbose=files */
	char *output_dir;		/* NULL: only with list_files */
	char *session_dir;		/* NULL: the default */
	char *root;			/* or NULL */
	struct spec_list image_path;
	struct profile_spec spec;
};

/* -EINVAL with @e set; *ret is then empty. *ret is the caller's to free. */
int archive_options_parse(int argc, const char **argv, struct archive_options *ret,
			  struct op_error *e);
void archive_options_free(struct archive_options *o);
extern const struct option_set archive_option_set;

#endif
