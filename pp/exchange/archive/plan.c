/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - list the selected sample files, their binaries, and the other files of sessions */
#include "pp/exchange/archive/plan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/history/folder.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/binary/binary.h"
#include "pp/binary/debug_file.h"
#include "pp/binary/object_file.h"
#include "pp/report/fetch_debug.h"
#include "pp/select/history.h"
#include "pp/select/invert.h"

#define SAMPLES_IN_ARCHIVE &SESSION_DIR_DEFAULT[1]
#define TREE_DEPTH 64		/* JIT objects lie at the paths of their programs */

struct planner {
	const struct archive_options *options;
	struct collection collection;
	char **names;			/* of the sessions in the archive */
	struct archive_plan *plan;
	struct notices *notices;
};

struct archive_item *archive_plan_add(struct archive_plan *plan, enum archive_kind kind,
				      const char *folder, const char *source, char *path)
{
	struct archive_item *item;

	xgrow(plan->items, plan->nr, plan->room);
	item = &plan->items[plan->nr++];
	*item = (struct archive_item){
		.kind = kind,
		.folder = folder ? xstrdup(folder) : NULL,
		.source = xstrdup(source),
		.path = path,
	};
	return item;
}

/* --- binaries and debug files [OA-4] --- */

static void set_build_id(struct archive_item *item, const struct object_file *object)
{
	struct build_id id;

	if (!object_file_build_id(object, &id))
		build_id_text(&id, item->build_id);
}

static bool is_linked_by_name(const struct object_file *object, const char *name)
{
	const struct object_section *section = object_section_find(object, ".gnu_debuglink");
	size_t size;
	char *link = section && section->size < 64 * 1024
			     ? (char *)object_section_read(object, section, &size) : NULL;
	bool same = link && !strcmp(link, name);

	free(link);
	return same;
}

/*
 * Where readers look for a debug file: by name beside the image, as the original does, or by
 * build-id if it has another name [SY-7].
 */
