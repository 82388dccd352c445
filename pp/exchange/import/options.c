/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - opimport's options with libpopt */
#include "pp/exchange/import/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "libdb/session/session.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"

#define DEFAULT_SESSION_DIR "oprofile_data"	/* operf's, where opreport looks first */

/* What popt fills in; one command line at a time. */
static struct raw {
	int force, verbose, strict, salvage, drop_handler_frames, list_formats;
	char *abi, *output, *from, *session_dir;
} raw;

static const struct poptOption table[] = {
	{ "from", 0, POPT_ARG_STRING, &raw.from, 0,
	  "the profile's format (default: what it looks like)", "format" },
	{ "list-formats", 0, POPT_ARG_NONE, &raw.list_formats, 0,
	  "list the formats that can be read", NULL },
	{ "strict", 0, POPT_ARG_NONE, &raw.strict, 0, "refuse what is otherwise warned of", NULL },
	{ "salvage", 0, POPT_ARG_NONE, &raw.salvage, 0, "keep what is whole before a fault", NULL },
	{ "drop-handler-frames", 0, POPT_ARG_NONE, &raw.drop_handler_frames, 0,
	  "of a cpuprofile, drop the second frame if nearly all stacks have it", NULL },
	{ "session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
	  "where the session is made (default " DEFAULT_SESSION_DIR ")", "path" },
	{ "abi", 'a', POPT_ARG_STRING, &raw.abi, 0,
	  "the input is a sample file of a machine of this layout: the file 'abi' of its session "
	  "directory", "file" },
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "the session to make (default " SESSION_CURRENT "); with --abi the sample file to make, "
	  "or to add to", "name" },
	{ "force", 'f', POPT_ARG_NONE, &raw.force, 0,
	  "convert also if the layout is this machine's", NULL },
	{ "verbose", 'V', POPT_ARG_NONE, &raw.verbose, 0, "show what was converted", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set import_option_set = {
	"opimport", table, "[--from=FORMAT] [OPTION...] PROFILE, or -a ABI -o OUTPUT [-f] SAMPLES"
};

static int parse_samples(const struct command_line *line, struct op_error *e)
{
	const char *other = raw.from ? "from" : raw.strict ? "strict" :
			    raw.salvage ? "salvage" : raw.session_dir ? "session-dir" :
			    raw.drop_handler_frames ? "drop-handler-frames" : NULL;

	if (other)
		return op_error_set(e, -EINVAL, "--%s is for profiles, and --abi for sample files: "
				    "give one of them", other);
	if (!raw.output)
		return op_error_set(e, -EINVAL, "where to? give the sample file to make with "
				    "--output (-o)");
	if (line->nr_args != 1)
		return op_error_set(e, -EINVAL, line->nr_args ? "one sample file at a time"
							      : "which sample file?");
	return 0;
}

static int parse_profile(const struct command_line *line, struct import_options *o,
			 struct op_error *e)
{
	if (raw.force)
		return op_error_set(e, -EINVAL, "--force is for sample files: give the 'abi' file "
				    "of their session directory with --abi (-a), too");
	if (raw.strict && raw.salvage)
		return op_error_set(e, -EINVAL, "--strict refuses what --salvage keeps: give one "
				    "of them");
	if (raw.output && strcmp(raw.output, SESSION_CURRENT) && !session_name_ok(raw.output))
		return op_error_set(e, -EINVAL, "'%s' is no name for a session", raw.output);
	if (raw.from) {
		o->from = profile_format_find(raw.from);
		if (!o->from)
			return op_error_set(e, -EINVAL, "'%s' is no format that can be read (see "
					    "--list-formats)", raw.from);
	}
	if (line->nr_args != 1)
		return op_error_set(e, -EINVAL, line->nr_args ? "one profile at a time"
							      : "which profile?");
	return 0;
}

static int parse(const struct command_line *line, struct import_options *o, struct op_error *e)
{
	int err;

	if (raw.list_formats) {
		o->list_formats = true;
		return 0;
	}
	err = raw.abi ? parse_samples(line, e) : parse_profile(line, o, e);
	if (err)
		return err;
	o->force = raw.force;
	o->verbose = raw.verbose;
	o->strict = raw.strict;
	o->salvage = raw.salvage;
	o->drop_handler_frames = raw.drop_handler_frames;
	o->abi = raw.abi;
	o->output = raw.output;
	o->session_dir = raw.session_dir;
	o->input = xstrdup(line->args[0]);
	raw.abi = raw.output = raw.session_dir = NULL;
	if (!o->abi && !o->session_dir)
		o->session_dir = xstrdup(DEFAULT_SESSION_DIR);
	if (!o->output)
		o->output = xstrdup(SESSION_CURRENT);
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
	free(o->session_dir);
	*o = (struct import_options){ 0 };
}
