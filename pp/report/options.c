/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - opreport's options with libpopt, and which of them can be combined
 *
 * Combinations that would give another report than the one asked for are errors, as in the
 * original.
 */
#include "pp/report/options.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/terminal_width.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"
#include "pp/cli/option_words.h"

#define WIDTH_DEFAULT	80
#define WIDTH_MAX	1000

/* Filled in by popt; one command line at a time. */
static struct raw {
	int symbols, callgraph, details, xml, json, csv, strict, reverse, exclude_dependent;
	int no_header, show_address, long_names, accumulated;
	int debug_info, global_percent, merge_unnamed, no_inline, timeline;
	char *output_file, *sort, *merge, *exclude, *include, *threshold, *demangle, *verbose;
	char *session_dir, *image_path, *root, *compat, *color, *stacks, *flamegraph, *html;
	char *heatmap;
	char *ratio, *separate;
} raw;

static const struct poptOption table[] = {
	{ "symbols", 'l', POPT_ARG_NONE, &raw.symbols, 0, "list all symbols", NULL },
	{ "callgraph", 'c', POPT_ARG_NONE, &raw.callgraph, 0, "show callers and callees", NULL },
	{ "stacks", 0, POPT_ARG_STRING, &raw.stacks, 0,
	  "show whole call stacks as a tree: callers (default), callees, folded", "order" },
	{ "timeline", 0, POPT_ARG_NONE, &raw.timeline, 0,
	  "show samples over time, of the last hour or --since, --last, ...", NULL },
	{ "flamegraph", 0, POPT_ARG_STRING, &raw.flamegraph, 0,
	  "draw the call stacks as an SVG picture", "file" },
	{ "html", 0, POPT_ARG_STRING, &raw.html, 0,
	  "the same as a web page with search, zoom, functions and source", "file" },
	{ "heatmap", 0, POPT_ARG_STRING, &raw.heatmap, 0,
	  "the same with a heat map of the last hour or --since, --last, ...", "file" },
	{ "details", 'd', POPT_ARG_NONE, &raw.details, 0, "show each address of each symbol",
	  NULL },
	{ "xml", 'X', POPT_ARG_NONE, &raw.xml, 0, "print XML, for programs", NULL },
	{ "json", 0, POPT_ARG_NONE, &raw.json, 0, "print JSON, for programs", NULL },
	{ "csv", 0, POPT_ARG_NONE, &raw.csv, 0, "print comma separated values", NULL },
	{ "output-file", 'o', POPT_ARG_STRING, &raw.output_file, 0, "write to this file", "file" },
	{ "sort", 's', POPT_ARG_STRING, &raw.sort, 0, 
	  "sort by sample, image, app-name, symbol, debug, vma, diff", "keys" },
	{ "reverse-sort", 'r', POPT_ARG_NONE, &raw.reverse, 0, "reverse the order", NULL },
	{ "merge", 'm', POPT_ARG_STRING, &raw.merge, 0, 
	  "add up what differs only in cgroup, cpu, lib, tid, tgid, unitmask, all", "list" },
	{ "separate", 0, POPT_ARG_STRING, &raw.separate, 0,
	  "a column for each thread of a session of opsample, which are added up otherwise",
	  "thread" },
	{ "ratio", 0, POPT_ARG_STRING, &raw.ratio, 0,
	  "add columns of the ratio of two events, such as ipc=INST_RETIRED/CPU_CLK_UNHALTED",
	  "[name=]event/event,..." },
	{ "exclude-dependent", 'x', POPT_ARG_NONE, &raw.exclude_dependent, 0,
	  "leave out libraries, kernel and modules of applications", NULL },
	{ "exclude-symbols", 'e', POPT_ARG_STRING, &raw.exclude, 0, "leave out these symbols",
	  "symbols" },
	{ "include-symbols", 'i', POPT_ARG_STRING, &raw.include, 0, "show only these symbols",
	  "symbols" },
	{ "threshold", 't', POPT_ARG_STRING, &raw.threshold, 0, "leave out rows below it",
	  "percent" },
	{ "demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0, "form of C++ names (default normal)",
	  "none|normal|smart" },
	{ "debug-info", 'g', POPT_ARG_NONE, &raw.debug_info, 0, "show source file and line", NULL },
	{ "no-inline", 0, POPT_ARG_NONE, &raw.no_inline, 0,
	  "credit inlined functions to their callers", NULL },
	{ "no-header", 'n', POPT_ARG_NONE, &raw.no_header, 0, "print rows only", NULL },
	{ "show-address", 'w', POPT_ARG_NONE, &raw.show_address, 0, "show addresses of symbols",
	  NULL },
	{ "long-filenames", 'f', POPT_ARG_NONE, &raw.long_names, 0, "show full paths", NULL },
	{ "accumulated", 'a', POPT_ARG_NONE, &raw.accumulated, 0, "show running totals", NULL },
	{ "global-percent", '%', POPT_ARG_NONE, &raw.global_percent, 0,
	  "percent of all samples, not of the application's", NULL },
	COMMON_OPTIONS_UNNAMED(raw),
	COMMON_OPTIONS_TIME,
	COMMON_OPTIONS_FLEET,
	COMMON_OPTIONS_PLACES(raw),
	{ "strict", 0, POPT_ARG_NONE, &raw.strict, 0,
	  "fail if columns differ in more than one way", NULL },
	{ "compat", 0, POPT_ARG_STRING, &raw.compat, 0, "report exactly as OProfile does",
	  "oprofile" },
	{ "verbose", 'V', POPT_ARG_STRING, &raw.verbose, 0, 
	  "print to stderr: warnings (all of them; default), or results of stages: files, classes, "
	  "images, symbols, rows, calls; or all", "list" },
	COMMON_OPTIONS_COLOR(raw),
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set report_option_set = {
	"opreport", table,
	"[OPTION...] [TAG:LIST | BINARY]...\n"
	"       opreport -l [OPTION...] { TAG:LIST... } { TAG:LIST... }"
};

static int parse_merge(struct merge *merge, struct op_error *e)
{
	enum { CPU = 1, TID = 2, TGID = 4, MASK = 8, LIB = 16, CGROUP = 32, ALL = 63,
	       NAMED_LIB = 64 };
	static const struct option_word words[] = {
		{ "cpu", CPU }, { "tid", TID }, { "tgid", TGID | TID }, { "unitmask", MASK },
		{ "lib", LIB | NAMED_LIB }, { "library", LIB | NAMED_LIB }, { "cgroup", CGROUP },
		{ "all", ALL }, { NULL, 0 }
	};
	unsigned int bits = 0;
	int err = option_words_parse("merge", raw.merge, words, &bits, e);

	if (err)
		return err;
	if (raw.exclude_dependent && bits & NAMED_LIB)
		return option_conflict("--exclude-dependent", "--merge=lib", e);
	*merge = (struct merge){
		.cpu = bits & CPU, .tid = bits & TID, .tgid = bits & TGID,
		.unit_mask = bits & MASK, .lib = bits & LIB, .cgroup = bits & CGROUP,
	};
	return 0;
}

static int check_formats(struct op_error *e)
{
	const char *format = raw.xml ? "--xml" : raw.json ? "--json" : raw.csv ? "--csv" : NULL;

	if (raw.xml + raw.json + raw.csv > 1)
		return option_conflict(format, raw.csv ? "--csv" : "--json", e);
	if (format && raw.accumulated)
		return option_conflict(format, "--accumulated", e);
	if (raw.xml && raw.global_percent)
		return option_conflict(format, "--global-percent", e);
	if (raw.csv && raw.callgraph)
		return option_conflict(format, "--callgraph", e);
	return 0;
}

/* Options that two profiles cannot be combined with. */
static int check_differential(const struct report_options *o, struct op_error *e)
{
	const char *other = raw.timeline ? "--timeline" : raw.heatmap ? "--heatmap"
			  : raw.callgraph ? "--callgraph" : raw.details ? "--details"
			  : raw.xml ? "--xml" : raw.stacks ? "--stacks"
			  : raw.ratio ? "--ratio" : NULL;

	if (o->nr_specs == 1 && o->sort.nr_keys && o->sort.keys[0] == SORT_DIFF)
		return op_error_set(e, -EINVAL, "--sort=diff requires two profiles: "
				    "'{ A } { B }'");
	if (o->nr_specs == 1)
		return 0;
	if (other)
		return op_error_set(e, -EINVAL, "option '%s' cannot be used with two profiles",
				    other);
	if (!raw.symbols && !raw.flamegraph && !raw.html)
		return op_error_set(e, -EINVAL, "comparing two profiles requires --symbols (-l)");
	return 0;
}

/* The value of --stacks, and options that it cannot be combined with. */
static int parse_stacks(const struct report_options *o, enum stacks_order *ret, struct op_error *e)
{
	static const struct option_word words[] = {
		{ "callers", STACKS_CALLERS }, { "callees", STACKS_CALLEES },
		{ "folded", STACKS_FOLDED }, { NULL, 0 }
	};
	const char *other = raw.callgraph ? "--callgraph" : raw.details ? "--details"
			  : raw.xml ? "--xml" : raw.accumulated ? "--accumulated"
			  : raw.show_address ? "--show-address"
			  : raw.debug_info ? "--debug-info"
			  : raw.sort || raw.reverse ? "--sort"
			  : raw.exclude ? "--exclude-symbols"
			  : raw.include ? "--include-symbols"
			  : raw.global_percent ? "--global-percent"
			  : o->compat ? "--compat" : NULL;
	const struct option_word *word = words;

	if (!raw.stacks)
		return 0;
	while (word->name && strcmp(word->name, raw.stacks))
		word++;
	if (!word->name)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --stacks: expected "
				    "callers, callees or folded", raw.stacks);
	if (other)
		return option_conflict("--stacks", other, e);
	if (word->bit == STACKS_FOLDED && (raw.json || raw.csv))
		return option_conflict("--stacks=folded", raw.json ? "--json" : "--csv", e);
	*ret = word->bit;
	return 0;
}