static char *debug_path_in_archive(const struct report_image *image,
				   const struct object_file *object, const char *debug_path)
{
	const char *path = image->path + strspn(image->path, "/"), *name = path_base(debug_path);
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (is_linked_by_name(object, name) || object_file_build_id(object, &id) || id.len < 2)
		return xasprintf("%s%.*s.debug/%s", image->kind == IMAGE_KERNEL ? "{kern}/" : "",
				 (int)(path_base(path) - path), path, name);
	build_id_text(&id, text);
	return xasprintf("usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2);
}

/* The path by which OProfile 0.9 finds the file. Takes over @path. */
static char *debug_path_like_099(const struct report_image *image, const struct object_file *object,
				 char *path)
{
	const char *name = path_base(path);
	struct stat st;
	char *by_name;

	if (!strstr(path, "/.build-id/") || lstat(path, &st) || S_ISLNK(st.st_mode) ||
	    !is_linked_by_name(object, name))
		return path;
	by_name = xasprintf("%.*s.debug/%s", (int)(path_base(image->found) - image->found),
			    image->found, name);
	if (!file_exists(by_name)) {
		free(by_name);
		return path;
	}
	free(path);
	return by_name;
}

static void add_debug_file(struct archive_plan *plan, const struct report_image *image,
			   const struct object_file *object, const char *root, bool like_099)
{
	struct object_file debug;
	char *path, *looked;

	if (debug_file_open(object, image->found, root, &debug, &path, &looked)) {
		free(looked);
		return;
	}
	if (like_099)
		path = debug_path_like_099(image, object, path);
	set_build_id(archive_plan_add(plan, ARCHIVE_DEBUG, NULL, path,
				      debug_path_in_archive(image, object, path)), &debug);
	object_file_close(&debug);
	free(path);
}

/* The image's own path; a module has none and is put into a folder [OA-4]. */
static char *binary_path_in_archive(const struct report_image *image)
{
	const char *base = path_base(image->found), *end = strstr(base, ".ko");

	if (image->kind == IMAGE_KERNEL)
		return xasprintf("{kern}/%s%s", image->path, end ? end : "");
	return xstrdup(image->path + strspn(image->path, "/"));
}

static bool is_in_snapshot(const struct report_image *image)
{
	const struct report_session *s = image->session;

	return image->kind == IMAGE_KERNEL &&
	       (kernel_image_is_absolute(image->path) ||
		(s->has_kernel_symbols && kernel_symbols_part(&s->kernel, image->path)));
}

/* Whether a file that is not an ELF file is a compressed module. */
static bool is_packed_module(const struct report_image *image)
{
	const struct binary_options how = { .is_kernel = true, .root = "" };
	struct binary binary;

	if (image->kind != IMAGE_KERNEL || binary_open(image->found, &how, &binary, NULL))
		return false;
	binary_close(&binary);
	return true;
}

/*
 * Add the image's file and its debug file, or a notice. @like_099: as in OProfile 0.9, use a debug
 * file found by build-id only if it is a link, else search by name. A hostile session can name any
 * file, such as private keys, and archives are passed on: only ELF files are added.
 */
static void add_binary(struct archive_plan *plan, struct report_image *image,
		       const struct collection *c, bool like_099, struct notices *notices)
{
	struct op_error why = { "" };
	struct object_file object;
	int err;

	if (image->kind == IMAGE_ANON || image->kind == IMAGE_JIT)
		return;
	find_image(c->finder, image, notices);
	if (!image->found) {
		if (!is_in_snapshot(image) && !image->is_ambiguous)
			notice_add(notices, "cannot find '%s', skipped", image->name);
		return;
	}
	if (image->is_kept) {
		archive_plan_add(plan, ARCHIVE_SESSION, NULL, image->found,
				 xasprintf("%s/" HISTORY_DIR "/" HISTORY_SYMBOLS "/%s",
					   SAMPLES_IN_ARCHIVE, path_base(image->found)));
		return;
	}
	err = object_file_open(image->found, &object, &why);
	if (!err) {
		set_build_id(archive_plan_add(plan, ARCHIVE_BINARY, NULL, image->found,
					      binary_path_in_archive(image)), &object);
		add_debug_file(plan, image, &object, c->root, like_099);
		object_file_close(&object);
	} else if (is_packed_module(image)) {
		archive_plan_add(plan, ARCHIVE_BINARY, NULL, image->found,
				 binary_path_in_archive(image));
	} else {
		notice_add(notices, "'%s' skipped: %s", image->found,
			   *why.text ? why.text : strerror(-err));
	}
}

/* --- selection of binaries --- */

static int compare_images(const void *a, const void *b)
{
	const struct report_image *x = *(struct report_image *const *)a;
	const struct report_image *y = *(struct report_image *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : x < y ? -1 : x > y;
}

static bool is_wanted(const struct planner *p, const struct sample_file *file)
{
	return !p->options->exclude_dependent || file->app == file->image;
}

static bool is_like_099(const struct planner *p)
{
	const struct file_list *list = &p->collection.files;
	struct sample_header header;

	return p->options->compat && list->nr &&
	       !sample_header_read(list->files[0].path, &header, NULL, NULL) &&
	       header.version == SAMPLE_VERSION_099;
}

/* Add images with samples and images that are called, each once, by name. */
static void add_binaries(struct planner *p)
{
	const struct file_list *list = &p->collection.files;
	struct report_image **images = xcalloc(list->nr + 2 * list->nr_arcs + 1, sizeof(*images));
	bool like_099 = is_like_099(p);
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (is_wanted(p, &list->files[i]))
			images[nr++] = list->files[i].image;
	for (size_t i = 0; i < list->nr_arcs; i++) {
		if (!is_wanted(p, &list->arcs[i]))
			continue;
		images[nr++] = list->arcs[i].image;
		images[nr++] = list->arcs[i].callee;
	}
	qsort(images, nr, sizeof(*images), compare_images);
	for (size_t i = 0; i < nr; i++)
		if (!i || images[i] != images[i - 1])
			add_binary(p->plan, images[i], &p->collection, like_099, p->notices);
	free(images);
}

/* A folder of a session, and where it is in the archive. */
struct place {
	const char *folder;
	char *in_archive;
};

static struct place place_of(const struct planner *p, const struct report_session *s)
{
	const char *name = p->names[s - p->collection.sessions.sessions];

	return (struct place){ s->samples,
			       xasprintf("%s/samples/%s", SAMPLES_IN_ARCHIVE, name) };
}

/* @path begins with the folder of @place. */
static void add_file(struct planner *p, enum archive_kind kind, const struct place *place,
		     const char *path)
{
	const char *below = path + strlen(place->folder);

	below += strspn(below, "/");
	archive_plan_add(p->plan, kind, place->folder, below, path_join(place->in_archive, below));
}

static void add_session_file(struct planner *p, enum archive_kind kind,
			     const struct report_session *s, const char *path)
{
	struct place place = place_of(p, s);

	add_file(p, kind, &place, path);
	free(place.in_archive);
}

static int compare_files(const void *a, const void *b)
{
	return strcmp((*(const struct sample_file *const *)a)->path,
		      (*(const struct sample_file *const *)b)->path);
}

static void add_samples(struct planner *p)
{
	const struct file_list *list = &p->collection.files;
	const struct sample_file **files = xcalloc(list->nr + list->nr_arcs + 1, sizeof(*files));
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (is_wanted(p, &list->files[i]) && !list->files[i].session->history)
			files[nr++] = &list->files[i];
	for (size_t i = 0; i < list->nr_arcs; i++)
		if (is_wanted(p, &list->arcs[i]) && !list->arcs[i].session->history)
			files[nr++] = &list->arcs[i];
	qsort(files, nr, sizeof(*files), compare_files);
	for (size_t i = 0; i < nr; i++)
		add_session_file(p, ARCHIVE_SAMPLES, files[i]->session, files[i]->path);
	free(files);
}

static void add_jit_objects(struct planner *p)
{
	const struct image_set *set = &p->collection.images;

	for (size_t i = 0; i < set->nr; i++)
		if (set->images[i]->kind == IMAGE_JIT && !set->images[i]->session->history)
			add_session_file(p, ARCHIVE_SESSION, set->images[i]->session,
					 set->images[i]->path);
}

static bool is_spare(const char *name)
{
	size_t n = strlen(name);

	return n > 6 && !strcmp(name + n - 6, ".spare");
}

/* Its subfolders have sample files of a session, which add_samples() adds. */
static bool is_parts_folder(const char *dir)
{
	return !strcmp(path_base(dir), "parts");
}

/* What the daemon fills a segment from, and links to symbols, which add_binary() adds. */
static bool is_daemons(const struct place *place, const char *dir, const char *name)
{
	return !strcmp(dir, place->folder) &&
	       (!strcmp(name, HISTORY_STORE) || !strcmp(name, HISTORY_SYMBOLS));
}

/*
 * Add the files below @dir, which is below @place. Links are neither followed nor copied; errors
 * are ignored.
 */
static void add_tree(struct planner *p, const struct place *place, const char *dir,
		     unsigned int depth)
{
	struct dirent **entries;
	int nr = scandir(dir, &entries, NULL, alphasort);

	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;
		char *path = path_join(dir, name);
		struct stat st;

		if (!strcmp(name, ".") || !strcmp(name, "..") || is_spare(name) ||
		    is_daemons(place, dir, name) || lstat(path, &st))
			st.st_mode = 0;
		if (S_ISREG(st.st_mode))
			add_file(p, ARCHIVE_SESSION, place, path);
		else if (S_ISDIR(st.st_mode) && depth < TREE_DEPTH && !is_parts_folder(dir))
			add_tree(p, place, path, depth + 1);
		free(path);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

static void add_stats(struct planner *p, const struct report_session *s)
{
	char *stats = path_join(s->samples, "stats");
	struct place place = place_of(p, s);

	add_tree(p, &place, stats, 0);
	free(place.in_archive);
	free(stats);
}

/* The segments of the range, whole. */
static void add_segments(struct planner *p, const struct session_history *h)
{
	for (size_t i = 0; i < h->nr; i++) {
		char *folder = history_segment_folder(h, i);
		const struct place place = {
			folder, xasprintf("%s/" HISTORY_DIR "/%s", SAMPLES_IN_ARCHIVE,
					  path_base(folder)),
		};

		add_tree(p, &place, folder, 0);
		free(place.in_archive);
		free(folder);
	}
}

/* The session directory that has samples/NAME; NULL if the session is elsewhere. Malloc'd. */
static char *session_dir_of(const struct report_session *s)
{
	char *end = xasprintf("/samples/%s", s->name), *dir = NULL;
	size_t n = strlen(s->samples), m = strlen(end);

	if (n > m && !strcmp(s->samples + n - m, end))
		dir = xasprintf("%.*s", (int)(n - m), s->samples);
	free(end);
	return dir;
}

/* Add the files that all sessions of a session directory share. */
static void add_common_files(struct planner *p)
{
	static const char *const names[] = { "abi", "samples/oprofiled.log", "samples/operf.log" };
	char *dir = session_dir_of(&p->collection.sessions.sessions[0]);
	struct stat st;

	for (size_t i = 0; dir && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path_join(dir, names[i]);

		if (!lstat(path, &st) && S_ISREG(st.st_mode))
			archive_plan_add(p->plan, ARCHIVE_SESSION, dir, names[i],
					 path_join(SAMPLES_IN_ARCHIVE, names[i]));
		free(path);
	}
	free(dir);
}

/* The session's name in the archive: session:./monday becomes monday [OA-3]. Malloc'd. */
static char *name_in_archive(const struct report_session *s)
{
	bool is_path = strchr(s->name, '/') || *s->name == '.';
	char *absolute = is_path ? path_absolute(s->samples) : NULL;
	char *name = xstrdup(absolute ? path_base(absolute) : s->name);

	free(absolute);
	return name;
}

static int name_sessions(struct planner *p, struct op_error *e)
{
	const struct session_list *list = &p->collection.sessions;

	p->names = xcalloc(list->nr + 1, sizeof(*p->names));
	for (size_t i = 0; i < list->nr; i++) {
		p->names[i] = name_in_archive(&list->sessions[i]);
		if (!session_name_ok(p->names[i]))
			return op_error_set(e, -EINVAL, "session '%s': invalid name '%s' for a "
					    "saved session; rename it first",
					    list->sessions[i].name, p->names[i]);
		for (size_t j = 0; j < i && !list->sessions[i].history; j++)
			if (!strcmp(p->names[i], p->names[j]))
				return op_error_set(e, -EINVAL, "two sessions are named '%s'; "
						    "make two archives", p->names[i]);
	}
	return 0;
}

static int plan(struct planner *p, const char *session_dir, struct op_error *e)
{
	const struct archive_options *o = p->options;
	const struct merge merge = { 0 };
	const struct collect_options what = {
		.session_dir = session_dir,
		.spec = &o->spec,
		.merge = &merge,
		.image_path = &o->image_path,
		.root = o->root,
		.want_arcs = true,
		.files_only = true,
		.print_files = o->print_files,
	};
	int err = collect(&what, &p->collection, p->notices, e);

	if (!err)
		err = name_sessions(p, e);
	if (err)
		return err;
	if (!p->options->list_files && !p->options->compat)
		fetch_debug_of_all(&p->collection, true, p->notices);
	add_binaries(p);
	add_samples(p);
	if (p->options->list_files && p->options->compat)
		return 0;	/* the original copies the other files but does not list them */
	add_jit_objects(p);
	for (size_t i = 0; i < p->collection.sessions.nr; i++) {
		const struct report_session *s = &p->collection.sessions.sessions[i];

		if (s->history)
			add_segments(p, s->history);
		else
			add_stats(p, s);
	}
	add_common_files(p);
	return 0;
}

int archive_plan_make(const struct archive_options *options, const char *session_dir,
		      struct archive_plan *ret, struct notices *notices, struct op_error *e)
{
	struct planner p = { .options = options, .plan = ret,
			     .notices = notices };
	int err;

	*ret = (struct archive_plan){ 0 };
	err = plan(&p, session_dir, e);
	for (size_t i = 0; p.names && i < p.collection.sessions.nr; i++)
		free(p.names[i]);
	free(p.names);
	collection_free(&p.collection);
	return err;
}

void archive_plan_free(struct archive_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++) {
		free(plan->items[i].folder);
		free(plan->items[i].source);
		free(plan->items[i].path);
	}
	free(plan->items);
	*plan = (struct archive_plan){ 0 };
}

char *archive_item_source(const struct archive_item *item)
{
	return item->folder ? path_join(item->folder, item->source) : xstrdup(item->source);
}
