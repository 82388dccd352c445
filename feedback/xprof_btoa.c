/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof_btoa.c - write a profile folder as profile feedback text */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/tool.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"
#include "pp/cli/output.h"

static struct raw {
	char *type;
} raw;

static const struct poptOption table[] = {
	{ "type", 't', POPT_ARG_STRING, &raw.type, 0,
	  "what to write (default feedback); objfd needs an object file",
	  "feedback|objfd|tcovd|tcovsd" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = {
	"xprof_btoa", table, "[-t TYPE [OBJECT]] DIR [OUT]"
};

static void print(const void *x, FILE *out)
{
	xprof_text_write(x, out);
}

static int write_text(const struct xprof *x, enum xprof_type type, const char *path)
{
	char *usual = xasprintf("%s.text", xprof_type_names[type]);
	int status;

	if (!path)
		path = usual;
	status = output_write(strcmp(path, "-") ? path : NULL, false, print, x);
	free(usual);
	return status;
}

static int run(const struct command_line *line)
{
	const char **args = line->args, *object = NULL;
	size_t nr = line->nr_args;
	struct op_error e = { "" };
	enum xprof_type type;
	struct xprof *x;
	int status, err = raw.type || !nr
			  ? xprof_tool_parse_type(raw.type, &type, &e)
			  : xprof_tool_find_type(args[0], &type, &e);

	if (!err && type == XPROF_OBJFD && raw.type && nr) {
		object = *args++;
		nr--;
	}
	if (!err && !nr)
		err = op_error_set(&e, -EINVAL, type == XPROF_OBJFD
				   ? "-t objfd needs an object file and a profile folder"
				   : "no profile folder given");
	else if (!err && nr > 2)
		err = op_error_set(&e, -EINVAL, "expected a profile folder and an output file, got "
				   "%zu arguments", nr);
	if (!err)
		err = xprof_tool_read(args[0], type, object, &x, &e);
	if (err) {
		report_error("%s", e.text);
		return 1;
	}
	status = write_text(x, type, nr == 2 ? args[1] : NULL);
	xprof_free(x);
	return status;
}

int main(int argc, const char **argv)
{
	return xprof_tool_main(&set, argc, argv, run);
}
