/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_options.c - opdiff's options with libpopt, and its two profiles
 *
 * "opdiff A B image:x" stands for "{ session:A } { session:B } image:x", which is parsed as in
 * opreport.
 */
#include "pp/report/diff_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"
#include "pp/cli/option_words.h"

/* Filled in by popt; one command line at a time. */
static struct raw {
	int images, applications, all, merge_unnamed, no_inline, reverse, long_names, no_header;
	int csv, json, watch;
	char *confidence, *threshold, *fail_above, *sort, *demangle, *verbose, *output_file, *color;
	char *session_dir, *image_path, *root, *before, *after;
} raw;

static const struct poptOption table[] = {
	{ "before", 0, POPT_ARG_STRING, &raw.before, 0,
	  "compare this range of time of the history, such as -25h..-24h", "A..B" },
	{ "after", 0, POPT_ARG_STRING, &raw.after, 0, "with this one", "A..B" },
	{ "watch", 0, POPT_ARG_NONE, &raw.watch, 0,
	  "compare the last hour with the same hour of other days; exit with status 2 if anything "
	  "grew beyond chance", NULL },
	{ "images", 0, POPT_ARG_NONE, &raw.images, 0, "compare images instead of symbols", NULL },
	{ "applications", 0, POPT_ARG_NONE, &raw.applications, 0,
	  "keep the applications of a library apart", NULL },
	{ "all", 'A', POPT_ARG_NONE, &raw.all, 0, "show all, also changes by chance", NULL },
	{ "confidence", 0, POPT_ARG_STRING, &raw.confidence, 0,
	  "that all rows shown did change (default 95)", "percent" },
	{ "fail-above", 0, POPT_ARG_STRING, &raw.fail_above, 0,
	  "exit with status 2 if the share of a row grew by more than this, beyond chance",
	  "percent" },
	{ "threshold", 't', POPT_ARG_STRING, &raw.threshold, 0,
	  "leave out rows below it in both profiles", "percent" },
	{ "sort", 's', POPT_ARG_STRING, &raw.sort, 0,
	  "sort by sure (default), change, first, second, symbol, image", "key" },
	{ "reverse-sort", 'r', POPT_ARG_NONE, &raw.reverse, 0, "reverse the order", NULL },
	{ "json", 0, POPT_ARG_NONE, &raw.json, 0, "print JSON, for programs", NULL },
	{ "csv", 0, POPT_ARG_NONE, &raw.csv, 0, "print comma separated values", NULL },
	{ "output-file", 'o', POPT_ARG_STRING, &raw.output_file, 0, "write to this file", "file" },
	{ "no-header", 'n', POPT_ARG_NONE, &raw.no_header, 0, "print rows only", NULL },
	{ "no-inline", 0, POPT_ARG_NONE, &raw.no_inline, 0,
	  "credit inlined functions to their callers", NULL },
	{ "long-filenames", 'f', POPT_ARG_NONE, &raw.long_names, 0, "show full paths", NULL },
	{ "demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0, "form of C++ names (default normal)",
	  "none|normal|smart" },
	COMMON_OPTIONS_COLOR(raw),
	COMMON_OPTIONS_UNNAMED(raw),
	COMMON_OPTIONS_PLACES(raw),
	COMMON_OPTIONS_FLEET,
	{ "verbose", 'V', POPT_ARG_STRING, &raw.verbose, 0,
	  "print to stderr: warnings (all of them; default), or results of stages: files, classes, "
	  "images, symbols, rows; or all", "list" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set diff_option_set = {
	"opdiff", table,
	"[OPTION...] SESSION SESSION [TAG:LIST]...\n"
	"       opdiff [OPTION...] { TAG:LIST... } { TAG:LIST... }\n"
	"       opdiff --watch [OPTION...] [TAG:LIST]..."
};

static int parse_sort(enum compare_sort *ret, struct op_error *e)
{
	static const char *const keys[] = {
		[COMPARE_SURE] = "sure",     [COMPARE_CHANGE] = "change",
		[COMPARE_FIRST] = "first",   [COMPARE_SECOND] = "second",
		[COMPARE_SYMBOL] = "symbol", [COMPARE_IMAGE] = "image",
	};

	for (size_t i = 0; raw.sort && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(raw.sort, keys[i])) {
			*ret = i;
			return 0;
		}
	if (raw.sort)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --sort: expected sure, "
				    "change, first, second, symbol or image", raw.sort);
	*ret = COMPARE_SURE;
	return 0;
}

static int parse_confidence(struct diff_options *o, struct op_error *e)
{
	o->confidence = 95;
	if (raw.confidence && (number_parse_percent(raw.confidence, &o->confidence) ||
			       o->confidence < 50 || o->confidence > 99.99995))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --confidence: expected a "
				    "percentage from 50 to 99.9999", raw.confidence);
	o->compare.risk = 1 - o->confidence / 100;
	return 0;
}