/* Timelines have an order and columns of their own. */
static int check_timeline(const struct report_options *o, struct op_error *e)
{
	const char *other = raw.callgraph ? "--callgraph" : raw.details ? "--details"
			  : raw.stacks ? "--stacks" : raw.xml ? "--xml" : raw.json ? "--json"
			  : raw.csv ? "--csv" : raw.accumulated ? "--accumulated"
			  : raw.show_address ? "--show-address"
			  : raw.debug_info ? "--debug-info"
			  : raw.flamegraph ? "--flamegraph" : raw.html ? "--html"
			  : raw.heatmap ? "--heatmap"
			  : raw.ratio ? "--ratio" : raw.global_percent ? "--global-percent"
			  : raw.sort || raw.reverse ? "--sort"
			  : raw.exclude ? "--exclude-symbols"
			  : raw.include ? "--include-symbols"
			  : o->compat ? "--compat" : NULL;

	return other ? option_conflict("--timeline", other, e) : 0;
}

/* Whether the characters of the environment's language are encoded as UTF-8. */
static bool is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool is = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return is;
}

/* Without a terminal $COLUMNS, for pipes into a pager. */
static unsigned int line_width(void)
{
	unsigned int width = terminal_width();
	const char *columns = getenv("COLUMNS");
	uint64_t wanted;

	if (width)
		return width;
	return columns && !number_parse_range(columns, 1, WIDTH_MAX, &wanted)
	       ? (unsigned int)wanted : WIDTH_DEFAULT;
}

