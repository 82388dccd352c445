// SPDX-License-Identifier: GPL-2.0-or-later
/* command.c - parse opexport's options with libpopt, and choose the format */
#include "pp/exchange/export/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/cli/common_options.h"
#include "pp/cli/option_words.h"
#include "pp/exchange/export/session_format.h"

/* What popt fills in; one command line at a time. */
static struct raw {
	int list_formats, no_symbols, no_inlines, merge_unnamed, verbose;
	char *to, *output, *event, *demangle, *session_dir, *image_path, *root;
} raw;

static const struct poptOption table[] = {
	{ "to", 't', POPT_ARG_STRING, &raw.to, 0,
	  "write this format (default: by the suffix of the output file)", "format" },
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "write to this file (default: standard output)", "file" },
	{ "list-formats", 'l', POPT_ARG_NONE, &raw.list_formats, 0,
	  "list the formats that can be written", NULL },
	{ "event", 'e', POPT_ARG_STRING, &raw.event, 0,
	  "export this event, if the format can hold only one (default: the first)", "name" },
	{ "demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0,
	  "form of C++ names (default normal)", "none|normal|smart" },
	{ "no-inline", 0, POPT_ARG_NONE, &raw.no_inlines, 0,
	  "leave out source lines and inlined functions", NULL },
	{ "no-inlines", 0, POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &raw.no_inlines, 0,
	  NULL, NULL },	/* of version 0.1 */
	{ "no-symbols", 0, POPT_ARG_NONE, &raw.no_symbols, 0,
	  "write addresses without names, for readers that look them up", NULL },
	COMMON_OPTIONS_UNNAMED(raw),
	COMMON_OPTIONS_TIME,
	COMMON_OPTIONS_FLEET,
	COMMON_OPTIONS_PLACES(raw),
	{ "verbose", 'V', POPT_ARG_NONE, &raw.verbose, 0, "print all warnings", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set export_option_set = {
	"opexport", table, "--to=FORMAT [OPTION...] [TAG:LIST | BINARY]..."
};

static int choose_format(const struct profile_format **ret, struct op_error *e)
{
	char *names;

	if (!raw.to && !raw.output)
		return op_error_set(e, -EINVAL, "no format; specify one with --to=FORMAT (see "
				    "--list-formats)");
	*ret = raw.to ? profile_format_by_name(export_formats, raw.to)
		      : profile_format_by_suffix(export_formats, raw.output);
	if (*ret && (*ret)->write)
		return 0;
	names = profile_format_names(export_formats, true);
	if (raw.to)
		op_error_set(e, -EINVAL, "unknown format '%s' for --to: expected %s", raw.to,
			     names);
	else
		op_error_set(e, -EINVAL, "unknown suffix of '%s'; specify the format with --to: %s",
			     raw.output, names);
	free(names);
	return -EINVAL;
}

static int parse(const struct command_line *line, struct export_command *c, struct op_error *e)
{
	int err = choose_format(&c->format, e);

	if (!err)
		err = option_demangle(raw.demangle, false, &c->demangle, e);
	if (!err)
		err = profile_spec_parse(line->args, line->nr_args, &c->spec, e);
	if (err)
		return err;
	c->symbols = !raw.no_symbols;
	c->inlines = !raw.no_inlines && !raw.no_symbols;
	c->merge_unnamed = raw.merge_unnamed;
	c->verbose = raw.verbose;
	c->event = raw.event;
	c->output = raw.output;
	c->session_dir = raw.session_dir;
	c->root = raw.root;
	raw.event = raw.output = raw.session_dir = raw.root = NULL;
	option_list_split(raw.image_path, &c->image_path);
	return 0;
}

int export_command_parse(int argc, const char **argv, struct export_command *ret,
			 struct op_error *e)
{
	struct export_command c = { 0 };
	struct command_line line;
	int err = command_line_read(&export_option_set, argc, argv, &line, e);

	c.asked = line.asked;
	c.list_formats = raw.list_formats;
	if (!err && c.asked == ASKED_WORK && !c.list_formats)
		err = parse(&line, &c, e);
	command_line_end(&export_option_set, &line);
	if (err)
		export_command_free(&c);
	*ret = c;
	return err;
}

void export_command_free(struct export_command *c)
{
	free(c->event);
	free(c->output);
	free(c->session_dir);
	free(c->root);
	option_list_free(&c->image_path);
	profile_spec_free(&c->spec);
	*c = (struct export_command){ 0 };
}
