/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - parse opannotate's options with libpopt, and check their combinations
 *
 * An option that has no effect on the requested report is refused.
 */
#include "pp/annotate/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "pp/cli/common_options.h"
#include "pp/cli/option_words.h"

/* What popt fills in; one command line at a time. */
static struct raw {
	int source, assembly, inlines, exclude_dependent, merge_unnamed;
	char *demangle, *output_dir, *search_dirs, *base_dirs, *include_file, *exclude_file;
	char *include, *exclude, *objdump_params, *merge, *threshold, *verbose;
	char *session_dir, *image_path, *root, *compat, *color;
} raw;

static const struct poptOption table[] = {
	{"source", 's', POPT_ARG_NONE, &raw.source, 0, "show source lines with their samples",
	 NULL},
	{"assembly", 'a', POPT_ARG_NONE, &raw.assembly, 0,
	 "show instructions with their samples; with --source, between source lines", NULL},
	{"inlines", 'I', POPT_ARG_NONE, &raw.inlines, 0,
	 "credit inlined code to the line of the call", NULL},
	{"output-dir", 'o', POPT_ARG_STRING, &raw.output_dir, 0,
	 "write an annotated copy of each source file below this folder", "directory"},
	{"search-dirs", 'd', POPT_ARG_STRING, &raw.search_dirs, 0,
	 "search these folders for source files", "path,..."},
	{"base-dirs", 'b', POPT_ARG_STRING, &raw.base_dirs, 0,
	 "remove these prefixes from source paths before searching", "path,..."},
	{"include-file", 0, POPT_ARG_STRING, &raw.include_file, 0, "show only these source files",
	 "glob,..."},
	{"exclude-file", 0, POPT_ARG_STRING, &raw.exclude_file, 0, "leave out these source files",
	 "glob,..."},
	{"include-symbols", 'i', POPT_ARG_STRING, &raw.include, 0, "show only these symbols",
	 "symbols"},
	{"exclude-symbols", 'e', POPT_ARG_STRING, &raw.exclude, 0, "leave out these symbols",
	 "symbols"},
	{"objdump-params", 0, POPT_ARG_STRING, &raw.objdump_params, 0,
	 "format of instructions: -M intel, -C, -l, -z, --show-raw-insn", "options"},
	{"exclude-dependent", 'x', POPT_ARG_NONE, &raw.exclude_dependent, 0,
	 "leave out libraries, kernel and modules of applications", NULL},
	{"merge", 'm', POPT_ARG_STRING, &raw.merge, 0, "add up what differs only in these",
	 "cgroup,cpu,tid,tgid,unitmask,all"},
	{"threshold", 't', POPT_ARG_STRING, &raw.threshold, 0,
	 "leave out source files (with --assembly: symbols) below this share", "percent"},
	{"demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0,
	 "form of C++ names (default normal)", "none|normal|smart"},
	COMMON_OPTIONS_UNNAMED(raw),
	COMMON_OPTIONS_TIME,
	COMMON_OPTIONS_FLEET,
	COMMON_OPTIONS_PLACES(raw),
	{"compat", 0, POPT_ARG_STRING, &raw.compat, 0, "report exactly as OProfile does",
	 "oprofile"},
	{"verbose", 'V', POPT_ARG_STRING, &raw.verbose, 0,
	 "print to stderr: warnings (all of them; default), or results of stages: files, classes, "
	 "images, symbols; or all", "list"},
	COMMON_OPTIONS_COLOR(raw),
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND};

const struct option_set annotate_option_set = {
	"opannotate", table, "--source|--assembly [OPTION...] [TAG:LIST | BINARY]..."
};

static int parse_merge(struct merge *merge, struct op_error *e)
{
	enum { CPU = 1, TID = 2, TGID = 4, MASK = 8, CGROUP = 16, ALL = 31 };
	static const struct option_word words[] = {
		{ "cpu", CPU }, { "tid", TID }, { "tgid", TGID | TID }, { "unitmask", MASK },
		{ "cgroup", CGROUP }, { "all", ALL }, { NULL, 0 }
	};
	unsigned int bits = 0;
	int err = option_words_parse("merge", raw.merge, words, &bits, e);

	/* a library's code is the same for all applications, so its samples are always merged */
	*merge = (struct merge){
		.cpu = bits & CPU, .tid = bits & TID, .tgid = bits & TGID,
		.unit_mask = bits & MASK, .lib = !raw.exclude_dependent,
		.cgroup = bits & CGROUP,
	};
	return err;
}

static int check_output_dir(struct op_error *e)
{
	char *dir;
	bool is_root;

	if (!raw.output_dir)
		return 0;
	if (raw.assembly)
		return option_conflict("--output-dir", "--assembly", e);
	dir = path_absolute(raw.output_dir);
	is_root = dir && !strcmp(dir, "/");
	free(dir);
	if (is_root)
		return op_error_set(e, -EINVAL, "--output-dir=/ would overwrite the sources; "
				    "choose another folder");
	return 0;
}