static bool is_empty(const char *value)
{
	return value && !*value;
}

/* Pictures have an order, columns and a file of their own. */
static int check_pictures(const struct report_options *o, struct op_error *e)
{
	const char *option = raw.flamegraph ? "--flamegraph"
			   : raw.html ? "--html" : "--heatmap";
	const char *other = raw.callgraph ? "--callgraph" : raw.details ? "--details"
			  : raw.stacks ? "--stacks" : raw.xml ? "--xml" : raw.json ? "--json"
			  : raw.csv ? "--csv" : raw.accumulated ? "--accumulated"
			  : raw.show_address ? "--show-address"
			  : raw.debug_info ? "--debug-info"
			  : raw.global_percent ? "--global-percent"
			  : raw.sort || raw.reverse ? "--sort"
			  : raw.exclude ? "--exclude-symbols"
			  : raw.include ? "--include-symbols"
			  : raw.output_file ? "--output-file"
			  : o->compat ? "--compat" : NULL;

	if (other)
		return option_conflict(option, other, e);
	if (raw.html && raw.heatmap)
		return option_conflict("--heatmap", "--html", e);
	if (is_empty(raw.flamegraph) || is_empty(raw.html) || is_empty(raw.heatmap))
		return op_error_set(e, -EINVAL, "option '%s' requires a file name", option);
	return 0;
}

