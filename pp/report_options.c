/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_options.c - opreport's options with libpopt, and which of them go together
 *
 * Combinations that would give a report other than the one asked for are refused, as the original
 * does; so are its reports that this version cannot make yet.
 */
#include "report_options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "xalloc.h"

enum { OPT_CALLGRAPH = 1, OPT_DETAILS, OPT_XML, OPT_HELP, OPT_USAGE, OPT_VERSION };

/* What popt fills in; one report's command line at a time. */
static struct raw {
	int symbols, reverse, exclude_dependent, no_header, show_address, long_names, accumulated;
	int debug_info, global_percent;
	char *output_file, *sort, *merge, *exclude, *include, *threshold, *demangle, *verbose;
	char *session_dir, *image_path, *root, *compat;
} raw;

static const struct poptOption table[] = {
	{ "symbols", 'l', POPT_ARG_NONE, &raw.symbols, 0, "list all symbols", NULL },
	{ "callgraph", 'c', POPT_ARG_NONE, NULL, OPT_CALLGRAPH, "not in this version", NULL },
	{ "details", 'd', POPT_ARG_NONE, NULL, OPT_DETAILS, "not in this version", NULL },
	{ "xml", 'X', POPT_ARG_NONE, NULL, OPT_XML, "not in this version", NULL },
	{ "output-file", 'o', POPT_ARG_STRING, &raw.output_file, 0, "write the report there",
	  "file" },
	{ "sort", 's', POPT_ARG_STRING, &raw.sort, 0, "sort by",
	  "sample,image,app-name,symbol,debug,vma" },
	{ "reverse-sort", 'r', POPT_ARG_NONE, &raw.reverse, 0, "reverse the order", NULL },
	{ "merge", 'm', POPT_ARG_STRING, &raw.merge, 0, "add up what differs only in these",
	  "cpu,lib,tid,tgid,unitmask,all" },
	{ "exclude-dependent", 'x', POPT_ARG_NONE, &raw.exclude_dependent, 0,
	  "leave out libraries, kernel and modules of applications", NULL },
	{ "exclude-symbols", 'e', POPT_ARG_STRING, &raw.exclude, 0, "leave out these symbols",
	  "symbols" },
	{ "include-symbols", 'i', POPT_ARG_STRING, &raw.include, 0, "show only these symbols",
	  "symbols" },
	{ "threshold", 't', POPT_ARG_STRING, &raw.threshold, 0, "leave out what is below",
	  "percent" },
	{ "demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0, "C++ names (default normal)",
	  "none|normal" },
	{ "debug-info", 'g', POPT_ARG_NONE, &raw.debug_info, 0, "show source file and line", NULL },
	{ "no-header", 'n', POPT_ARG_NONE, &raw.no_header, 0, "rows only", NULL },
	{ "show-address", 'w', POPT_ARG_NONE, &raw.show_address, 0, "show addresses of symbols",
	  NULL },
	{ "long-filenames", 'f', POPT_ARG_NONE, &raw.long_names, 0, "show full paths", NULL },
	{ "accumulated", 'a', POPT_ARG_NONE, &raw.accumulated, 0, "show running totals", NULL },
	{ "global-percent", '%', POPT_ARG_NONE, &raw.global_percent, 0,
	  "percent of all samples, not of the application's", NULL },
	{ "session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
	  "where samples lie (default ./oprofile_data if there is one, else /var/lib/oprofile)",
	  "path" },
	{ "image-path", 'p', POPT_ARG_STRING, &raw.image_path, 0,
	  "folders to search for missing binaries", "path,..." },
	{ "root", 'R', POPT_ARG_STRING, &raw.root, 0, "binaries are below this folder", "path" },
	{ "compat", 0, POPT_ARG_STRING, &raw.compat, 0, "report exactly as OProfile does",
	  "oprofile" },
	{ "verbose", 'V', POPT_ARG_STRING, &raw.verbose, 0, "show what stages found, on stderr",
	  "files,classes,images,symbols,rows,all" },
	{ "version", 'v', POPT_ARG_NONE, NULL, OPT_VERSION, "show the version", NULL },
	{ "help", '?', POPT_ARG_NONE, NULL, OPT_HELP, "show this", NULL },
	{ "usage", 0, POPT_ARG_NONE, NULL, OPT_USAGE, "show the options in short", NULL },
	POPT_TABLEEND
};

