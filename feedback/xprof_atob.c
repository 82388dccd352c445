/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof_atob.c - profile feedback text becomes a profile folder */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/tool.h"
#include "libutil/file.h"
#include "libutil/say.h"
#include "pp/cli/common_options.h"

#define TEXT_MAX	((size_t)2 << 30)

static struct raw {
	int add, replace, check, strict;
} raw;

static const struct poptOption table[] = {
	{ "add", 'a', POPT_ARG_NONE, &raw.add, 0, "add to what is there", NULL },
	{ "replace", 'r', POPT_ARG_NONE, &raw.replace, 0, "replace what is there", NULL },
	{ "check", 'c', POPT_ARG_NONE, &raw.check, 0, "only check the text", NULL },
	{ "strict", 's', POPT_ARG_NONE, &raw.strict, 0,
	  "refuse a procedure whose counts do not flow", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = { "xprof_atob", table, "[OPTION...] FILE [DIR]" };

static int read_text(const char *path, struct xprof **ret, struct op_error *e)
{
	const struct xprof_options options = {
		.warnings = &xprof_tool_warnings, .strict = raw.strict,
	};
	struct op_error why = { "" };
	char *text;
	size_t size;
	int err = strcmp(path, "-") ? file_read_all(path, TEXT_MAX, &text, &size)
				    : file_read_all_fd(0, TEXT_MAX, &text, &size);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = xprof_text_read(text, size, &options, ret, &why);
	free(text);
	return err ? op_error_set(e, err, "'%s': %s", path, why.text) : 0;
}

static int run(const struct command_line *line)
{
	struct op_error e = { "" };
	enum xprof_store how;
	struct xprof *x;
	int status = 0;

	if (line->nr_args < 1 || line->nr_args > 2)
		op_error_set(&e, -EINVAL, line->nr_args ? "one file and one folder, no more"
							: "which file?");
	else if (raw.check && (raw.add || raw.replace || line->nr_args == 2))
		op_error_set(&e, -EINVAL, "--check writes nothing: no folder, --add or --replace");
	if (*e.text || xprof_tool_how(raw.add, raw.replace, &how, &e) ||
	    read_text(line->args[0], &x, &e)) {
		say_error("%s", e.text);
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
