/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.c - a call per stage, and an explanation if the result is empty */
#include "pp/select/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/session.h"
#include "libdb/session/thread_sample.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

/* A running profiler has a lock file with its process ID in the session directory. */
static bool is_being_recorded(const struct report_session *session)
{
	char *dir = path_join(session->samples, "../.."), *path = session_lock_path(dir);
	char pid[16] = "";
	bool recording = !file_read_line(path, pid, sizeof(pid)) && *pid;

	free(dir);
	free(path);
	return recording;
}

static int nothing_matches(const struct collection *c, struct op_error *e)
{
	char *what = file_list_describe(&c->sessions);

	if (!*what)
		op_error_set(e, -ENOENT, "session '%s' has no samples%s; sessions: %s",
			     c->sessions.sessions[0].name,
			     is_being_recorded(&c->sessions.sessions[0])
			     ? " yet; let oprofiled write them with opcontrol --dump"
			     : ": the command may have ended before the first one was due",
			     c->sessions.existing);
	else
		op_error_set(e, -ENOENT, "no samples in session '%s' match; it has %.400s",
			     c->sessions.sessions[0].name, what);
	free(what);
	return -ENOENT;
}

static int open_finder(const struct collect_options *o, struct collection *c, struct op_error *e)
{
	const struct spec_list *list = o->image_path;
	const char **paths = xcalloc(list->nr + 1, sizeof(*paths));
	int err;

	for (size_t i = 0; i < list->nr; i++)
		paths[i] = list->items[i].text;
	err = finder_new(o->root, o->spec->archive, paths, list->nr, &c->finder, e);
	free(paths);
	return err;
}

/* In an archive the session directory is below its own path, or at the usual place [PS-11]. */
static char *dir_in_archive(const char *archive, const char *session_dir)
{
	char *absolute = path_absolute(session_dir), *dir = NULL;

	if (absolute) {
		dir = path_join(archive, absolute + strspn(absolute, "/"));
		free(absolute);
	}
	if (dir && file_is_dir(dir))
		return dir;
	free(dir);
	return path_join(archive, &SESSION_DIR_DEFAULT[1]);
}

static int open_sessions(const struct collect_options *o, struct collection *c,
			 struct notices *notices, struct op_error *e)
{
	const char *archive = o->spec->archive;
	char *dir = archive ? dir_in_archive(archive, o->session_dir) : xstrdup(o->session_dir);
	int err = sessions_open(dir, o->spec, !o->unscaled && !o->spec->compat, &c->sessions,
				notices, e);

	free(dir);
	return err;
}

static bool are_selected(const struct spec_list *numbers)
{
	return numbers->nr && !numbers->all;
}

/*
 * Samples of programs that sample themselves are always kept apart by thread, because that costs
 * them nothing. A column for each is for who asks for it [AR-6].
 */
static bool adds_up_threads(const struct collect_options *o, const struct session_list *sessions)
{
	if (o->separate_threads || are_selected(&o->spec->list[SPEC_TID]))
		return false;
	for (size_t i = 0; i < sessions->nr; i++)
		if (strcmp(sessions->sessions[i].info.collector, THREAD_SAMPLE_COLLECTOR) != 0)
			return false;
	return true;
}

int collect(const struct collect_options *o, struct collection *ret, struct notices *notices,
	    struct op_error *e)
{
	struct arrange_options how = { *o->merge, o->exclude_dependent, o->strict };
	struct collection *c = ret;
	int err;

	*c = (struct collection){ .files.want_arcs = o->want_arcs };
	c->root = o->spec->archive ? o->spec->archive : o->root ? o->root : "";
	err = open_finder(o, c, e);
	if (!err)
		err = open_sessions(o, c, notices, e);
	if (!err)
		err = file_list_collect(&c->sessions, o->spec,
					o->image_path->nr ? c->finder : NULL, &c->images, &c->files,
					notices, e);
	if (err)
		return err;
	if (o->print_files)
		file_list_print(&c->files, stderr);
	if (!c->files.nr)
		return nothing_matches(c, e);
	if (o->files_only)
		return 0;
	if (adds_up_threads(o, &c->sessions))
		how.merge.tid = how.merge.tgid = true;
	err = arrange_files(&c->files, &how, &c->arrangement, notices, e);
	if (!err && o->print_classes)
		arrangement_print(&c->arrangement, stderr);
	if (!err && !c->arrangement.nr_files)
		return op_error_set(e, -ENOENT, "no samples match");
	return err;
}

void collection_free(struct collection *c)
{
	arrangement_free(&c->arrangement);
	file_list_free(&c->files);
	image_set_free(&c->images);
	sessions_close(&c->sessions);
	finder_free(c->finder);
	*c = (struct collection){ 0 };
}