static poptContext new_context(int argc, const char **argv)
{
	poptContext context = poptGetContext("opreport", argc, argv, table, 0);

	poptSetOtherOptionHelp(context, "[OPTION...] [TAG:LIST | BINARY]...");
	return context;
}

void report_options_help(bool usage_only)
{
	const char *argv[] = { "opreport", NULL };
	poptContext context = new_context(1, argv);

	if (usage_only)
		poptPrintUsage(context, stdout, 0);
	else
		poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
}

struct word {
	const char *name;
	unsigned int bit;
};

/* OR the bits of the comma separated words of @list. */
static int parse_words(const char *option, const char *list, const struct word *words,
		       unsigned int *bits, struct op_error *e)
{
	while (list && *list) {
		size_t len = strcspn(list, ",");
		const struct word *w = words;

		while (w->name && (strlen(w->name) != len || strncmp(w->name, list, len)))
			w++;
		if (!w->name)
			return op_error_set(e, -EINVAL, "--%s: '%.*s' is not one of its words (see "
					    "--help)", option, (int)(len > 80 ? 80 : len), list);
		*bits |= w->bit;
		list += len + (list[len] == ',');
	}
	return 0;
}

static int parse_merge(struct merge *merge, struct op_error *e)
{
	enum { CPU = 1, TID = 2, TGID = 4, MASK = 8, LIB = 16, ALL = 31, NAMED_LIB = 32 };
	static const struct word words[] = {
		{ "cpu", CPU }, { "tid", TID }, { "tgid", TGID | TID }, { "unitmask", MASK },
		{ "lib", LIB | NAMED_LIB }, { "library", LIB | NAMED_LIB }, { "all", ALL },
		{ NULL, 0 }
	};
	unsigned int bits = 0;
	int err = parse_words("merge", raw.merge, words, &bits, e);

	if (err)
		return err;
	if (raw.exclude_dependent && bits & NAMED_LIB)
		return op_error_set(e, -EINVAL, "--exclude-dependent leaves out what --merge=lib "
				    "would show: choose one");
	*merge = (struct merge){
		.cpu = bits & CPU, .tid = bits & TID, .tgid = bits & TGID,
		.unit_mask = bits & MASK, .lib = bits & LIB,
	};
	return 0;
}

/* The original's words are taken too; those that name nothing here print nothing. */
static int parse_verbose(unsigned int *bits, struct op_error *e)
{
	static const struct word words[] = {
		{ "files", PRINT_FILES }, { "classes", PRINT_CLASSES }, { "images", PRINT_IMAGES },
		{ "symbols", PRINT_SYMBOLS }, { "rows", PRINT_ROWS }, { "all", ~0u },
		{ "sfile", PRINT_FILES }, { "bfd", PRINT_SYMBOLS }, { "debug", 0 },
		{ "level1", 0 }, { "stats", 0 }, { "xml", 0 }, { NULL, 0 }
	};

	return parse_words("verbose", raw.verbose, words, bits, e);
}

static void split(const char *text, struct spec_list *list)
{
	while (text && *text) {
		size_t len = strcspn(text, ",");

		if (len) {
			xgrow(list->items, list->nr, list->room);
			list->items[list->nr++] = (struct spec_item){
				.text = xasprintf("%.*s", (int)len, text),
			};
		}
		text += len + (text[len] == ',');
	}
}

