/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - parse opimport's options with libpopt */
#include "pp/exchange/import/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "libdb/session/session.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"

#define DEFAULT_SESSION_DIR "oprofile_data"	/* operf's; opreport tries it first */

/* What popt fills in; one command line at a time. */
static struct raw {
	int force, verbose, strict, salvage, drop_handler_frames, list_formats;
	char *abi, *output, *from, *session_dir;
} raw;

static const struct poptOption table[] = {
	{ "from", 0, POPT_ARG_STRING, &raw.from, 0,
	  "the profile's format (default: detected)", "format" },
	{ "list-formats", 0, POPT_ARG_NONE, &raw.list_formats, 0,
	  "list the formats that can be read", NULL },
	{ "strict", 0, POPT_ARG_NONE, &raw.strict, 0, "treat warnings as errors", NULL },
	{ "salvage", 0, POPT_ARG_NONE, &raw.salvage, 0,
	  "import the valid part of a damaged profile", NULL },
	{ "drop-handler-frames", 0, POPT_ARG_NONE, &raw.drop_handler_frames, 0,
	  "drop the second frame of a cpuprofile's stacks if nearly all have it", NULL },
	{ "session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
	  "create the session in this directory (default " DEFAULT_SESSION_DIR ")", "path" },
	{ "abi", 'a', POPT_ARG_STRING, &raw.abi, 0,
	  "convert a sample file of a machine with this layout, the file 'abi' of its session "
	  "directory", "file" },
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "create this session (default " SESSION_CURRENT "); with --abi, create or add to this "
	  "sample file", "name" },
	{ "force", 'f', POPT_ARG_NONE, &raw.force, 0,
	  "convert even if the layout is that of this machine", NULL },
	{ "verbose", 'V', POPT_ARG_NONE, &raw.verbose, 0, "print what was converted", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set import_option_set = {
	"opimport", table, "[--from=FORMAT] [OPTION...] PROFILE, or -a ABI -o OUTPUT [-f] SAMPLES"
};

static int parse_samples(const struct command_line *line, struct op_error *e)
{
	const char *other = raw.from ? "--from" : raw.strict ? "--strict" :
			    raw.salvage ? "--salvage" : raw.session_dir ? "--session-dir" :
			    raw.drop_handler_frames ? "--drop-handler-frames" : NULL;

	if (other)
		return option_conflict(other, "--abi", e);
	if (!raw.output)
		return op_error_set(e, -EINVAL, "no output file; specify one with --output (-o)");
	if (line->nr_args != 1)
		return op_error_set(e, -EINVAL, "expected one sample file, got %zu", line->nr_args);
	return 0;
}

static int refuse_format(struct op_error *e)
{
	char *names = profile_format_names(profile_formats, false);

	op_error_set(e, -EINVAL, "unknown format '%s' for --from: expected %s", raw.from, names);
	free(names);
	return -EINVAL;
}

static int parse_profile(const struct command_line *line, struct import_options *o,
			 struct op_error *e)
{
	if (raw.force)
		return op_error_set(e, -EINVAL, "--force requires --abi (-a)");
	if (raw.strict && raw.salvage)
		return option_conflict("--strict", "--salvage", e);
	if (raw.output && strcmp(raw.output, SESSION_CURRENT) && !session_name_ok(raw.output))
		return op_error_set(e, -EINVAL, "invalid session name '%s'", raw.output);
	if (raw.from) {
		o->from = profile_format_find(raw.from);
		if (!o->from)
			return refuse_format(e);
	}
	if (line->nr_args != 1)
		return op_error_set(e, -EINVAL, "expected one profile, got %zu", line->nr_args);
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
