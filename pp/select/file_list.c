/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_list.c - walk the sessions' folders and select sample files
 *
 * The folder of samples belongs to root but may be copied from anywhere: only regular files are
 * read, and links are not followed, so that a walk always ends.
 */
#include "pp/select/file_list.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/session/sample_file.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/print_line.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/select/history.h"

struct walk {
	const struct report_session *session;
	const struct profile_spec *spec;	/* NULL: everything */
	struct finder *finder;
	struct image_set *images;
	struct file_list *list;
	struct notices *notices;
	const struct session_part *part;	/* or NULL: the session's main folder */
	size_t prefix;			/* bytes of the path before the name proper */
	size_t nr_invalid;
	char *first_invalid;
	struct op_error *e;
};

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* The first by name, because the order in folders is arbitrary. */
static void note_invalid(struct walk *w, const char *path, const char *why)
{
	char *text = xasprintf("'%s': %s", path, why);

	if (!w->nr_invalid++ || strcmp(text, w->first_invalid) < 0) {
		free(w->first_invalid);
		w->first_invalid = text;
	} else {
		free(text);
	}
}

static bool is_wanted(struct walk *w, const struct sample_file *file)
{
	struct spec_image app, image;

	if (!w->spec)
		return true;
	image_spec_names(file->app, &app);
	image_spec_names(file->image, &image);
	return profile_spec_matches(w->spec, &file->name, file->cgroup, &app, &image,
				    &w->session->processes);
}

static struct report_image *get_image(struct walk *w, const struct image_name *name,
				      const char *apart_build)
{
	struct report_image *image = image_set_get(w->images, name, apart_build, w->session);

	if (w->finder)
		find_image(w->finder, image, w->notices);
	return image;
}

/*
 * The folder with the sample files of a process's anonymous memory, or NULL. These are separated
 * by control group alone, so it differs from the folder of a part with a build (which has calls
 * from that build into code made at run time).
 */
static char *anon_files_folder(const struct walk *w)
{
	const struct session_parts *parts = &w->session->parts;
	char *stats, *folder = NULL;

	if (!w->part || !*w->part->cgroup)
		return xstrdup(w->session->samples);
	stats = path_join(w->session->samples, "stats");
	for (size_t i = 0; i < parts->nr && !folder; i++)
		if (!*parts->parts[i].build_id &&
		    !strcmp(parts->parts[i].cgroup, w->part->cgroup))
			folder = session_part_path(stats, i);
	free(stats);
	return folder;
}

/* The object @below @folder, which is freed, or NULL. */
static struct report_image *object_in(struct walk *w, char *folder, const char *below,
				      const struct image_name *of, const struct image_name *name)
{
	const char *app = w->spec && w->spec->compat ? NULL : of->path;
	char *object = folder ? path_join(folder, below) : NULL;
	struct report_image *image = NULL;

	if (object)
		image = image_set_get_jit(w->images, object, app, name->anon_tgid, w->session);
	free(object);
	free(folder);
	return image;
}

/*
 * Code made at run time: if its object TGID.jo is beside the folders of a process's ranges, all
 * these are that one image [FL-5]. Else NULL. @path is the sample file's, @of its application. Of
 * the segments of a history the last one that has it.
 */
static struct report_image *jit_image(struct walk *w, const char *path,
				      const struct image_name *of, const struct image_name *name)
{
	const struct session_history *history = w->session->history;
	const char *app = path + w->prefix, *end = strstr(app, "/{dep}/");
	struct report_image *image = NULL;
	char *below;

	if (!end)
		return NULL;
	below = xasprintf("%.*s/{dep}/{anon:%s}/%" PRIu32 ".jo", (int)(end - app), app, name->path,
			  name->anon_tgid);
	if (!history)
		image = object_in(w, anon_files_folder(w), below, of, name);
	for (size_t i = history ? history->nr : 0; i-- > 0 && !image;)
		image = object_in(w, history_segment_folder(history, i), below, of, name);
	free(below);
	return image;
}

/* Anonymous memory with symbols, or NULL; in compatibility mode not as an end of a call. */
static struct report_image *known_anon(struct walk *w, const char *path,
				       const struct sample_name *file,
				       const struct image_name *name)
{
	bool compat = w->spec && w->spec->compat;
	struct report_image *image = NULL;

	if (name->kind != IMAGE_ANON || (compat && file->has_callee))
		return NULL;
	if (!compat)
		image = image_set_get_vdso(w->images, name, w->session);
	return image ? image : jit_image(w, path, &file->app, name);
}

