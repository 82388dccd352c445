/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - parse oparchive's options with libpopt */
#include "pp/exchange/archive/options.h"

#include <errno.h>
#include <stdlib.h>

#include "pp/cli/common_options.h"
#include "pp/cli/option_words.h"

/* What popt fills in; one command line at a time. */
static struct raw {
	int exclude_dependent, list_files;
	char *output_dir, *verbose, *session_dir, *image_path, *root, *compat;
} raw;

static const struct poptOption table[] = {
	{ "output-directory", 'o', POPT_ARG_STRING, &raw.output_dir, 0,
	  "write the archive to this new or empty folder", "folder" },
	{ "list-files", 'l', POPT_ARG_NONE, &raw.list_files, 0,
	  "list the files that would be copied", NULL },
	{ "exclude-dependent", 'x', POPT_ARG_NONE, &raw.exclude_dependent, 0,
	  "leave out libraries, kernel and modules of applications", NULL },
	COMMON_OPTIONS_TIME,
	COMMON_OPTIONS_PLACES(raw),
	{ "compat", 0, POPT_ARG_STRING, &raw.compat, 0, "list exactly what OProfile does",
	  "oprofile" },
	{ "verbose", 'V', POPT_ARG_STRING, &raw.verbose, 0,
	  "print results of stages to stderr: files, all", "list" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set archive_option_set = {
	"oparchive", table, "-o FOLDER [OPTION...] [TAG:LIST | BINARY]..."
};

static int parse(const struct command_line *line, struct archive_options *o, struct op_error *e)
{
	unsigned int print = 0;
	int err = option_verbose(raw.verbose, &print, e);

	if (!err && print != ~0u && print & ~(unsigned int)PRINT_FILES)
		err = op_error_set(e, -EINVAL, "invalid stage for --verbose: expected files or "
				   "all");
	if (!err)
		err = option_compat(raw.compat, &o->compat, e);
	if (!err && !raw.output_dir && !raw.list_files)
		err = op_error_set(e, -EINVAL, "no output folder; specify a new one with "
				   "--output-directory (-o)");
	if (!err)
		err = profile_spec_parse(line->args, line->nr_args, &o->spec, e);
	if (err)
		return err;
	o->spec.compat = o->compat;
	o->print_files = print & PRINT_FILES;
	o->list_files = raw.list_files;
	o->exclude_dependent = raw.exclude_dependent;
	o->output_dir = raw.output_dir;
	o->session_dir = raw.session_dir;
	o->root = raw.root;
	raw.output_dir = raw.session_dir = raw.root = NULL;
	option_list_split(raw.image_path, &o->image_path);
	return 0;
}

int archive_options_parse(int argc, const char **argv, struct archive_options *ret,
			  struct op_error *e)
{
	struct archive_options o = { 0 };
	struct command_line line;
	int err = command_line_read(&archive_option_set, argc, argv, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK)
		err = parse(&line, &o, e);
	command_line_end(&archive_option_set, &line);
	if (err)
		archive_options_free(&o);
	*ret = o;
	return err;
}

void archive_options_free(struct archive_options *o)
{
	free(o->output_dir);
	free(o->session_dir);
	free(o->root);
	option_list_free(&o->image_path);
	profile_spec_free(&o->spec);
	*o = (struct archive_options){ 0 };
}
