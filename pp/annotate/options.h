/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - opannotate's command line, checked: doc/man/opannotate.1 */
#ifndef PP_ANNOTATE_OPTIONS_H
#define PP_ANNOTATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/error.h"
#include "pp/binary/demangle_name.h"
#include "pp/binary/disassemble/options.h"
#include "pp/cli/asked.h"
#include "pp/select/arrange.h"
#include "pp/select/spec.h"

struct option_set;

struct annotate_options {
	enum asked asked;		/* if not ASKED_WORK, nothing else is valid */
	bool compat;
	bool source, assembly;		/* at least one */
	bool inlines, exclude_dependent, color, merge_unnamed;
	enum demangle_style demangle;
	bool print_warnings;		/* --verbose=: all of them */
	bool print_files, print_classes, print_images, print_symbols;
	struct merge merge;
	double threshold;		/* percent */
	char *session_dir;		/* NULL: the default */
	char *root, *output_dir;	/* or NULL */
	char *objdump_params;		/* as given, or NULL */
	struct disassemble_options disassembly;
	struct spec_list image_path, include, exclude;
	struct spec_list search_dirs, base_dirs, include_files, exclude_files;
	struct profile_spec spec;
	char *command_line;		/* all words, for the report's header */
};

/* -EINVAL, -ENOTSUP with @e set; *ret is then empty. *ret is the caller's to free. */
int annotate_options_parse(int argc, const char **argv, struct annotate_options *ret,
			   struct op_error *e);
void annotate_options_free(struct annotate_options *o);
extern const struct option_set annotate_option_set;

#endif