/* Not only of selected files: stacks that are selected may go through any mapping. */
static void add_mapping(struct walk *w, const char *path, const struct sample_name *file)
{
	struct report_image *image;
	struct anon_mapping *m;

	if (file->image.kind != IMAGE_ANON || (w->spec && w->spec->compat))
		return;
	m = anon_mappings_get(&w->list->mappings, w->session, &file->image, &file->app);
	image = m->image ? NULL : jit_image(w, path, &file->app, &file->image);
	if (image)
		anon_mapping_set_image(&w->list->mappings, m, image);
}

/* An object of a process without sample files there: it called others all the time. */
static void add_object(struct walk *w, const char *path)
{
	char *name = xasprintf("%s/x.0.0.all.all.all", path + w->prefix);
	struct sample_name of = { .storage = NULL };
	struct report_image *image = NULL;

	if (!sample_name_parse(name, &of, NULL) && of.image.kind == IMAGE_JIT)
		image = image_set_get_jit(w->images, path, of.app.path, of.image.anon_tgid,
					  w->session);
	if (image) {
		of.image.kind = IMAGE_ANON;
		anon_mapping_set_image(&w->list->mappings,
				       anon_mappings_get(&w->list->mappings, w->session,
							 &of.image, &of.app), image);
	}
	sample_name_free(&of);
	free(name);
}

static void keep_file(struct file_list *list, const struct sample_file *file)
{
	if (file->callee) {
		xgrow(list->arcs, list->nr_arcs, list->arcs_room);
		list->arcs[list->nr_arcs++] = *file;
	} else {
		xgrow(list->files, list->nr, list->room);
		list->files[list->nr++] = *file;
	}
}

/* The build of a part is that of the images its samples are in; other images have one build. */
static void get_images(struct walk *w, const char *path, struct sample_file *file)
{
	const struct sample_name *name = &file->name;
	const char *build = w->part && *w->part->build_id && name->image.kind == IMAGE_FILE
			    ? w->part->build_id : NULL;
	bool own = build && name->app.kind == IMAGE_FILE &&
		   !strcmp(name->app.path, name->image.path);

	file->app = get_image(w, &name->app, own ? build : NULL);
	file->image = known_anon(w, path, name, &name->image);
	if (!file->image)
		file->image = get_image(w, &name->image, build);
	if (!name->has_callee)
		return;
	file->callee = known_anon(w, path, name, &name->callee);
	if (!file->callee) {
		own = build && name->callee.kind == IMAGE_FILE &&
		      !strcmp(name->callee.path, name->image.path);
		file->callee = get_image(w, &name->callee, own ? build : NULL);
	}
}

static bool has_derived_arcs(const struct report_session *session)
{
	return session->has_info && !strcmp(session->info.call_arcs, SESSION_ARCS_OF_STACKS);
}

/* Its name is set; takes over that name's storage. */
static void select_file(struct walk *w, const char *path, struct sample_file *file)
{
	get_images(w, path, file);
	if (!is_wanted(w, file)) {
		sample_name_free(&file->name);
		return;
	}
	file->path = xstrdup(path);
	keep_file(w->list, file);
}

static void visit_file(struct walk *w, const char *path)
{
	struct sample_file file = {
		.session = w->session, .cgroup = w->part ? w->part->cgroup : "",
	};
	struct op_error e = { "" };
	int err;

	if (ends_with(path, ".jo")) {
		if (!w->spec || !w->spec->compat)
			add_object(w, path);
		return;
	}
	err = sample_name_parse(path + w->prefix, &file.name, &e);
	if (err) {
		note_invalid(w, path, e.text);
		return;
	}
	add_mapping(w, path, &file.name);
	if (file.name.has_callee && (!w->list->want_arcs || has_derived_arcs(w->session))) {
		sample_name_free(&file.name);
		return;
	}
	select_file(w, path, &file);
}

static int entry_type(const char *path, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	if (lstat(path, &st) < 0)
		return DT_UNKNOWN;
	return S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
}