static int parse_fail_above(struct diff_options *o, struct op_error *e)
{
	o->fail_above = -1;
	if (raw.fail_above && number_parse_percent(raw.fail_above, &o->fail_above))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --fail-above: expected a "
				    "percentage from 0 to 100", raw.fail_above);
	return 0;
}

/* It has an order and columns of its own. */
static int check_watch(struct op_error *e)
{
	const char *other = raw.before ? "--before" : raw.after ? "--after"
			  : raw.json ? "--json" : raw.csv ? "--csv" : raw.all ? "--all"
			  : raw.sort ? "--sort" : raw.reverse ? "--reverse-sort"
			  : raw.applications ? "--applications" : NULL;

	return raw.watch && other ? option_conflict("--watch", other, e) : 0;
}

static int parse_values(struct diff_options *o, struct op_error *e)
{
	int err = check_watch(e);

	if (!err)
		err = parse_sort(&o->compare.sort, e);
	if (!err && raw.json && raw.csv)
		err = option_conflict("--json", "--csv", e);
	if (!err)
		err = parse_confidence(o, e);
	if (!err)
		err = parse_fail_above(o, e);
	if (!err)
		err = option_threshold(raw.threshold, &o->compare.threshold, e);
	if (!err)
		err = option_demangle(raw.demangle, false, &o->demangle, e);
	if (!err)
		err = option_verbose(raw.verbose, &o->print, e);
	if (!err)
		err = option_color(raw.color, raw.output_file, &o->color, e);
	return err;
}

/* A folder of sample files, or with files beside them. */
static bool is_samples_folder(const char *path)
{
	static const char *const entries[] = { "{root}", "{kern}", "stats" };
	bool found = false;

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]) && !found; i++) {
		char *entry = path_join(path, entries[i]);

		found = file_is_dir(entry);
		free(entry);
	}
	return found;
}

static bool is_saved_session(const char *name)
{
	char *samples = path_join(option_session_dir_quietly(raw.session_dir, false), "samples");
	char *path = path_join(samples, name);
	bool found = file_is_dir(path);

	free(samples);
	free(path);
	return found;
}

/*
 * "session:NAME", or of a folder "session:./NAME"; a session directory stands for its current
 * session. A saved session comes before a folder of that name.
 */
static char *session_argument(const char *name, bool *is_folder)
{
	char *samples = path_join(name, "samples/current");
	bool has_slash = strchr(name, '/'), has_samples = file_is_dir(samples);
	const char *found = name;
	struct strbuf text = STRBUF_INIT;

	*is_folder = has_slash || ((has_samples || is_samples_folder(name)) &&
				   !is_saved_session(name));
	if (*is_folder && has_samples)
		found = samples;
	strbuf_add(&text, !*is_folder || *found == '/' || *found == '.' ? "session:"
								       : "session:./");
	for (; *found; found++) {
		if (*found == ',')
			strbuf_add_char(&text, '\\');
		strbuf_add_char(&text, *found);
	}
	free(samples);
	return strbuf_steal(&text);
}

