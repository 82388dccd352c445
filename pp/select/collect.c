/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.c - a call per stage, and an explanation if the result is empty */
#include "pp/select/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/session.h"
#include "libdb/session/thread_sample.h"
#include "libutil/file.h"
#include "libutil/number.h"
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

static bool are_selected(const struct spec_list *list)
{
	return list->nr && !list->all;
}

static bool are_tasks_selected(const struct profile_spec *spec)
{
	return are_selected(&spec->list[SPEC_PROCESS]) || are_selected(&spec->list[SPEC_COMM]);
}

static bool is_separated_by(const struct report_session *s, const char *what)
{
	return !s->has_info || strstr(s->info.separate, what);
}

/* Is @name the last part of a name that @wanted has, of a process that executes @app? */
static bool is_same_name(const struct session_process *p, size_t nr, const char *app,
			 const char *name, const struct spec_list *wanted)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(p[i].app, app) && profile_spec_has_name(wanted, p[i].started_as) &&
		    !strcmp(path_base(p[i].started_as), path_base(name)))
			return true;
	return false;
}

/* Another name that a process had whose samples are in the same file, or NULL. */
static const char *other_name(const struct profile_spec *spec, const struct sample_file *file)
{
	const struct spec_list *wanted = &spec->list[SPEC_PROCESS];
	const char *app = file->app->path;
	const struct session_process *p;
	size_t nr;

	if (profile_spec_has_name(wanted, app))
		return NULL;
	p = session_processes_find(&file->session->processes, SAMPLE_ALL, &nr);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(p[i].app, app) && *p[i].started_as &&
		    !is_same_name(p, nr, app, p[i].started_as, wanted))
			return p[i].started_as;
	return NULL;
}

/*
 * What process: and comm: cannot tell apart. Sample files of a session that adds processes up are
 * chosen by the application [PS-13].
 */
static void notice_added_up(const struct profile_spec *spec, const struct collection *c,
			    struct notices *notices)
{
	const struct file_list *list = &c->files;

	for (size_t i = 0; i < c->sessions.nr; i++) {
		const struct report_session *s = &c->sessions.sessions[i];
		bool lib = is_separated_by(s, "lib"), kernel = is_separated_by(s, "kernel");

		if (is_separated_by(s, "thread"))
			continue;
		if (!kernel)
			notice_add(notices, "session '%s' does not separate processes: their "
				   "samples in %sthe kernel are missing here; record with "
				   "--separate=kernel", s->name, lib ? "" : "libraries and ");
		if (are_selected(&spec->list[SPEC_COMM]))
			notice_add(notices, "session '%s' does not separate threads: all those of "
				   "a program with one of that name are included; record with "
				   "--separate=thread (operf: --separate-thread)", s->name);
	}
	for (size_t i = 0; i < list->nr && are_selected(&spec->list[SPEC_PROCESS]); i++) {
		const struct sample_file *file = &list->files[i];
		const char *other = file->name.tgid == SAMPLE_ALL ? other_name(spec, file) : NULL;

		if (!other)
			continue;
		notice_add(notices, "session '%s' does not separate processes: those of '%s' "
			   "started as '%s' are included; record with --separate=thread (operf: "
			   "--separate-thread)",
			   file->session->name, file->app->path, other);
		break;		/* one example */
	}
}

/* Is a process selected by its number although no session separates them? */
static bool needs_numbers(const struct profile_spec *spec, const struct session_list *sessions)
{
	const struct spec_list *list = &spec->list[SPEC_PROCESS];
	uint64_t number;
	bool found = false;

	for (size_t i = 0; i < list->nr; i++)
		found |= !number_parse_u64(list->items[i].text, &number);
	for (size_t i = 0; i < sessions->nr; i++)
		found &= !is_separated_by(&sessions->sessions[i], "thread");
	return found;
}

/* Does image: name a library, or code made at run time, as reports show it? */
static bool is_lib_image(const struct collection *c, const struct profile_spec *spec)
{
	struct profile_spec inner = *spec;
	struct image_set images = { 0 };
	struct notices ignored = { 0 };
	struct file_list all = { 0 };
	bool matches;

	inner.list[SPEC_LIB_IMAGE] = spec->list[SPEC_IMAGE];
	inner.list[SPEC_IMAGE] = (struct spec_list){ 0 };
	matches = !file_list_collect(&c->sessions, &inner, NULL, &images, &all, &ignored, NULL) &&
		  all.nr;
	file_list_free(&all);
	notices_free(&ignored);
	image_set_free(&images);
	return matches;
}

static int nothing_matches(const struct collection *c, const struct profile_spec *spec,
			   struct op_error *e)
{
	char *what = file_list_describe(&c->sessions, are_tasks_selected(spec));
	bool is_lib = spec->list[SPEC_IMAGE].nr && !spec->list[SPEC_LIB_IMAGE].nr &&
		      is_lib_image(c, spec);

	if (!*what)
		op_error_set(e, -ENOENT, "session '%s' has no samples%s; sessions: %s",
			     c->sessions.sessions[0].name,
			     is_being_recorded(&c->sessions.sessions[0])
			     ? " yet; let oprofiled write them with opcontrol --dump"
			     : !strcmp(c->sessions.sessions[0].info.collector, "import")
			     ? ": the imported profile has none"
			     : ": the command may have ended before the first one was due; "
			       "opdoctor shows what can be profiled here",
			     c->sessions.existing);
	else
		op_error_set(e, -ENOENT, "no samples in session '%s' match; it has %.400s%s",
			     c->sessions.sessions[0].name, what, is_lib
			     ? "; use lib-image: for libraries and code within these"
			     : needs_numbers(spec, &c->sessions)
			     ? "; to select processes by number, record with --separate=thread "
			       "(operf: --separate-thread)"
			     : "");
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
	err = finder_new(o->root, o->spec->compat, o->spec->archive, paths, list->nr,
			 &c->finder, e);
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
	struct arrange_options how = {
		.merge = *o->merge,
		.exclude_dependent = o->exclude_dependent,
		.strict = o->strict,
		.compat = o->spec->compat,
		.any_axes = o->any_axes,
	};
	struct collection *c = ret;
	int err;

	*c = (struct collection){
		.files.want_arcs = o->want_arcs,
		.images.compat = o->spec->compat,
	};
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
		return nothing_matches(c, o->spec, e);
	if (are_tasks_selected(o->spec))
		notice_added_up(o->spec, c, notices);
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
