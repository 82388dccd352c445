/* SPDX-License-Identifier: GPL-2.0-or-later */
/* optcov.c - print annotated source from a profile folder, in tcov's layout */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feedback/gcov/tcov_listing.h"
#include "feedback/tool.h"
#include "feedback/xprof/flow.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"

static struct raw {
	int all;
	char *top, *output, *path, *profile;
} raw;

static const struct poptOption table[] = {
	{ "profile", 'x', POPT_ARG_STRING, &raw.profile, 0, "the profile folder", "dir" },
	{ "all", 'a', POPT_ARG_NONE, &raw.all, 0,
	  "show counts on all lines with code, not only where blocks begin", NULL },
	{ "top", 'n', POPT_ARG_STRING, &raw.top, 0,
	  "lines in the table of most executed lines (default 10)", "number" },
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "write everything to one file, - is stdout (default SOURCE.tcov)", "file" },
	{ "path", 'p', POPT_ARG_STRING, &raw.path, 0,
	  "read sources below OLD from NEW; also -p OLD NEW", "old=new" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = { "optcov", table, "-x DIR [OPTION...] [SOURCE...]" };

struct work {
	const struct xprof *x;
	uint64_t *counts;
	struct tcov_options options;
	const char *old, *new;
	FILE *out;		/* NULL: write a file for each source */
	int status;
};

/* The current path of the source @path; malloc'd. */
static char *find_source(const struct work *w, const char *path)
{
	size_t n = w->old ? strlen(w->old) : 0;

	if (!w->old || strncmp(path, w->old, n) || (path[n] && path[n] != '/' && n &&
						   w->old[n - 1] != '/'))
		return xstrdup(path);
	return xasprintf("%s%s", w->new, path + n);
}

static void print_source(struct work *w, uint32_t file, const char *path)
{
	char *name = xasprintf("%s.tcov", path_base(path));
	struct op_error e = { "" };
	FILE *out = w->out ? w->out : fopen(name, "w");
	int err;

	if (!out) {
		report_error("cannot write '%s': %s", name, strerror(errno));
		w->status = 1;
		free(name);
		return;
	}
	err = tcov_listing_print(w->x, w->counts, file, path, &w->options, out, &e);
	if (err)
		report_error("%s", e.text);
	if (!w->out && (ferror(out) | fclose(out))) {
		report_error("cannot write '%s'", name);
		err = -EIO;
	}
	if (err) {
		w->status = 1;
		if (!w->out)
			unlink(name);
	}
	free(name);
}

/* Does @arg name the source @path, which is at @place now, by its path or base name? */
static bool is_named_by(const char *arg, const char *path, const char *place)
{
	char *absolute;
	bool is_same;

	if (!strcmp(arg, path))
		return true;
	if (!strchr(arg, '/'))
		return !strcmp(arg, path_base(path));
	absolute = path_absolute(arg);
	is_same = absolute && !strcmp(absolute, place);
	free(absolute);
	return is_same;
}

static bool is_selected(const struct command_line *line, bool *found, const char *path,
			const char *place)
{
	bool is_named = false;

	for (size_t i = 0; i < line->nr_args; i++)
		if (is_named_by(line->args[i], path, place))
			is_named = found[i] = true;
	return is_named || !line->nr_args;
}

static int compare_paths(const void *a, const void *b, void *x)
{
	return strcmp(xprof_text(x, *(const uint32_t *)a), xprof_text(x, *(const uint32_t *)b));
}

/* All sources of the profile, sorted by path, without duplicates; malloc'd. */
static uint32_t *list_sources(const struct xprof *x, size_t *ret_nr)
{
	uint32_t *files = xcalloc((size_t)x->nr_tuples + x->nr_sources + 1, sizeof(*files));
	size_t nr = 0, kept = 0;

	for (uint32_t i = 0; i < x->nr_tuples; i++)
		if (!nr || files[nr - 1] != x->tuples[i].file)
			files[nr++] = x->tuples[i].file;
	for (uint32_t i = 0; i < x->nr_sources; i++)
		files[nr++] = x->sources[i].path;
	qsort_r(files, nr, sizeof(*files), compare_paths, (void *)x);
	for (size_t i = 0; i < nr; i++)
		if (!kept || files[kept - 1] != files[i])
			files[kept++] = files[i];
	*ret_nr = kept;
	return files;
}

static void print_all(struct work *w, const struct command_line *line)
{
	bool *found = xcalloc(line->nr_args + 1, sizeof(*found));
	size_t nr;
	uint32_t *files = list_sources(w->x, &nr);

	for (size_t i = 0; i < nr; i++) {
		const char *path = xprof_text(w->x, files[i]);
		char *place = find_source(w, path);

		if (is_selected(line, found, path, place))
			print_source(w, files[i], place);
		free(place);
	}
	for (size_t i = 0; i < line->nr_args; i++) {
		if (found[i])
			continue;
		report_error("source '%s' not found in the profile", line->args[i]);
		w->status = 1;
	}
	free(files);
	free(found);
}

static int parse(struct work *w, struct op_error *e)
{
	uint64_t top = 10;
	char *equals = raw.path ? strchr(raw.path, '=') : NULL;

	if (!raw.profile)
		return op_error_set(e, -EINVAL, "no profile folder given; use -x DIR");
	if (raw.top && number_parse_range(raw.top, 0, UINT32_MAX, &top))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --top: expected 0 to %u",
				    raw.top, UINT32_MAX);
	if (raw.path && (!equals || equals == raw.path))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --path: expected OLD=NEW",
				    raw.path);
	if (equals) {
		*equals = '\0';
		w->old = raw.path;
		w->new = equals + 1;
	}
	w->options = (struct tcov_options){ .all = raw.all, .top = top };
	return 0;
}

