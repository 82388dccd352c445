/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_options.c - opimport's options with libpopt */
#include "import_options.h"

#include <errno.h>
#include <stdlib.h>

#include "common_options.h"
#include "xalloc.h"

/* What popt fills in; one command line at a time. */
static struct raw {
	int force, verbose;
	char *abi, *output;
} raw;

static const struct poptOption table[] = {
	{ "abi", 'a', POPT_ARG_STRING, &raw.abi, 0,
	  "how the input is laid out: the file 'abi' of its session directory", "file" },
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "the sample file to make, or to add to", "file" },
	{ "force", 'f', POPT_ARG_NONE, &raw.force, 0,
	  "convert also if the layout is this machine's", NULL },
	{ "verbose", 'V', POPT_ARG_NONE, &raw.verbose, 0, "show what was converted", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set import_option_set = {
	"opimport", table, "-a ABI -o OUTPUT [OPTION...] INPUT"
};

static int parse(const struct command_line *line, struct import_options *o, struct op_error *e)
{
	if (!raw.abi)
		return op_error_set(e, -EINVAL, "how is the input laid out? give the 'abi' file of "
				    "its session directory with --abi (-a)");
	if (!raw.output)
		return op_error_set(e, -EINVAL, "where to? give the sample file to make with "
				    "--output (-o)");
	if (line->nr_args != 1)
		return op_error_set(e, -EINVAL, line->nr_args ? "one sample file at a time"
							      : "which sample file?");
	o->force = raw.force;
	o->verbose = raw.verbose;
	o->abi = raw.abi;
	o->output = raw.output;
	o->input = xstrdup(line->args[0]);
	raw.abi = raw.output = NULL;
	return 0;
}

int import_options_parse(int argc, const char **argv, struct import_options *ret,
			 struct op_error *e)
{
	struct import_options o = { 0 };
	struct command_line line;
	int err = command_line_read(&import_option_set, argc, argv, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK)
		err = parse(&line, &o, e);
	command_line_end(&import_option_set, &line);
	if (err)
		import_options_free(&o);
	*ret = o;
	return err;
}

void import_options_free(struct import_options *o)
{
	free(o->abi);
	free(o->output);
	free(o->input);
	*o = (struct import_options){ 0 };
}