/* The first two words without a tag are the sessions, all others belong to both profiles. */
static int parse_sessions(const char **args, size_t nr, struct diff_options *o, struct op_error *e)
{
	const char **words = xcalloc(nr + 7, sizeof(*words));
	char *sessions[2] = { NULL, NULL };
	size_t nr_words = 6, nr_sessions = 0, nr_specs;
	bool are_folders[2] = { false, false };
	int err;

	for (size_t i = 0; i < nr; i++) {
		if (nr_sessions == 2 || strchr(args[i], ':')) {
			words[nr_words++] = args[i];
			continue;
		}
		sessions[nr_sessions] = session_argument(args[i], &are_folders[nr_sessions]);
		nr_sessions++;
	}
	if (nr_sessions < 2) {
		err = op_error_set(e, -EINVAL, "expected two sessions, such as 'opdiff before "
				   "after', or two profile specifications: '{ A } { B }'");
	} else {
		memcpy(words, (const char *[]){ "{", sessions[0], "}", "{", sessions[1], "}" },
		       6 * sizeof(*words));
		err = profile_specs_parse(words, nr_words, o->specs, &nr_specs, e);
	}
	o->only_folders = are_folders[0] && are_folders[1];
	free(sessions[0]);
	free(sessions[1]);
	free(words);
	return err;
}

/* The two profiles are times of the history, and all words belong to both. */
static int parse_times(const char *from, const char *to, const char **args, size_t nr,
		       struct diff_options *o, struct op_error *e)
{
	const char **words;
	char *before, *after;
	size_t nr_specs;
	int err;

	if (!from || !to)
		return op_error_set(e, -EINVAL, "--before=A..B and --after=A..B are used together");
	before = xasprintf("time:%s", from);
	after = xasprintf("time:%s", to);
	words = xcalloc(nr + 6, sizeof(*words));
	memcpy(words, (const char *[]){ "{", before, "}", "{", after, "}" }, 6 * sizeof(*words));
	for (size_t i = 0; i < nr; i++)
		words[6 + i] = args[i];
	err = profile_specs_parse(words, nr + 6, o->specs, &nr_specs, e);
	free(words);
	free(before);
	free(after);
	return err;
}

static int parse_specs(const struct command_line *line, struct diff_options *o,
		       struct op_error *e)
{
	bool braces = false;
	size_t nr_specs = 0;
	int err;

	if (raw.watch)
		return parse_times("-1h..", "-1h..", line->args, line->nr_args, o, e);
	if (raw.before || raw.after)
		return parse_times(raw.before, raw.after, line->args, line->nr_args, o, e);
	for (size_t i = 0; i < line->nr_args; i++)
		braces |= strspn(line->args[i], "{}") == strlen(line->args[i]);
	if (!braces)
		return parse_sessions(line->args, line->nr_args, o, e);
	err = profile_specs_parse(line->args, line->nr_args, o->specs, &nr_specs, e);
	if (!err && nr_specs != 2)
		err = op_error_set(e, -EINVAL, "expected two profile specifications, got one");
	return err;
}

static void take_values(struct diff_options *o)
{
	o->watch = raw.watch;
	o->images = raw.images;
	o->applications = raw.applications;
	o->merge_unnamed = raw.merge_unnamed;
	o->long_names = raw.long_names;
	o->no_header = raw.no_header;
	o->inlines = !raw.no_inline;
	o->format = raw.json ? FORMAT_JSON : raw.csv ? FORMAT_CSV : FORMAT_TEXT;
	o->compare.all = raw.all;
	o->compare.reverse = raw.reverse;
	o->session_dir = raw.session_dir;
	o->root = raw.root;
	o->output_file = raw.output_file;
	option_list_split(raw.image_path, &o->image_path);
	raw.session_dir = raw.root = raw.output_file = NULL;
}

int diff_options_parse(int argc, const char **argv, struct diff_options *ret, struct op_error *e)
{
	struct diff_options o = { 0 };
	struct command_line line;
	int err = command_line_read(&diff_option_set, argc, argv, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK) {
		err = parse_values(&o, e);
		if (!err)
			err = parse_specs(&line, &o, e);
		if (!err)
			take_values(&o);
		o.command_line = option_words_join("opdiff", argv + 1, argc - 1, " ");
	}
	command_line_end(&diff_option_set, &line);
	if (err)
		diff_options_free(&o);
	*ret = o;
	return err;
}

void diff_options_free(struct diff_options *o)
{
	free(o->session_dir);
	free(o->root);
	free(o->output_file);
	free(o->command_line);
	option_list_free(&o->image_path);
	profile_spec_free(&o->specs[0]);
	profile_spec_free(&o->specs[1]);
	*o = (struct diff_options){ 0 };
}
