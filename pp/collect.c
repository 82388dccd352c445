/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.c - a call per stage, and why nothing came out of them */
#include "collect.h"

#include <errno.h>
#include <stdlib.h>

#include "xalloc.h"

static int nothing_matches(const struct collection *c, struct op_error *e)
{
	char *what = file_list_what_exists(&c->sessions);

	if (!*what)
		op_error_set(e, -ENOENT, "session '%s' has no samples (opcontrol --dump writes out "
			     "what was collected); sessions are: %s", c->sessions.sessions[0].name,
			     c->sessions.existing);
	else
		op_error_set(e, -ENOENT, "nothing in session '%s' matches; it has %.400s",
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
	err = finder_new(o->root, paths, list->nr, &c->finder, e);
	free(paths);
	return err;
}

int collect(const struct collect_options *o, struct collection *ret, struct notices *notices,
	    struct op_error *e)
{
	struct collection *c = ret;
	int err;

	*c = (struct collection){ 0 };
	err = open_finder(o, c, e);
	if (!err)
		err = sessions_open(o->session_dir, o->spec, &c->sessions, notices, e);
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
	err = arrange_files(&c->files, o->merge, o->exclude_dependent, &c->arrangement, e);
	if (!err && o->print_classes)
		arrangement_print(&c->arrangement, stderr);
	if (!err && !c->arrangement.nr_files)
		return op_error_set(e, -ENOENT, "no samples in what was asked for");
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
