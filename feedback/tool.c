/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool.c - shared by the tools for profile feedback */
#include "feedback/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/add.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"
#include "pp/cli/terminal.h"

static void warn(void *context, const char *text)
{
	(void)context;
	report_warning("%s", text);
}

const struct format_warnings xprof_tool_warnings = { .warn = warn };
static const struct xprof_options options = { .warnings = &xprof_tool_warnings };

int xprof_tool_main(const struct option_set *set, int argc, const char **argv,
		    int (*run)(const struct command_line *line))
{
	struct command_line line;
	struct op_error e = { "" };
	int status = 0;

	if (command_line_read(set, argc, argv, &line, &e)) {
		report_error("%s", e.text);
		status = 1;
	} else if (line.asked != ASKED_WORK) {
		option_set_print(set, line.asked);
	} else {
		progress_begin();
		status = run(&line);
		progress_end();
	}
	command_line_end(set, &line);
	return finish_output(status);
}

int xprof_tool_parse_type(const char *word, enum xprof_type *ret, struct op_error *e)
{
	for (int i = 0; i < NR_XPROF_TYPES; i++)
		if (!strcmp(word ? word : "feedback", xprof_type_names[i])) {
			*ret = i;
			return 0;
		}
	return op_error_set(e, -EINVAL, "unknown type '%s': expected feedback, objfd, tcovd or "
			    "tcovsd", word);
}

int xprof_tool_find_type(const char *dir, enum xprof_type *ret, struct op_error *e)
{
	struct strbuf names = STRBUF_INIT;
	int nr = 0;

	*ret = XPROF_FEEDBACK;
	for (int i = 0; i < NR_XPROF_TYPES; i++) {
		char *path = path_join(dir, xprof_type_names[i]);

		if (file_exists(path)) {
			if (!nr)
				*ret = i;
			strbuf_addf(&names, "%s%s", nr++ ? ", " : "", xprof_type_names[i]);
		}
		free(path);
	}
	if (nr > 1 && *ret != XPROF_FEEDBACK)
		op_error_set(e, -ENOENT, "'%s' has no feedback, but %s; choose with -t TYPE", dir,
			     names.text);
	else
		nr = 0;
	strbuf_free(&names);
	return nr ? -ENOENT : 0;
}

int xprof_tool_parse_store(bool add, bool replace, enum xprof_store *ret, struct op_error *e)
{
	if (add && replace)
		return op_error_set(e, -EINVAL, "cannot use --add and --replace together");
	*ret = add ? XPROF_ADD : replace ? XPROF_REPLACE : XPROF_NEW;
	return 0;
}

int xprof_tool_store(const char *dir, const struct xprof *x, enum xprof_store how)
{
	struct op_error e = { "" };
	uint32_t nr_reset;

	if (xprof_dir_store(dir, x, how, &options, &nr_reset, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (nr_reset)
		report_note("discarded old counts of %u recompiled object file%s", nr_reset,
			    nr_reset == 1 ? "" : "s");
	return 0;
}

static int make_objfd(const struct xprof *x, const char *dir, const char *object,
		      struct xprof **ret, struct op_error *e)
{
	for (uint32_t i = 0; i < x->nr_objects; i++)
		if (!strcmp(xprof_text(x, x->objects[i].path), object)) {
			*ret = xprof_make_objfd(x, i);
			return 0;
		}
	return op_error_set(e, -ENOENT, "object file '%s' not found in '%s'", object, dir);
}

static int make(const struct xprof *x, const char *dir, enum xprof_type type, const char *object,
		struct xprof **ret, struct op_error *e)
{
	if (type == XPROF_OBJFD)
		return make_objfd(x, dir, object, ret, e);
	*ret = type == XPROF_TCOVD ? xprof_make_tcovd(x) : xprof_make_tcovsd(x);
	if (type == XPROF_TCOVSD && !(*ret)->nr_sources) {
		xprof_free(*ret);
		return op_error_set(e, -ENOENT, "no source lines in '%s'", dir);
	}
	return 0;
}

int xprof_tool_read(const char *dir, enum xprof_type type, const char *object,
		    struct xprof **ret, struct op_error *e)
{
	const struct xprof_options no_warnings = { 0 };
	struct op_error why = { "" };
	struct xprof *feedback;
	int err = xprof_dir_read(dir, type, &options, ret, e);

	if (err != -ENOENT || type == XPROF_FEEDBACK) {
		if (!err && type == XPROF_OBJFD && object &&
		    strcmp(xprof_text(*ret, (*ret)->objects[0].path), object)) {
			xprof_free(*ret);
			err = op_error_set(e, -ENOENT, "object file '%s' not found in '%s/objfd'",
					   object, dir);
		}
		return err;
	}
	if (xprof_dir_read(dir, XPROF_FEEDBACK, &options, &feedback, &why))
		return op_error_set(e, err, "'%s' has neither %s nor feedback to make it from: %s",
				    dir, xprof_type_names[type], why.text);
	err = make(feedback, dir, type, object, ret, e);
	xprof_free(feedback);
	/* without the objects some NAME:PATH may be ambiguous [XP-10] */
	if (!err && xprof_check(*ret, NULL, &no_warnings, &why)) {
		xprof_free(*ret);
		err = op_error_set(e, -EPROTO, "cannot make %s from '%s': %s",
				   xprof_type_names[type], dir, why.text);
	}
	return err;
}
