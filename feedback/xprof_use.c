// SPDX-License-Identifier: GPL-2.0-or-later
/* xprof_use.c - write the files that compilers read from a profile folder */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/gcov/set.h"
#include "feedback/gcov/write.h"
#include "feedback/llvm/profile.h"
#include "feedback/tool.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"

static struct raw {
	int replace;
	char *profile, *llvm, *sample;
} raw;

static const struct poptOption table[] = {
	{ "profile", 'x', POPT_ARG_STRING, &raw.profile, 0, "the profile folder", "dir" },
	{ "llvm", 'l', POPT_ARG_STRING, &raw.llvm, 0,
	  "write the text of LLVM's profiles, for llvm-profdata merge", "file" },
	{ "llvm-sample", 's', POPT_ARG_STRING, &raw.sample, 0,
	  "write LLVM's sample profile, for clang -fprofile-sample-use", "file" },
	{ "replace", 'r', POPT_ARG_NONE, &raw.replace, 0, "replace existing data", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set set = {
	"xprof_use", table,
	"-x DIR [OPTION...] {DIR|FILE.gcno|FILE.o... | --llvm=FILE | --llvm-sample=FILE}"
};

static bool is_llvm(void)
{
	return raw.llvm || raw.sample;
}

static int write_file(const char *path, const struct strbuf *bytes, struct op_error *e)
{
	int err;

	if (!raw.replace && file_exists(path))
		return op_error_set(e, -EEXIST, "'%s' exists; use --replace", path);
	err = file_write_atomic(path, bytes->text, bytes->len, 0666);
	return err ? op_error_set(e, err, "cannot write '%s': %s", path, strerror(-err)) : 0;
}

/* *ret_written: the profile has the object, and its data is in the file beside the notes. */
static int write_object(const struct gcov_writer *w, const struct xprof_index *index,
			const struct gcov_object *o, bool *ret_written, struct op_error *e)
{
	uint32_t object = xprof_index_path(index, o->path, strlen(o->path)), nr_stale;
	struct strbuf bytes = STRBUF_INIT;
	struct op_error why = { "" };
	char *path;
	int err;

	*ret_written = object != UINT32_MAX;
	if (object == UINT32_MAX) {
		report_warning("the profile has no object file '%s'", o->path);
		return 0;
	}
	path = gcov_list_beside(o->notes_path, ".gcda");
	err = gcov_write_data(w, object, &o->notes, &nr_stale, &bytes, &why);
	if (err)
		op_error_set(e, err, "cannot write '%s': %s", path, why.text);
	else
		err = write_file(path, &bytes, e);
	if (!err && nr_stale)
		report_warning("%s: left out %u procedures of another compilation", path, nr_stale);
	strbuf_free(&bytes);
	free(path);
	return err;
}

static int write_all(const struct xprof *x, const struct gcov_set *files, struct op_error *e)
{
	struct gcov_writer writer;
	struct xprof_index index;
	bool written, any = false;
	int err = 0;

	gcov_writer_init(&writer, x, &files->idents);
	xprof_index_make(x, &index);
	for (size_t i = 0; i < files->nr && !err; i++) {
		err = write_object(&writer, &index, &files->objects[i], &written, e);
		any |= written;
	}
	xprof_index_free(&index);
	if (!err && !any)
		err = op_error_set(e, -ENOENT, "'%s' has none of these object files", raw.profile);
	return err;
}

/* Write one of LLVM's texts to the file @path. */
static int write_llvm(const struct xprof *x, const char *path,
		      int (*writer)(const struct xprof *x, FILE *out, struct op_error *e),
		      struct op_error *e)
{
	struct strbuf bytes = STRBUF_INIT;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return op_error_set(e, -errno, "%s", strerror(errno));
	err = writer(x, out, e);
	if (fclose(out) && !err)
		err = op_error_set(e, -ENOMEM, "%s", strerror(ENOMEM));
	if (!err) {
		strbuf_add_bytes(&bytes, text, size);
		err = write_file(path, &bytes, e);
	}
	strbuf_free(&bytes);
	free(text);
	return err;
}

static int write_sample(const struct xprof *x, FILE *out, struct op_error *e)
{
	uint32_t nr;
	int err = llvm_sample_write(x, out, &nr, e);

	if (!err && nr)
		report_warning("%s: left out %u procedures with blanks or colons in their names",
			       raw.sample, nr);
	return err;
}

static int list_notes(const struct command_line *line, struct gcov_list *list, struct op_error *e)
{
	int err = 0;

	if (!raw.profile)
		return op_error_set(e, -EINVAL, "no profile folder given; use -x DIR");
	if (is_llvm() && line->nr_args)
		return op_error_set(e, -EINVAL, "cannot use --llvm%s with files of gcc",
				    raw.llvm ? "" : "-sample");
	if (!is_llvm() && !line->nr_args)
		return op_error_set(e, -EINVAL, "no folder or .gcno file given");
	for (size_t i = 0; i < line->nr_args && !err; i++)
		err = gcov_list_add(list, line->args[i], e);
	gcov_list_finish(list);
	return err;
}

static int run(const struct command_line *line)
{
	struct gcov_list list = { 0 };
	struct gcov_set files = { 0 };
	struct op_error e = { "" };
	struct xprof *x = NULL;
	int err = list_notes(line, &list, &e);

	if (!err)
		err = xprof_tool_read(raw.profile, XPROF_FEEDBACK, NULL, &x, &e);
	if (!err && raw.llvm)
		err = write_llvm(x, raw.llvm, llvm_profile_write, &e);
	if (!err && raw.sample)
		err = write_llvm(x, raw.sample, write_sample, &e);
	if (!err && !is_llvm())
		err = gcov_set_read(&list, false, &xprof_tool_warnings, &files, &e);
	if (!err && !is_llvm())
		err = write_all(x, &files, &e);
	if (err)
		report_error("%s", e.text);
	gcov_set_free(&files);
	gcov_list_free(&list);
	if (x)
		xprof_free(x);
	return err ? 1 : 0;
}

int main(int argc, const char **argv)
{
	return xprof_tool_main(&set, argc, argv, run);
}