static int visit_folder(struct walk *w, struct strbuf *path, bool is_top)
{
	size_t len = path->len;
	struct dirent *entry;
	DIR *dir = opendir(path->text);
	int err = 0;

	if (!dir)
		return op_error_set(w->e, -errno, "cannot open '%s': %s", path->text,
				    strerror(errno));
	while (!err && (entry = readdir(dir)) != NULL) {
		int type;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (is_top && !strcmp(entry->d_name, "stats"))
			continue;
		strbuf_addf(path, "/%s", entry->d_name);
		type = entry_type(path->text, entry);
		if (type == DT_DIR)
			err = visit_folder(w, path, false);
		else if (type == DT_REG)
			visit_file(w, path->text);
		strbuf_truncate(path, len);
	}
	closedir(dir);
	return err;
}

static int compare_files(const void *a, const void *b)
{
	const struct sample_file *x = a, *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* The folder of a part is missing until it has a sample file. */
static int walk_part(struct walk *w, const char *stats, size_t number)
{
	char *folder = session_part_path(stats, number);
	struct strbuf path = STRBUF_INIT;
	int err = 0;

	strbuf_add(&path, folder);
	w->part = &w->session->parts.parts[number];
	w->prefix = path.len + 1;
	if (file_is_dir(folder))
		err = visit_folder(w, &path, true);
	strbuf_free(&path);
	free(folder);
	return err;
}

/* The folder that the call-graph file would lie in, malloc'd. */
static char *derived_folder(const struct walk *w, const struct session_part *part)
{
	const struct session_parts *parts = &w->session->parts;
	char *stats = path_join(w->session->samples, "stats"), *folder;
	size_t i = 0;

	while (i < parts->nr && (strcmp(parts->parts[i].build_id, part->build_id) ||
				 strcmp(parts->parts[i].cgroup, part->cgroup)))
		i++;
	folder = *part->build_id || *part->cgroup ? session_part_path(stats, i)
						  : xstrdup(w->session->samples);
	free(stats);
	return folder;
}

static void visit_derived(struct walk *w, const struct stack_arc_file *derived)
{
	const struct session_part part = { (char *)derived->build_id, (char *)derived->cgroup };
	char *folder = derived_folder(w, &part);
	struct sample_file file = {
		.session = w->session, .cgroup = part.cgroup, .name = derived->name,
		.derived = derived,
	};
	struct strbuf path = STRBUF_INIT;

	w->part = *part.build_id || *part.cgroup ? &part : NULL;
	w->prefix = strlen(folder) + 1;
	if (!sample_file_path(folder, &derived->name, &path)) {
		add_mapping(w, path.text, &file.name);
		select_file(w, path.text, &file);
	}
	w->part = NULL;
	strbuf_free(&path);
	free(folder);
}

int sample_file_read_header(const struct sample_file *file, struct sample_header *ret,
			    struct op_error *e)
{
	if (!file->derived)
		return sample_header_read(file->path, ret, NULL, e);
	*ret = file->derived->header;
	return 0;
}

static void visit_stacks(struct walk *w)
{
	struct file_list *list = w->list;
	struct op_error why = { "" };
	struct stack_arcs arcs;
	int err = stack_arcs_read(w->session, &arcs, &why);

	if (err) {
		if (err != -ENOENT && err != -ENODATA)
			notice_add(w->notices, "ignored the calls of session '%s': %s",
				   w->session->name, why.text);
		return;
	}
	for (size_t i = 0; i < arcs.nr; i++)
		visit_derived(w, &arcs.files[i]);
	xgrow(list->derived, list->nr_derived, list->derived_room);
	list->derived[list->nr_derived++] = arcs;
}

static int walk_session(struct walk *w)
{
	const struct session_history *history = w->session->history;
	char *stats = path_join(w->session->samples, "stats");
	struct strbuf path = STRBUF_INIT;
	int err;

	strbuf_add(&path, w->session->samples);
	w->prefix = path.len + 1;
	err = history ? 0 : visit_folder(w, &path, true);
	for (size_t i = 0; history && i < history->nr_files; i++)
		visit_derived(w, &history->files[i]);
	for (size_t i = 0; i < w->session->parts.nr && !err; i++)
		err = walk_part(w, stats, i);
	w->part = NULL;
	if (!err && w->list->want_arcs && has_derived_arcs(w->session))
		visit_stacks(w);
	free(stats);
	strbuf_free(&path);
	if (w->nr_invalid)
		notice_add(w->notices, "session '%s': ignored %zu file%s, first %s",
			   w->session->name, w->nr_invalid, w->nr_invalid == 1 ? "" : "s",
			   w->first_invalid);
	free(w->first_invalid);
	return err;
}

int file_list_collect(const struct session_list *sessions, const struct profile_spec *spec,
		      struct finder *finder, struct image_set *images, struct file_list *ret,
		      struct notices *notices, struct op_error *e)
{
	struct file_list list = { .want_arcs = ret->want_arcs };
	int err = 0;

	for (size_t i = 0; i < sessions->nr && !err; i++) {
		struct walk w = {
			.session = &sessions->sessions[i], .spec = spec, .finder = finder,
			.images = images, .list = &list, .notices = notices, .e = e,
		};

		err = walk_session(&w);
	}
	if (err) {
		file_list_free(&list);
		return err;
	}
	if (list.nr)
		qsort(list.files, list.nr, sizeof(*list.files), compare_files);
	if (list.nr_arcs)
		qsort(list.arcs, list.nr_arcs, sizeof(*list.arcs), compare_files);
	*ret = list;
	return 0;
}

static void free_files(struct sample_file *files, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(files[i].path);
		sample_name_free(&files[i].name);
	}
	free(files);
}

