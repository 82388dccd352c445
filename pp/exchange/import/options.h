/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - opimport's command line, checked: doc/man/opimport.1 */
#ifndef PP_EXCHANGE_IMPORT_OPTIONS_H
#define PP_EXCHANGE_IMPORT_OPTIONS_H

#include <stdbool.h>
#include "libutil/error.h"
#include "pp/cli/asked.h"

struct option_set;

struct profile_format;

/* With @abi, convert a sample file of another machine; else import a profile. */
struct import_options {
	enum asked asked;		/* if not ASKED_WORK, nothing else is valid */
	bool list_formats;		/* if set, nothing below is valid */
	bool force, verbose;
	bool strict, salvage, drop_handler_frames;
	const struct profile_format *from;	/* NULL: detect it */
	char *abi, *input;
	char *output;			/* a sample file; for profiles: name of the session */
	char *session_dir;		/* for profiles */
};

/* -EINVAL with @e set; *ret is then empty. *ret is the caller's to free. */
int import_options_parse(int argc, const char **argv, struct import_options *ret,
			 struct op_error *e);
void import_options_free(struct import_options *o);
extern const struct option_set import_option_set;

#endif