static int check_combinations(struct op_error *e)
{
	const char *source_only = raw.search_dirs    ? "--search-dirs"
				: raw.include_file   ? "--include-file"
				: raw.exclude_file   ? "--exclude-file"
				: raw.inlines	     ? "--inlines" : NULL;

	if (!raw.source && !raw.assembly)
		return op_error_set(e, -EINVAL, "specify --source, --assembly or both");
	if (raw.objdump_params && !raw.assembly)
		return op_error_set(e, -EINVAL, "--objdump-params requires --assembly (-a)");
	if (raw.base_dirs && !raw.search_dirs)
		return op_error_set(e, -EINVAL, "--base-dirs requires --search-dirs (-d)");
	if (source_only && !raw.source)
		return op_error_set(e, -EINVAL, "%s requires --source (-s)", source_only);
	if ((raw.include_file || raw.exclude_file || raw.inlines) && raw.assembly)
		return option_conflict(source_only, "--assembly", e);
	return check_output_dir(e);
}

static int parse_verbose(struct annotate_options *o, struct op_error *e)
{
	unsigned int print = 0;
	int err = option_verbose(raw.verbose, &print, e);

	if (!err && print != ~0u && print & (PRINT_ROWS | PRINT_CALLS))
		err = op_error_set(e, -EINVAL, "invalid stage for --verbose: only opreport has "
				   "rows and calls");
	o->print_warnings = print & PRINT_WARNINGS;
	o->print_files = print & PRINT_FILES;
	o->print_classes = print & PRINT_CLASSES;
	o->print_images = print & PRINT_IMAGES;
	o->print_symbols = print & PRINT_SYMBOLS;
	return err;
}

static int parse_values(struct annotate_options *o, struct op_error *e)
{
	int err = check_combinations(e);

	if (!err)
		err = parse_merge(&o->merge, e);
	if (!err)
		err = parse_verbose(o, e);
	if (!err)
		err = option_compat(raw.compat, &o->compat, e);
	if (!err)
		err = option_demangle(raw.demangle, o->compat, &o->demangle, e);
	if (!err)
		err = option_color(raw.color, raw.output_dir || o->compat, &o->color, e);
	if (!err)
		err = option_threshold(raw.threshold, &o->threshold, e);
	if (!err)
		err = disassemble_options_parse(raw.objdump_params, &o->disassembly, e);
	return err;
}

/* Split a list of folders, separated by commas or colons. */
static void split_dirs(char *text, struct spec_list *list)
{
	for (char *at = text; at && *at; at++)
		if (*at == ':')
			*at = ',';
	option_list_split(text, list);
}

static void take_values(struct annotate_options *o)
{
	o->source = raw.source;
	o->assembly = raw.assembly;
	o->spec.compat = o->compat;
	o->inlines = raw.inlines;
	o->merge_unnamed = raw.merge_unnamed;
	o->exclude_dependent = raw.exclude_dependent;
	o->session_dir = raw.session_dir;
	o->root = raw.root;
	o->output_dir = raw.output_dir;
	o->objdump_params = raw.objdump_params;
	option_list_split(raw.image_path, &o->image_path);
	option_list_split(raw.include, &o->include);
	option_list_split(raw.exclude, &o->exclude);
	split_dirs(raw.search_dirs, &o->search_dirs);
	split_dirs(raw.base_dirs, &o->base_dirs);
	option_list_split(raw.include_file, &o->include_files);
	option_list_split(raw.exclude_file, &o->exclude_files);
	raw.session_dir = raw.root = raw.output_dir = raw.objdump_params = NULL;
}

int annotate_options_parse(int argc, const char **argv, struct annotate_options *ret,
			   struct op_error *e)
{
	struct annotate_options o = { 0 };
	struct command_line line;
	int err = command_line_read(&annotate_option_set, argc, argv, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK) {
		err = parse_values(&o, e);
		if (!err)
			err = profile_spec_parse(line.args, line.nr_args, &o.spec, e);
		if (!err)
			take_values(&o);
		o.command_line = option_words_join("", argv, argc, " ");
	}
	command_line_end(&annotate_option_set, &line);
	if (err)
		annotate_options_free(&o);
	*ret = o;
	return err;
}

void annotate_options_free(struct annotate_options *o)
{
	free(o->session_dir);
	free(o->root);
	free(o->output_dir);
	free(o->objdump_params);
	free(o->command_line);
	disassemble_options_free(&o->disassembly);
	option_list_free(&o->image_path);
	option_list_free(&o->include);
	option_list_free(&o->exclude);
	option_list_free(&o->search_dirs);
	option_list_free(&o->base_dirs);
	option_list_free(&o->include_files);
	option_list_free(&o->exclude_files);
	profile_spec_free(&o->spec);
	*o = (struct annotate_options){ 0 };
}