/* Feedback without sources, as of LLVM, may have coverage beside it. */
static struct xprof *read_profile(struct op_error *e)
{
	struct op_error why = { "" };
	struct xprof *x = NULL, *sources;

	if (!xprof_tool_read(raw.profile, XPROF_FEEDBACK, NULL, &x, e) &&
	    (x->nr_tuples || x->nr_sources))
		return x;
	if (xprof_tool_read(raw.profile, XPROF_TCOVSD, NULL, &sources, &why))
		return x;
	xprof_free(x);
	return sources;
}

static int run(const struct command_line *line)
{
	struct work w = { 0 };
	struct op_error e = { "" };
	struct xprof *x = parse(&w, &e) ? NULL : read_profile(&e);
	bool to_stdout = raw.output && !strcmp(raw.output, "-");

	if (x && raw.output && !to_stdout && !(w.out = fopen(raw.output, "w"))) {
		op_error_set(&e, -errno, "cannot write '%s': %s", raw.output, strerror(errno));
		xprof_free(x);
		x = NULL;
	}
	if (!x) {
		report_error("%s", e.text);
		return 1;
	}
	w.x = x;
	w.out = to_stdout ? stdout : w.out;
	w.counts = xprof_block_counts(x);
	print_all(&w, line);
	if (w.out && !to_stdout && (ferror(w.out) | fclose(w.out))) {
		report_error("cannot write '%s'", raw.output);
		w.status = 1;
	}
	free(w.counts);
	xprof_free(x);
	return w.status;
}

/* Turn "-p OLD NEW" into "-p OLD=NEW", which popt can parse. The caller frees *ret. */
static int join_paths(int argc, const char **argv, char **ret)
{
	for (int i = 1; i + 2 < argc; i++) {
		if (strcmp(argv[i], "-p") || strchr(argv[i + 1], '='))
			continue;
		*ret = xasprintf("%s=%s", argv[i + 1], argv[i + 2]);
		argv[i + 1] = *ret;
		memmove(&argv[i + 2], &argv[i + 3], (argc - i - 2) * sizeof(*argv));
		return argc - 1;
	}
	return argc;
}

int main(int argc, const char **argv)
{
	char *paths = NULL;
	int status;

	argc = join_paths(argc, argv, &paths);
	status = xprof_tool_main(&set, argc, argv, run);
	free(paths);
	return status;
}
