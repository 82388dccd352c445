/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common_options.c - read command lines, and options that several tools have */
#include "pp/cli/common_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/version.h"
#include "libutil/xalloc.h"
#include "pp/cli/fleet.h"
#include "pp/cli/option_words.h"

struct option_times option_times;

/* Clear the variables that popt fills in. */
static void clear_values(const struct poptOption *option)
{
	for (; option->longName || option->shortName || option->arg; option++) {
		if (!option->arg)
			continue;
		if (option->argInfo == POPT_ARG_STRING) {
			free(*(char **)option->arg);
			*(char **)option->arg = NULL;
		} else {
			*(int *)option->arg = 0;
		}
	}
}

static poptContext new_context(const struct option_set *set, int argc, const char **argv)
{
	poptContext context = poptGetContext(set->program, argc, argv, set->table, 0);

	poptSetOtherOptionHelp(context, set->arguments);
	return context;
}

void option_set_print(const struct option_set *set, enum asked asked)
{
	const char *argv[] = { set->program, NULL };
	poptContext context = new_context(set, 1, argv);

	if (asked == ASKED_VERSION)
		version_print(set->program);
	else if (asked == ASKED_USAGE)
		poptPrintUsage(context, stdout, 0);
	else
		poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
}

/* Is "--verbose" or "-V" the whole of @word, and what follows, if anything, no list for it? */
static bool is_bare_verbose(const char *word, const char *next)
{
	unsigned int print = 0;

	return (!strcmp(word, "--verbose") || !strcmp(word, "-V")) &&
	       (!next || !*next || *next == '-' || option_verbose(next, &print, NULL));
}

static const char **add_verbose_value(int argc, const char **argv)
{
	const char **words = xcalloc((size_t)argc + 1, sizeof(*words));
	bool are_options = true;

	for (int i = 0; i < argc; i++) {
		are_options &= strcmp(argv[i], "--") != 0;
		words[i] = are_options && i && is_bare_verbose(argv[i], argv[i + 1])
			   ? "--verbose=warnings" : argv[i];
	}
	return words;
}

static bool has_verbose_list(const struct poptOption *option)
{
	for (; option->longName || option->shortName || option->arg; option++)
		if (option->longName && !strcmp(option->longName, "verbose"))
			return option->argInfo == POPT_ARG_STRING;
	return false;
}

/* Make --since, --until and --last one more argument, outside of braces: it is for all profiles. */
static int add_time(struct command_line *line, struct op_error *e)
{
	const struct option_times *t = &option_times;
	const char **args;

	if (!t->since && !t->until && !t->last)
		return 0;
	if (t->last && (t->since || t->until))
		return option_conflict("--last", t->since ? "--since" : "--until", e);
	line->time = t->last ? xasprintf("time:-%s..", t->last)
		   : xasprintf("time:%s..%s", t->since ? t->since : "", t->until ? t->until : "");
	args = xcalloc(line->nr_args + 2, sizeof(*args));
	for (size_t i = 0; i < line->nr_args; i++)
		args[i] = line->args[i];
	args[line->nr_args++] = line->time;
	line->args = line->own_args = args;
	return 0;
}

/* With --fleet the session directory is one that opfleet makes, for the rest of the arguments. */
static int use_fleet(const struct option_set *set, struct command_line *line, struct op_error *e)
{
	const struct option_times *t = &option_times;
	const struct fleet_times times = { t->since, t->until, t->last };
	const struct poptOption *o = set->table;
	int err;

	while (o->longName && strcmp(o->longName, "session-dir"))
		o++;
	if (*(char **)o->arg)
		return option_conflict("--fleet", "--session-dir", e);
	err = fleet_fetch_for_report(line->args, line->nr_args, &times, (char **)o->arg,
				     &line->own_args, &line->nr_args, e);
	line->args = line->own_args;
	return err;
}

int command_line_read(const struct option_set *set, int argc, const char **argv,
		      struct command_line *ret, struct op_error *e)
{
	int option;

