// SPDX-License-Identifier: GPL-2.0-or-later
/* xprof_llvm.c - make a profile folder from the text of LLVM's profiles */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/llvm/profile.h"
#include "feedback/tool.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"

#define TEXT_MAX	((size_t)2 << 30)

static struct raw {
	int add, replace;
	char *output;
} raw;

static const struct poptOption table[] = {
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "the profile folder (default llvm.profile)", "dir" },
	{ "add", 'a', POPT_ARG_NONE, &raw.add, 0, "add to the existing profile", NULL },
	{ "replace", 'r', POPT_ARG_NONE, &raw.replace, 0, "replace the existing profile", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = { "xprof_llvm", table, "[OPTION...] FILE..." };

static int add_file(struct xprof *x, const char *name, struct op_error *e)
{
	char *path = path_absolute(name), *text = NULL;
	size_t size;
	int err = path ? file_read_all(path, TEXT_MAX, &text, &size) : -ENOENT;

	if (err)
		op_error_set(e, err, "cannot read '%s': %s", name, strerror(-err));
	else if (size >= 8 && memchr(text, '\0', size))
		err = op_error_set(e, -EPROTO, "'%s' is not a text; convert it with llvm-profdata "
				   "merge --text", name);
	else
		err = llvm_profile_read(path, text, size, x, e);
	free(text);
	free(path);
	return err;
}

static int run(const struct command_line *line)
{
	const struct xprof_options options = { .warnings = &xprof_tool_warnings };
	struct xprof *x = xprof_new(XPROF_FEEDBACK);
	struct op_error e = { "" };
	enum xprof_store how;
	int status, err = xprof_tool_parse_store(raw.add, raw.replace, &how, &e);

	if (!err && !line->nr_args)
		err = op_error_set(&e, -EINVAL, "no file given; write one with llvm-profdata merge "
				   "--text");
	for (size_t i = 0; i < line->nr_args && !err; i++)
		err = add_file(x, line->args[i], &e);
	if (!err) {
		xprof_set_sums(x);
		err = xprof_check(x, NULL, &options, &e);
	}
	if (err)
		report_error("%s", e.text);
	status = err ? 1 : xprof_tool_store(raw.output ? raw.output : "llvm.profile", x, how);
	xprof_free(x);
	return status;
}

int main(int argc, const char **argv)
{
	return xprof_tool_main(&set, argc, argv, run);
}
