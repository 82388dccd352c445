/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opxprof.c - make a profile folder from the samples of a session */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/session/session.h"
#include "feedback/tool.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"
#include "pp/cli/option_words.h"
#include "pp/cli/output.h"

static struct raw {
	int add, replace;
	char *output, *session_dir, *image_path, *root;
} raw;

static const struct poptOption table[] = {
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "the profile folder (default session.profile)", "dir" },
	{ "add", 'a', POPT_ARG_NONE, &raw.add, 0, "add to the existing profile", NULL },
	{ "replace", 'r', POPT_ARG_NONE, &raw.replace, 0, "replace the existing profile", NULL },
	COMMON_OPTIONS_PLACES(raw),
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = {
	"opxprof", table, "[OPTION...] [TAG:LIST | BINARY]..."
};

static int run_session(const struct command_line *line, enum xprof_store how)
{
	struct gprof_options o = { .session_dir = raw.session_dir, .root = raw.root };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct xprof *x;
	int status, err = profile_spec_parse(line->args, line->nr_args, &o.spec, &e);

	option_list_split(raw.image_path, &o.image_path);
	if (!err)
		err = xprof_session_make(&o, option_session_dir(raw.session_dir, o.spec.archive,
								"session-dir"), &x, &notices, &e);
	report_notices(&notices);
	notices_free(&notices);
	option_list_free(&o.image_path);
	profile_spec_free(&o.spec);
	if (err) {
		report_error("%s", *e.text ? e.text : strerror(-err));
		return 1;
	}
	status = xprof_tool_store(raw.output ? raw.output : "session.profile", x, how);
	xprof_free(x);
	return status;
}

static int run(const struct command_line *line)
{
	struct op_error e = { "" };
	enum xprof_store how;

	if (xprof_tool_parse_store(raw.add, raw.replace, &how, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	return run_session(line, how);
}

int main(int argc, const char **argv)
{
	return xprof_tool_main(&set, argc, argv, run);
}
