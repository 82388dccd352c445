/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xprof_gcov.c - make a profile folder from the files of gcc --coverage */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "feedback/gcov/list.h"
#include "feedback/gcov/xprof.h"
#include "feedback/tool.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"

#define FILE_LIMIT	((size_t)1 << 30)

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

static int read_notes(const char *path, struct gcov_notes *ret, struct op_error *e)
{
	struct op_error why = { "" };
	char *bytes;
	size_t size;
	int err = file_read_all(path, FILE_LIMIT, &bytes, &size);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = gcov_notes_read(bytes, size, ret, &why);
	return err ? op_error_set(e, err, "%s: %s", path, why.text) : 0;
}

/* An object that never ran has no data. Stale data is ignored with a warning [XP-34]. */
static int read_data(const char *notes_path, struct gcov_notes *n, struct op_error *e)
{
	char *path = gcov_list_beside(notes_path, ".gcda"), *bytes;
	struct op_error why = { "" };
	size_t size;
	int err = file_read_all(path, FILE_LIMIT, &bytes, &size);

	if (err == -ENOENT) {
		free(path);
		return 0;
	}
	if (err) {
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	} else {
		err = gcov_data_read(bytes, size, n, &why);
		free(bytes);
		if (err == -ESTALE) {
			report_warning("ignored '%s': %s", path, why.text);
			err = 0;
		} else if (err) {
			op_error_set(e, err, "%s: %s", path, why.text);
		}
	}
	free(path);
	return err;
}

static int add_file(struct xprof *x, const char *path, struct op_error *e)
{
	char *object = gcov_list_beside(path, ".o");
	struct op_error why = { "" };
	struct gcov_notes notes = { 0 };
	struct stat st = { 0 };
	int err = read_notes(path, &notes, e);

	if (!err)
		err = read_data(path, &notes, e);
	if (!err && stat(path, &st))
		err = op_error_set(e, -errno, "cannot read '%s': %s", path, strerror(errno));
	if (!err && gcov_add_object(x, &notes, object, st.st_mtim.tv_sec,
				    st.st_mtim.tv_nsec / 1000, &why))
		err = op_error_set(e, -EPROTO, "cannot convert '%s': %s", path, why.text);
	gcov_notes_free(&notes);
	free(object);
	return err;
}

static int add_program(struct xprof *x, const char *name, struct op_error *e)
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
	free(path);
	return 0;
}

static int make(const struct gcov_list *list, struct xprof *x, struct op_error *e)
{
	int err = 0;

	for (size_t i = 0; i < list->nr && !err; i++)
		err = add_file(x, list->paths[i], e);
	if (!err && raw.program)
		err = add_program(x, raw.program, e);
	if (!err)
		xprof_set_sums(x);
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