static int check_combinations(bool sorts_by_vma, struct op_error *e)
{
	const char *needs_symbols = raw.show_address ? "--show-address"
				  : raw.debug_info   ? "--debug-info"
				  : raw.accumulated  ? "--accumulated"
				  : raw.exclude	     ? "--exclude-symbols"
				  : raw.include	     ? "--include-symbols"
				  : sorts_by_vma     ? "--sort=vma" : NULL;

	bool symbols = raw.symbols || raw.details || raw.callgraph || raw.xml;

	if (raw.merge_unnamed && !symbols && !raw.flamegraph && !raw.html && !raw.heatmap)
		needs_symbols = "--merge-unnamed";
	if (!symbols && needs_symbols)
		return op_error_set(e, -EINVAL, "option '%s' requires --symbols (-l)",
				    needs_symbols);
	if (raw.symbols && raw.global_percent && !raw.details && !raw.callgraph)
		return op_error_set(e, -EINVAL, "--global-percent has no effect with --symbols: "
				    "percentages are of all samples already");
	if (raw.callgraph && raw.details)
		return option_conflict("--callgraph", "--details", e);
	return check_formats(e);
}

static int parse_ratios(struct report_options *o, struct op_error *e)
{
	const char *other = raw.xml ? "--xml" : raw.stacks ? "--stacks"
			  : raw.flamegraph ? "--flamegraph" : raw.html ? "--html"
			  : raw.heatmap ? "--heatmap"
			  : o->compat ? "--compat" : NULL;
	struct ratio_list ratios = { 0 };
	int err;

	if (raw.ratio && other)
		return option_conflict("--ratio", other, e);
	err = ratios_parse(raw.ratio, &ratios, e);
	ratios_free(&ratios);
	return err;
}

static int parse_separate(struct report_options *o, struct op_error *e)
{
	static const struct option_word words[] = { { "thread", 1 }, { NULL, 0 } };
	unsigned int bits = 0;
	int err = option_words_parse("separate", raw.separate, words, &bits, e);

	o->separate_threads = bits;
	return err;
}

static int parse_values(struct report_options *o, struct op_error *e)
{
	bool sorts_by_vma = false;
	int err;

	o->sort.reverse = raw.reverse;
	o->sort.long_names = raw.long_names;
	err = sort_order_parse(raw.sort, &o->sort, &sorts_by_vma, e);
	if (!err)
		err = parse_merge(&o->merge, e);
	if (!err)
		err = option_verbose(raw.verbose, &o->print, e);
	if (!err)
		err = option_compat(raw.compat, &o->compat, e);
	if (!err)
		err = option_demangle(raw.demangle, o->compat, &o->demangle, e);
	if (!err)
		err = option_color(raw.color, raw.output_file || o->compat, &o->color, e);
	if (!err && raw.timeline)
		err = check_timeline(o, e);
	if (!err && (raw.flamegraph || raw.html || raw.heatmap))
		err = check_pictures(o, e);
	if (!err)
		err = parse_separate(o, e);
	if (!err)
		err = parse_ratios(o, e);
	if (!err)
		err = parse_stacks(o, &o->stacks, e);
	if (!err && !o->stacks)
		err = check_combinations(sorts_by_vma, e);
	else if (!err)
		err = check_formats(e);
	o->threshold = o->stacks && o->stacks != STACKS_FOLDED ? STACKS_THRESHOLD : 0;
	if (!err)
		err = option_threshold(raw.threshold, &o->threshold, e);
	return err;
}

