// SPDX-License-Identifier: GPL-2.0-or-later
/* tool_options.c - parse options with popt, and answer --help, --usage and --version */
#include "operf/tool_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libutil/option_help.h"
#include "libutil/version.h"
#include "libutil/xalloc.h"

static void print_answer(const struct tool_options *t, int option)
{
	if (option == TOOL_VERSION) {
		version_print(t->program);
		return;
	}
	fputs(t->usage, stdout);
	if (option == TOOL_USAGE)
		return;
	printf("\n");
	option_help_print(t->table, stdout);
	printf("\n%s", t->after);
}

/* popt frees its copy with its context. */
static char **copy_strings(const char **strings)
{
	size_t nr = 0;
	char **copy;

	while (strings && strings[nr])
		nr++;
	if (!nr)
		return NULL;
	copy = xcalloc(nr + 1, sizeof(*copy));
	for (size_t i = 0; i < nr; i++)
		copy[i] = xstrdup(strings[i]);
	return copy;
}

int tool_options_parse(const struct tool_options *t, int argc, const char **argv, void *context,
		      char ***ret_command, struct op_error *e)
{
	poptContext popt = poptGetContext(t->program, argc, argv, t->table,
					  POPT_CONTEXT_POSIXMEHARDER);
	int option, err = 0;

	while (!err && (option = poptGetNextOpt(popt)) > 0) {
		char *value;

		if (option >= TOOL_HELP) {
			print_answer(t, option);
			exit(fflush(stdout) ? 1 : 0);
		}
		value = poptGetOptArg(popt);
		err = t->handle(context, option, value, e);
		free(value);
	}
	if (!err && option < -1)
		err = op_error_set(e, -EINVAL, "%s: %s; see %s --help",
				   poptBadOption(popt, POPT_BADOPTION_NOALIAS),
				   poptStrerror(option), t->program);
	if (!err)
		*ret_command = copy_strings(poptGetArgs(popt));
	poptFreeContext(popt);
	return err;
}

void tool_strings_free(char **strings)
{
	for (size_t i = 0; strings && strings[i]; i++)
		free(strings[i]);
	free(strings);
}