static int parse_demangle(bool *ret, struct op_error *e)
{
	if (!raw.demangle || !strcmp(raw.demangle, "normal"))
		*ret = true;
	else if (!strcmp(raw.demangle, "none"))
		*ret = false;
	else if (!strcmp(raw.demangle, "smart"))
		return op_error_set(e, -ENOTSUP,
				    "--demangle=smart is not in this version: use normal");
	else
		return op_error_set(e, -EINVAL, "--demangle: '%s' is neither none nor normal",
				    raw.demangle);
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

	if (!raw.symbols && needs_symbols)
		return op_error_set(e, -EINVAL, "%s is about symbols: add --symbols (-l)",
				    needs_symbols);
	if (raw.symbols && raw.global_percent)
		return op_error_set(e, -EINVAL, "--global-percent means nothing with --symbols: "
				    "its percentages are of all samples anyway");
	return 0;
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
		err = parse_verbose(&o->print, e);
	if (!err)
		err = parse_demangle(&o->demangle, e);
	if (!err)
		err = check_combinations(sorts_by_vma, e);
	if (!err && raw.threshold && number_parse_percent(raw.threshold, &o->threshold))
		err = op_error_set(e, -EINVAL,
				   "--threshold: '%s' is not a percentage from 0 to 100",
				   raw.threshold);
	if (!err && raw.compat && strcmp(raw.compat, "oprofile"))
		err = op_error_set(e, -EINVAL, "--compat: '%s' is not known, only 'oprofile' is",
				   raw.compat);
	return err;
}

static void take_values(struct report_options *o)
{
	const char *env = getenv("OPROFILE_COMPAT");

	o->compat = raw.compat || (env && *env && strcmp(env, "0"));
	o->symbols = raw.symbols;
	o->exclude_dependent = raw.exclude_dependent;
	o->no_header = raw.no_header;
	o->show_address = raw.show_address;
	o->long_names = raw.long_names;
	o->accumulated = raw.accumulated;
	o->debug_info = raw.debug_info;
	o->global_percent = raw.global_percent;
	o->session_dir = raw.session_dir;
	o->root = raw.root;
	o->output_file = raw.output_file;
	split(raw.image_path, &o->image_path);
	split(raw.include, &o->include);
	split(raw.exclude, &o->exclude);
	raw.session_dir = raw.root = raw.output_file = NULL;
}

/* 0 at the end of the options; 1: help or version, all else is void. */
static int read_options(poptContext context, struct report_options *o, struct op_error *e)
{
	static const char *const later[] = {
		[OPT_CALLGRAPH] = "--callgraph", [OPT_DETAILS] = "--details", [OPT_XML] = "--xml",
	};
	int option, refused = 0;

	while ((option = poptGetNextOpt(context)) > 0) {
		o->help |= option == OPT_HELP;
		o->usage |= option == OPT_USAGE;
		o->version |= option == OPT_VERSION;
		if (option <= OPT_XML)
			refused = option;
	}
	if (o->help || o->usage || o->version)
		return 1;
	if (option < -1)
		return op_error_set(e, -EINVAL, "%s: %s (see --help)",
				    poptBadOption(context, POPT_BADOPTION_NOALIAS),
				    poptStrerror(option));
	if (refused)
		return op_error_set(e, -ENOTSUP, "%s is not in this version; --symbols is",
				    later[refused]);
	return 0;
}

static void free_raw(void)
{
	char **const strings[] = {
		&raw.output_file, &raw.sort, &raw.merge, &raw.exclude, &raw.include,
		&raw.threshold, &raw.demangle, &raw.verbose, &raw.session_dir, &raw.image_path,
		&raw.root, &raw.compat,
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		free(*strings[i]);
	memset(&raw, 0, sizeof(raw));
}

int report_options_parse(int argc, const char **argv, struct report_options *ret,
			 struct op_error *e)
{
	struct report_options o = { 0 };
	poptContext context;
	const char **args;
	size_t nr = 0;
	int err;

	memset(&raw, 0, sizeof(raw));
	context = new_context(argc, argv);
	err = read_options(context, &o, e);
	if (!err)
		err = parse_values(&o, e);
	args = err ? NULL : poptGetArgs(context);
	while (args && args[nr])
		nr++;
	if (!err)
		err = profile_spec_parse(args, nr, &o.spec, e);
	if (!err)
		take_values(&o);
	poptFreeContext(context);
	free_raw();
	*ret = err < 0 ? (struct report_options){ 0 } : o;
	return err < 0 ? err : 0;
}

static void free_list(struct spec_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->items[i].text);
	free(list->items);
}

void report_options_free(struct report_options *o)
{
	free(o->session_dir);
	free(o->root);
	free(o->output_file);
	free_list(&o->image_path);
	free_list(&o->include);
	free_list(&o->exclude);
	profile_spec_free(&o->spec);
	*o = (struct report_options){ 0 };
}
