// SPDX-License-Identifier: GPL-2.0-or-later
/* xprof_llvm.c - make a profile folder from the texts of LLVM's profiles and coverage */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/llvm/profile.h"
#include "feedback/tool.h"
#include "feedback/xprof/add.h"
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

/* Coverage has counts of source lines only, so it becomes another type of profile. */
static int add_coverage(struct xprof **x, const char *path, const char *text, size_t size,
			struct op_error *e)
{
	struct xprof *more = xprof_new(XPROF_TCOVSD), *sum;
	uint32_t nr_reset;
	int err = lcov_read(path, text, size, more, e);

	if (!err && *x && (*x)->type != XPROF_TCOVSD)
		err = op_error_set(e, -EINVAL, "'%s' is coverage, others are profiles; read "
				   "them by two commands", path);
	if (!err) {
		sum = *x ? xprof_add(*x, more, &nr_reset) : more;
		if (*x) {
			xprof_free(*x);
			xprof_free(more);
		}
		*x = sum;
		return 0;
	}
	xprof_free(more);
	return err;
}

static int add_profile(struct xprof **x, const char *path, const char *text, size_t size,
		       struct op_error *e)
{
	if (*x && (*x)->type != XPROF_FEEDBACK)
		return op_error_set(e, -EINVAL, "'%s' is a profile, others are coverage; read "
				    "them by two commands", path);
	if (!*x)
		*x = xprof_new(XPROF_FEEDBACK);
	return llvm_profile_read(path, text, size, *x, e);
}

static int add_file(struct xprof **x, const char *name, struct op_error *e)
{
	char *path = path_absolute(name), *text = NULL;
	size_t size;
	int err = path ? file_read_all(path, TEXT_MAX, &text, &size) : -ENOENT;

	if (err)
		op_error_set(e, err, "cannot read '%s': %s", name, strerror(-err));
	else if (size >= 8 && memchr(text, '\0', size))
		err = op_error_set(e, -EPROTO, "'%s' is not a text; convert it with llvm-profdata "
				   "merge --text", name);
	else if (lcov_detect(text, size))
		err = add_coverage(x, path, text, size, e);
	else
		err = add_profile(x, path, text, size, e);
	free(text);
	free(path);
	return err;
}

static int run(const struct command_line *line)
{
	const struct xprof_options options = { .warnings = &xprof_tool_warnings };
	struct xprof *x = NULL;
	struct op_error e = { "" };
	enum xprof_store how;
	int status, err = xprof_tool_parse_store(raw.add, raw.replace, &how, &e);

	if (!err && !line->nr_args)
		err = op_error_set(&e, -EINVAL, "no file given; write one with llvm-profdata merge "
				   "--text or llvm-cov export --format=lcov");
	for (size_t i = 0; i < line->nr_args && !err; i++)
		err = add_file(&x, line->args[i], &e);
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
