/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - opexport's command line, checked: doc/man/opexport.1 */
#ifndef PP_EXCHANGE_EXPORT_COMMAND_H
#define PP_EXCHANGE_EXPORT_COMMAND_H

#include <stdbool.h>
#include "formats/format.h"
#include "libutil/error.h"
#include "pp/binary/demangle_name.h"
#include "pp/cli/asked.h"
#include "pp/select/spec.h"

struct option_set;

struct export_command {
	enum asked asked;		/* if not ASKED_WORK, nothing else is valid */
	bool list_formats;		/* if set, nothing below is valid */
	const struct profile_format *format;
	bool symbols, inlines, merge_unnamed, verbose;
	enum demangle_style demangle;
	char *event;			/* or NULL */
	char *output;			/* or NULL: standard output */
	char *session_dir, *root;	/* or NULL */
	struct spec_list image_path;
	struct profile_spec spec;
};

/* -EINVAL with @e set; *ret is then empty. *ret is the caller's to free. */
int export_command_parse(int argc, const char **argv, struct export_command *ret,
			 struct op_error *e);
void export_command_free(struct export_command *c);
extern const struct option_set export_option_set;

#endif
