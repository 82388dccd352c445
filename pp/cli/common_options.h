/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common_options.h - command lines, and options with the same meaning in several tools */
#ifndef PP_CLI_COMMON_OPTIONS_H
#define PP_CLI_COMMON_OPTIONS_H

#include <popt.h>
#include <stdbool.h>
#include "libutil/error.h"
#include "pp/binary/demangle_name.h"
#include "pp/cli/asked.h"
#include "pp/cli/fleet.h"

/* Where samples and binaries are. @raw has a string for each option. */
#define COMMON_OPTIONS_PLACES(raw)                                                             \
	{ "session-dir", 0, POPT_ARG_STRING, &(raw).session_dir, 0,                            \
	  "folder of the samples (default ./oprofile_data if it exists, else "                 \
	  "/var/lib/oprofile)", "path" },                                                      \
	{ "image-path", 'p', POPT_ARG_STRING, &(raw).image_path, 0,                            \
	  "folders to search for missing binaries", "path,..." },                              \
	{ "root", 'R', POPT_ARG_STRING, &(raw).root, 0, "find binaries below this folder", "path" }

/* A range of time of the history: command_line_read() adds it to the arguments as time:A..B. */
extern struct option_times {
	char *since, *until, *last;
} option_times;

#define COMMON_OPTIONS_TIME                                                                    \
	{ "since", 0, POPT_ARG_STRING, &option_times.since, 0,                                 \
	  "report on the history from that time on: 14:00, -1h, 'yesterday 14:05'", "time" },  \
	{ "until", 0, POPT_ARG_STRING, &option_times.until, 0,                                 \
	  "report on the history until that time (default now)", "time" },                     \
	{ "last", 0, POPT_ARG_STRING, &option_times.last, 0,                                   \
	  "report on so much of the history, until now: 15m", "time" }

/* Samples of a fleet; command_line_read() fetches them: pp/cli/fleet.h. */
#define COMMON_OPTIONS_FLEET                                                                   \
	{ "fleet", 0, POPT_ARG_STRING, &option_fleet, 0,                                       \
	  "report on samples of this ClickHouse server: see opfleet(1)",                       \
	  "http[s]://host:port" }

#define COMMON_OPTIONS_UNNAMED(raw)                                                            \
	{ "merge-unnamed", 0, POPT_ARG_NONE, &(raw).merge_unnamed, 0,                          \
	  "add up functions without a name by section: [.text]", NULL }

#define COMMON_OPTIONS_COLOR(raw)                                                              \
	{ "color", 0, POPT_ARG_STRING, &(raw).color, 0,                                        \
	  "color rows with many samples (default auto: on a terminal)", "auto|always|never" }

#define COMMON_OPTIONS_HELP                                                                    \
	{ "version", 'v', POPT_ARG_NONE, NULL, ASKED_VERSION, "show the version", NULL },        \
	{ "help", '?', POPT_ARG_NONE, NULL, ASKED_HELP, "show this help", NULL },                \
	{ "usage", 0, POPT_ARG_NONE, NULL, ASKED_USAGE, "show a summary of the options", NULL }

/* A program's options, as popt needs them to read a command line and to explain it. */
struct option_set {
	const char *program;
	const struct poptOption *table;	/* POPT_ARG_NONE sets an int, POPT_ARG_STRING a char * */
	const char *arguments;		/* what follows the program's name in the usage line */
};

struct command_line {
	const char **args;		/* without options */
	size_t nr_args;
	enum asked asked;
	const char **words;		/* what popt reads */
	const char **own_args;		/* @args with @time, of --since and the like, or NULL */
	char *time;
	poptContext context;
};

/*
 * Read @argv into the variables of @set, which are cleared first. 0 or -EINVAL; in either case
 * command_line_end() frees *ret and clears the variables again. To keep a string, take it and set
 * its variable to NULL. popt has no optional values: --verbose alone becomes --verbose=warnings.
 */
int command_line_read(const struct option_set *set, int argc, const char **argv,
		      struct command_line *ret, struct op_error *e);
void command_line_end(const struct option_set *set, struct command_line *line);

/* Print help, usage or version to stdout. */
void option_set_print(const struct option_set *set, enum asked asked);

/*
 * The session directory: @given, else the default, which is printed to stderr with @purpose. In an
 * archive the default is always /var/lib/oprofile.
 */
const char *option_session_dir(const char *given, bool is_archive, const char *purpose);
const char *option_session_dir_quietly(const char *given, bool is_archive);

enum {			/* --verbose=: what is printed on stderr, results of stages */
	PRINT_FILES = 1,
	PRINT_CLASSES = 2,
	PRINT_IMAGES = 4,
	PRINT_SYMBOLS = 8,
	PRINT_ROWS = 16,
	PRINT_CALLS = 32,
	PRINT_WARNINGS = 64,	/* all of them; --verbose without a list */
};

/* --verbose=, --threshold=. The text may be NULL: *ret stays as it is. 0 or -EINVAL. */
int option_verbose(const char *list, unsigned int *ret_print, struct op_error *e);
int option_threshold(const char *percent, double *ret, struct op_error *e);

/* --color=; NULL is auto: on a terminal with color. @to_file: the output is not a terminal. */
int option_color(const char *word, bool to_file, bool *ret, struct op_error *e);

/* -EINVAL with @e set: options @a and @b cannot be used together. */
int option_conflict(const char *a, const char *b, struct op_error *e);

/*
 * --compat= or OPROFILE_COMPAT in the environment, and --demangle=, which depends on it: in
 * compatibility mode smart is the original's.
 */
int option_compat(const char *word, bool *ret, struct op_error *e);
int option_demangle(const char *word, bool compat, enum demangle_style *ret, struct op_error *e);

#endif
