/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof_gcov.c - make a profile folder from the files of gcc --coverage */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/gcov/comdat.h"
#include "feedback/gcov/set.h"
#include "feedback/gcov/xprof.h"
#include "feedback/tool.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"

static struct raw {
	int add, replace;
	char *output, *program;
} raw;

static const struct poptOption table[] = {
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "the profile folder (default gcov.profile)", "dir" },
	{ "add", 'a', POPT_ARG_NONE, &raw.add, 0,
	  "add to the existing profile, if the data is from other runs", NULL },
	{ "replace", 'r', POPT_ARG_NONE, &raw.replace, 0, "replace the existing profile", NULL },
	{ "program", 'p', POPT_ARG_STRING, &raw.program, 0,
	  "the program that the objects are linked into", "file" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = {
	"xprof_gcov", table, "[OPTION...] DIR|FILE.gcno|FILE.gcda|FILE.o..."
};

static int add_object(struct xprof *x, const struct gcov_set *files, const struct gcov_object *o,
		      struct op_error *e)
{
	struct op_error why = { "" };

	if (gcov_add_object(x, &o->notes, o->path, o->sec, o->usec, &files->idents, &why))
		return op_error_set(e, -EPROTO, "cannot convert '%s': %s", o->notes_path, why.text);
	return 0;
}

/* Of an object without data it is not known which instances the program has. */
static void add_comdats(struct xprof *x, const struct gcov_set *files)
{
	struct gcov_comdats comdats = { 0 };
	size_t nr_missing = 0;

	for (size_t i = 0; i < files->nr; i++)
		if (files->objects[i].notes.has_data)
			nr_missing += !gcov_find_comdats(x, (uint32_t)i, &comdats);
	gcov_add_comdats(x, &comdats);
	if (nr_missing)
		report_warning("cannot read %zu object file%s: its COMDAT procedures are unknown",
			       nr_missing, nr_missing == 1 ? "" : "s");
}

static int add_program(struct xprof *x, const struct gcov_set *files, const char *name,
		       struct op_error *e)
{
	char *path = path_absolute(name);
	struct xprof_program *p;

	if (!path || !file_exists(path)) {
		free(path);
		return op_error_set(e, -ENOENT, "program '%s' not found", name);
	}
	p = xprof_begin_program(x);
	p->path = xprof_intern(x, path);
	p->has = XPROF_HAS_MAX | XPROF_HAS_SUM;
	for (uint32_t i = 0; i < x->nr_objects; i++)
		xprof_add_refs(x)->object = i;
	p->nr_refs = x->nr_objects;
	add_comdats(x, files);
	free(path);
	return 0;
}

static int make(const struct gcov_list *list, struct xprof *x, struct op_error *e)
{
	struct gcov_set files;
	int err = gcov_set_read(list, true, &xprof_tool_warnings, &files, e);

	for (size_t i = 0; i < files.nr && !err; i++)
		err = add_object(x, &files, &files.objects[i], e);
	if (!err && raw.program)
		err = add_program(x, &files, raw.program, e);
	if (!err)
		xprof_set_sums(x);
	gcov_set_free(&files);
	return err;
}

static int run(const struct command_line *line)
{
	struct xprof *x = xprof_new(XPROF_FEEDBACK);
	struct gcov_list list = { 0 };
	struct op_error e = { "" };
	enum xprof_store how;
	int status, err = xprof_tool_parse_store(raw.add, raw.replace, &how, &e);

	if (!err && !line->nr_args)
		err = op_error_set(&e, -EINVAL, "no folder or .gcno file given");
	for (size_t i = 0; i < line->nr_args && !err; i++)
		err = gcov_list_add(&list, line->args[i], &e);
	gcov_list_finish(&list);
	if (!err)
		err = make(&list, x, &e);
	if (err)
		report_error("%s", e.text);
	status = err ? 1 : xprof_tool_store(raw.output ? raw.output : "gcov.profile", x, how);
	gcov_list_free(&list);
	xprof_free(x);
	return status;
}

int main(int argc, const char **argv)
{
	return xprof_tool_main(&set, argc, argv, run);
}
