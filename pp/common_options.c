/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common_options.c - options that several of the tools have (common_options.h) */
#include "common_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "option_words.h"

int options_read(poptContext context, bool *help, bool *usage, bool *version, struct op_error *e)
{
	int option;

	while ((option = poptGetNextOpt(context)) > 0) {
		*help |= option == OPT_HELP;
		*usage |= option == OPT_USAGE;
		*version |= option == OPT_VERSION;
	}
	if (*help || *usage || *version)
		return 1;
	if (option < -1)
		return op_error_set(e, -EINVAL, "%s: %s (see --help)",
				    poptBadOption(context, POPT_BADOPTION_NOALIAS),
				    poptStrerror(option));
	return 0;
}

/* The original's words are taken too; those that name nothing here print nothing. */
int option_verbose(const char *list, unsigned int *ret_print, struct op_error *e)
{
	static const struct option_word words[] = {
		{ "files", PRINT_FILES }, { "classes", PRINT_CLASSES }, { "images", PRINT_IMAGES },
		{ "symbols", PRINT_SYMBOLS }, { "rows", PRINT_ROWS }, { "calls", PRINT_CALLS },
		{ "all", ~0u },
		{ "sfile", PRINT_FILES }, { "bfd", PRINT_SYMBOLS }, { "debug", 0 },
		{ "level1", 0 }, { "stats", 0 }, { "xml", 0 }, { NULL, 0 }
	};

	return option_words_parse("verbose", list, words, ret_print, e);
}

int option_threshold(const char *percent, double *ret, struct op_error *e)
{
	if (percent && number_parse_percent(percent, ret))
		return op_error_set(e, -EINVAL,
				    "--threshold: '%s' is not a percentage from 0 to 100", percent);
	return 0;
}

int option_compat(const char *word, bool *ret, struct op_error *e)
{
	const char *env = getenv("OPROFILE_COMPAT");

	if (word && strcmp(word, "oprofile"))
		return op_error_set(e, -EINVAL, "--compat: '%s' is not known, only 'oprofile' is",
				    word);
	*ret = word || (env && *env && strcmp(env, "0"));
	return 0;
}

int option_demangle(const char *word, bool compat, enum demangle_style *ret, struct op_error *e)
{
	if (!word || !strcmp(word, "normal"))
		*ret = DEMANGLE_NORMAL;
	else if (!strcmp(word, "none"))
		*ret = DEMANGLE_NONE;
	else if (!strcmp(word, "smart"))
		*ret = compat ? DEMANGLE_SMART_PLAIN : DEMANGLE_SMART;
	else
		return op_error_set(e, -EINVAL, "--demangle: '%s' is none of none, normal, smart",
				    word);
	return 0;
}