	clear_values(set->table);
	*ret = (struct command_line){ 0 };
	if (has_verbose_list(set->table))
		argv = ret->words = add_verbose_value(argc, argv);
	ret->context = new_context(set, argc, argv);
	while ((option = poptGetNextOpt(ret->context)) > 0)
		if ((enum asked)option > ret->asked)	/* --version wins over --help */
			ret->asked = option;
	if (ret->asked != ASKED_WORK)
		return 0;
	if (option < -1)
		return op_error_set(e, -EINVAL, "%s: %s (see --help)",
				    poptBadOption(ret->context, POPT_BADOPTION_NOALIAS),
				    poptStrerror(option));
	ret->args = poptGetArgs(ret->context);
	while (ret->args && ret->args[ret->nr_args])
		ret->nr_args++;
	return option_fleet ? use_fleet(set, ret, e) : add_time(ret, e);
}

void command_line_end(const struct option_set *set, struct command_line *line)
{
	poptFreeContext(line->context);
	free(line->words);
	free(line->own_args);
	free(line->time);
	clear_values(set->table);
	*line = (struct command_line){ 0 };
}

#define LOCAL_SESSION_DIR "oprofile_data"	/* operf's default */

const char *option_session_dir_quietly(const char *given, bool is_archive)
{
	return given ? given : file_is_dir(LOCAL_SESSION_DIR) && !is_archive ? LOCAL_SESSION_DIR
									     : SESSION_DIR_DEFAULT;
}

const char *option_session_dir(const char *given, bool is_archive, const char *purpose)
{
	const char *dir = option_session_dir_quietly(given, is_archive);
	char *path;

	if (given || is_archive)
		return dir;
	path = path_absolute(dir);
	fprintf(stderr, "Using %s/samples/ for %s\n", path ? path : dir, purpose);
	free(path);
	return dir;
}

/* Accepts the original's words too; those without a counterpart here print nothing. */
int option_verbose(const char *list, unsigned int *ret_print, struct op_error *e)
{
	static const struct option_word words[] = {
		{ "files", PRINT_FILES }, { "classes", PRINT_CLASSES }, { "images", PRINT_IMAGES },
		{ "symbols", PRINT_SYMBOLS }, { "rows", PRINT_ROWS }, { "calls", PRINT_CALLS },
		{ "warnings", PRINT_WARNINGS }, { "all", ~0u },
		{ "sfile", PRINT_FILES }, { "bfd", PRINT_SYMBOLS }, { "debug", 0 },
		{ "level1", 0 }, { "stats", 0 }, { "xml", 0 }, { NULL, 0 }
	};

	return option_words_parse("verbose", list, words, ret_print, e);
}

int option_threshold(const char *percent, double *ret, struct op_error *e)
{
	if (percent && number_parse_percent(percent, ret))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --threshold: expected a "
				    "percentage from 0 to 100", percent);
	return 0;
}

/* NO_COLOR in the environment, not empty: https://no-color.org */
static bool terminal_has_color(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") && (!no || !*no);
}

int option_color(const char *word, bool to_file, bool *ret, struct op_error *e)
{
	if (!word || !strcmp(word, "auto"))
		*ret = !to_file && terminal_has_color();
	else if (!strcmp(word, "always") || !strcmp(word, "never"))
		*ret = *word == 'a';
	else
		return op_error_set(e, -EINVAL, "invalid value '%s' for --color: expected auto, "
				    "always or never", word);
	return 0;
}

int option_conflict(const char *a, const char *b, struct op_error *e)
{
	return op_error_set(e, -EINVAL, "options '%s' and '%s' cannot be used together", a, b);
}

int option_compat(const char *word, bool *ret, struct op_error *e)
{
	const char *env = getenv("OPROFILE_COMPAT");

	if (word && strcmp(word, "oprofile"))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --compat: expected "
				    "oprofile", word);
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
		return op_error_set(e, -EINVAL, "invalid value '%s' for --demangle: expected none, "
				    "normal or smart", word);
	return 0;
}
