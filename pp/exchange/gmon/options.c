/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - parse opgprof's options with libpopt */
#include "pp/exchange/gmon/options.h"

#include <errno.h>
#include <stdlib.h>

#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"
#include "pp/cli/option_words.h"

/* What popt fills in; one command line at a time. */
static struct raw {
	char *output_file, *threshold, *verbose, *session_dir, *image_path, *root, *compat;
} raw;

static const struct poptOption table[] = {
	{ "output-filename", 'o', POPT_ARG_STRING, &raw.output_file, 0,
	  "write to this file (default gmon.out)", "file" },
	{ "threshold", 't', POPT_ARG_STRING, &raw.threshold, 0,
	  "leave out symbols below this share", "percent" },
	COMMON_OPTIONS_TIME,
	COMMON_OPTIONS_PLACES(raw),
	{ "compat", 0, POPT_ARG_STRING, &raw.compat, 0, "write exactly what OProfile does",
	  "oprofile" },
	{ "verbose", 'V', POPT_ARG_STRING, &raw.verbose, 0,
	  "print results of stages to stderr: files, classes, images, symbols, all",
	  "list" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set gprof_option_set = {
	"opgprof", table, "[OPTION...] [TAG:LIST | BINARY]..."
};

static int parse(const struct command_line *line, struct gprof_options *o, struct op_error *e)
{
	int err = option_verbose(raw.verbose, &o->print, e);

	if (!err && o->print != ~0u && o->print & (PRINT_ROWS | PRINT_CALLS))
		err = op_error_set(e, -EINVAL, "invalid stage for --verbose: only opreport has "
				   "rows and calls");
	if (!err)
		err = option_compat(raw.compat, &o->compat, e);
	if (!err)
		err = option_threshold(raw.threshold, &o->threshold, e);
	if (!err)
		err = profile_spec_parse(line->args, line->nr_args, &o->spec, e);
	if (err)
		return err;
	o->spec.compat = o->compat;
	o->output_file = raw.output_file ? raw.output_file : xstrdup("gmon.out");
	o->session_dir = raw.session_dir;
	o->root = raw.root;
	raw.output_file = raw.session_dir = raw.root = NULL;
	option_list_split(raw.image_path, &o->image_path);
	return 0;
}

int gprof_options_parse(int argc, const char **argv, struct gprof_options *ret,
			struct op_error *e)
{
	struct gprof_options o = { 0 };
	struct command_line line;
	int err = command_line_read(&gprof_option_set, argc, argv, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK)
		err = parse(&line, &o, e);
	command_line_end(&gprof_option_set, &line);
	if (err)
		gprof_options_free(&o);
	*ret = o;
	return err;
}

void gprof_options_free(struct gprof_options *o)
{
	free(o->output_file);
	free(o->session_dir);
	free(o->root);
	option_list_free(&o->image_path);
	profile_spec_free(&o->spec);
	*o = (struct gprof_options){ 0 };
}