static void take_values(struct report_options *o)
{
	o->specs[0].compat = o->specs[1].compat = o->compat;
	o->symbols = raw.symbols || raw.details || raw.callgraph || raw.xml;
	o->details = raw.details;
	o->callgraph = raw.callgraph;
	o->format = raw.xml ? FORMAT_XML : raw.json ? FORMAT_JSON : raw.csv ? FORMAT_CSV
		  : FORMAT_TEXT;
	o->strict = raw.strict || o->compat;
	o->has_sort = raw.sort;
	o->exclude_dependent = raw.exclude_dependent;
	o->no_header = raw.no_header;
	o->show_address = raw.show_address || raw.details;
	o->long_names = raw.long_names;
	o->accumulated = raw.accumulated;
	o->debug_info = raw.debug_info;
	o->inlines = !raw.no_inline && !o->compat;
	o->global_percent = raw.global_percent;
	o->merge_unnamed = raw.merge_unnamed;
	o->timeline = raw.timeline;
	o->utf8 = raw.timeline && is_utf8();
	o->width = raw.timeline ? line_width() : 0;
	o->session_dir = raw.session_dir;
	o->root = raw.root;
	o->output_file = raw.output_file;
	o->flamegraph = raw.flamegraph;
	o->ratio = raw.ratio;
	o->has_heatmap = raw.heatmap;
	o->html = raw.heatmap ? raw.heatmap : raw.html;
	option_list_split(raw.image_path, &o->image_path);
	option_list_split(raw.include, &o->include);
	option_list_split(raw.exclude, &o->exclude);
	o->merge_text = raw.merge;
	o->image_path_text = raw.image_path;
	o->include_text = raw.include;
	o->exclude_text = raw.exclude;
	raw.session_dir = raw.root = raw.output_file = raw.merge = raw.image_path = raw.include =
		raw.exclude = raw.flamegraph = raw.html = raw.heatmap = raw.ratio = NULL;
}

/* These are of the history: of the last hour, if nothing else is asked for. */
static int set_default_time(struct report_options *o, struct op_error *e)
{
	struct profile_spec *spec = &o->specs[0];

	if (spec->has_time)
		return 0;
	spec->has_time = true;
	return time_range_parse("-1h..", (int64_t)clock_ns(CLOCK_REALTIME), &spec->time, e);
}

static int parse(const struct command_line *line, struct report_options *o, struct op_error *e)
{
	int err = parse_values(o, e);

	if (!err)
		err = profile_specs_parse(line->args, line->nr_args, o->specs, &o->nr_specs, e);
	if (!err)
		err = check_differential(o, e);
	if (!err && (raw.timeline || raw.heatmap))
		err = set_default_time(o, e);
	if (!err)
		take_values(o);
	return err;
}

/* Turn "--stacks" into "--stacks=callers": popt has no optional values; malloc'd. */
static const char **add_stacks_value(int argc, const char **argv)
{
	const char **copy = xcalloc((size_t)argc + 1, sizeof(*copy));
	bool are_options = true;

	for (int i = 0; i < argc; i++) {
		are_options &= strcmp(argv[i], "--") != 0;
		copy[i] = are_options && !strcmp(argv[i], "--stacks") ? "--stacks=callers"
								       : argv[i];
	}
	return copy;
}

int report_options_parse(int argc, const char **argv, struct report_options *ret,
			 struct op_error *e)
{
	struct report_options o = { 0 };
	struct command_line line;
	const char **words = add_stacks_value(argc, argv);
	int err = command_line_read(&report_option_set, argc, words, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK) {
		err = parse(&line, &o, e);
		o.title = option_words_join("opreport", argv + 1, argc - 1, " ");
		o.arguments = option_words_join("", line.args, line.nr_args, ",");
	}
	command_line_end(&report_option_set, &line);
	free(words);
	if (err)
		report_options_free(&o);
	*ret = o;
	return err;
}

void report_options_free(struct report_options *o)
{
	free(o->session_dir);
	free(o->root);
	free(o->output_file);
	free(o->flamegraph);
	free(o->html);
	option_list_free(&o->image_path);
	option_list_free(&o->include);
	option_list_free(&o->exclude);
	free(o->ratio);
	profile_spec_free(&o->specs[0]);
	profile_spec_free(&o->specs[1]);
	free(o->title);
	free(o->arguments);
	free(o->merge_text);
	free(o->image_path_text);
	free(o->include_text);
	free(o->exclude_text);
	*o = (struct report_options){ 0 };
}
