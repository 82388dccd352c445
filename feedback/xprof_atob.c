/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof_atob.c - make a profile folder from profile feedback text */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/tool.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"

#define TEXT_MAX	((size_t)2 << 30)

static struct raw {
	int add, replace, check, strict;
} raw;

static const struct poptOption table[] = {
	{ "add", 'a', POPT_ARG_NONE, &raw.add, 0, "add to the existing profile", NULL },
	{ "replace", 'r', POPT_ARG_NONE, &raw.replace, 0, "replace the existing profile", NULL },
	{ "check", 'c', POPT_ARG_NONE, &raw.check, 0, "only check the text", NULL },
	{ "strict", 's', POPT_ARG_NONE, &raw.strict, 0,
	  "fail if counts are inconsistent or a procedure is missing", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = { "xprof_atob", table, "[OPTION...] FILE [DIR]" };

static int read_text(const char *path, struct xprof **ret, struct op_error *e)
{
	const struct xprof_options options = {
		.warnings = &xprof_tool_warnings, .strict = raw.strict,
	};
	bool is_stdin = !strcmp(path, "-");
	char *text;
	size_t size;
	int err = is_stdin ? file_read_all_fd(0, TEXT_MAX, &text, &size)
			   : file_read_all(path, TEXT_MAX, &text, &size);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = xprof_text_read(is_stdin ? "<stdin>" : path, text, size, &options, ret, e);
	free(text);
	return err;
}

static int run(const struct command_line *line)
{
	struct op_error e = { "" };
	enum xprof_store how;
	struct xprof *x;
	int status = 0;

	if (!line->nr_args)
		op_error_set(&e, -EINVAL, "no text file given");
	else if (line->nr_args > 2)
		op_error_set(&e, -EINVAL, "expected a text file and a folder, got %zu arguments",
			     line->nr_args);
	else if (raw.check && (raw.add || raw.replace || line->nr_args == 2))
		op_error_set(&e, -EINVAL, "cannot use --check with a folder, --add or --replace");
	if (*e.text || xprof_tool_parse_store(raw.add, raw.replace, &how, &e) ||
	    read_text(line->args[0], &x, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (!raw.check)
		status = xprof_tool_store(line->nr_args == 2 ? line->args[1] : "atob.profile", x,
					  how);
	xprof_free(x);
	return status;
}

int main(int argc, const char **argv)
{
	return xprof_tool_main(&set, argc, argv, run);
}