void file_list_free(struct file_list *list)
{
	free_files(list->files, list->nr);
	free_files(list->arcs, list->nr_arcs);
	for (size_t i = 0; i < list->nr_derived; i++)
		stack_arcs_free(&list->derived[i]);
	free(list->derived);
	anon_mappings_free(&list->mappings);
	*list = (struct file_list){ 0 };
}

void file_list_print(const struct file_list *list, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		strbuf_addf(&line, "file %s: %s in %s, %s", list->files[i].path,
			    list->files[i].image->name, list->files[i].app->name,
			    list->files[i].name.event);
		print_line(&line, out);
	}
	for (size_t i = 0; i < list->nr_arcs; i++) {
		strbuf_addf(&line, "file %s: calls from %s to %s", list->arcs[i].path,
			    list->arcs[i].image->name, list->arcs[i].callee->name);
		print_line(&line, out);
	}
	strbuf_free(&line);
}

/* Sorts @names and appends up to @max different ones. */
static void add_names(struct strbuf *s, const char *title, const char **names, size_t nr,
		      size_t max)
{
	size_t nr_shown = 0;

	if (!nr)
		return;
	qsort(names, nr, sizeof(*names), compare_texts);
	strbuf_add(s, title);
	for (size_t i = 0; i < nr; i++) {
		if (i && !strcmp(names[i], names[i - 1]))
			continue;
		if (nr_shown == max) {
			strbuf_add(s, ", ...");
			return;
		}
		strbuf_addf(s, "%s%s", nr_shown++ ? ", " : " ", names[i]);
	}
}

/* The names that process: selects by, as far as they are known. */
static void add_processes(struct strbuf *text, const struct session_list *sessions)
{
	const char **names = NULL;
	size_t nr = 0, room = 0;

	for (size_t i = 0; i < sessions->nr; i++) {
		const struct session_processes *all = &sessions->sessions[i].processes;

		for (size_t k = 0; k < all->nr; k++) {
			const struct session_process *p = &all->processes[k];

			xgrow(names, nr, room);
			names[nr++] = *p->started_as ? path_base(p->started_as) : p->comm;
		}
	}
	add_names(text, "; processes", names, nr, 8);
	free(names);
}

char *file_list_describe(const struct session_list *sessions, bool processes)
{
	struct image_set images = { 0 };
	struct notices ignored = { 0 };
	struct file_list all = { 0 };
	struct strbuf text = STRBUF_INIT;

	if (!file_list_collect(sessions, NULL, NULL, &images, &all, &ignored, NULL) && all.nr) {
		const char **names = xcalloc(all.nr, sizeof(*names));

		for (size_t i = 0; i < all.nr; i++)
			names[i] = all.files[i].name.event;
		add_names(&text, "events", names, all.nr, 8);
		for (size_t i = 0; i < all.nr; i++)
			names[i] = all.files[i].app->name;
		add_names(&text, "; images", names, all.nr, 8);
		if (processes)
			add_processes(&text, sessions);
		free(names);
	}
	file_list_free(&all);
	notices_free(&ignored);
	image_set_free(&images);
	return strbuf_steal(&text);
}
