/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_image.c - find binaries; the folders of --image-path are listed once and sorted
 */
#include "pp/select/find_image.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/history/folder.h"
#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/select/sessions.h"

struct entry {
	char *path;		/* begins with the folder as it was given */
	char *real;
	const char *base;	/* in @path */
};

struct finder {
	char *root, *archive;	/* or NULL */
	bool only_root;		/* nothing outside of the root, as the original */
	char **paths;
	size_t nr_paths;
	bool is_listed;
	struct entry *entries;	/* sorted by module_compare() of the base name */
	size_t nr, room;
};

int finder_new(const char *root, bool only_root, const char *archive, const char *const *paths,
	       size_t nr, struct finder **ret, struct op_error *e)
{
	struct finder *f;

	if (root && !file_is_dir(root))
		return op_error_set(e, -ENOTDIR, "--root: '%s' is not a folder", root);
	for (size_t i = 0; i < nr; i++)
		if (!file_is_dir(paths[i]))
			return op_error_set(e, -ENOTDIR, "--image-path: '%s' is not a folder",
					    paths[i]);
	f = xcalloc(1, sizeof(*f));
	f->root = root ? xstrdup(root) : NULL;
	f->only_root = only_root;
	f->archive = archive ? xstrdup(archive) : NULL;
	f->paths = xcalloc(nr + 1, sizeof(*f->paths));
	for (size_t i = 0; i < nr; i++)
		f->paths[i] = xstrdup(paths[i]);
	f->nr_paths = nr;
	*ret = f;
	return 0;
}

static void free_entry(struct entry *entry)
{
	free(entry->path);
	free(entry->real);
}

void finder_free(struct finder *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++)
		free_entry(&f->entries[i]);
	for (size_t i = 0; i < f->nr_paths; i++)
		free(f->paths[i]);
	free(f->entries);
	free(f->paths);
	free(f->root);
	free(f->archive);
	free(f);
}

static char module_char(char c)
{
	return c == '-' || c == ',' ? '_' : c;
}

/* strcmp() for which '_', '-' and ',' are one letter [FI-3]. */
static int module_compare(const char *a, const char *b)
{
	while (*a && module_char(*a) == module_char(*b))
		a++, b++;
	return (unsigned char)module_char(*a) - (unsigned char)module_char(*b);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = module_compare(x->base, y->base);

	if (!order)
		order = strcmp(x->real, y->real);
	return order ? order : strcmp(x->path, y->path);
}

/* The folder being listed: nftw() has no argument for its callback. */
static struct listing {
	struct finder *finder;
	const char *folder;	/* as it was given */
	size_t real_len;	/* of its real name, with which the paths begin */
} listing;

static int list_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct finder *f = listing.finder;
	struct entry *entry;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	xgrow(f->entries, f->nr, f->room);
	entry = &f->entries[f->nr++];
	entry->real = xstrdup(path);
	entry->path = path_join(listing.folder, path + listing.real_len);
	entry->base = path_base(entry->path);
	return 0;
}

/* By its real name: nftw() does not enter a folder that is a symbolic link. */
static void list_folder(struct finder *f, const char *folder)
{
	char *real = realpath(folder, NULL);

	if (!real)
		return;
	listing = (struct listing){ f, folder, strcmp(real, "/") ? strlen(real) + 1 : 1 };
	nftw(real, list_file, 32, FTW_PHYS);
	free(real);
}

/* A folder that is below another one, or given twice, was listed twice. */
static void drop_duplicates(struct finder *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->nr; i++) {
		if (kept && !strcmp(f->entries[kept - 1].real, f->entries[i].real))
			free_entry(&f->entries[i]);
		else
			f->entries[kept++] = f->entries[i];
	}
	f->nr = kept;
}

static void list_paths(struct finder *f)
{
	for (size_t i = 0; i < f->nr_paths; i++)
		list_folder(f, f->paths[i]);
	if (f->nr)
		qsort(f->entries, f->nr, sizeof(*f->entries), compare_entries);
	drop_duplicates(f);
	f->is_listed = true;
}

/* The first entry with base name @base, or NULL. */
static const struct entry *first_entry(const struct finder *f, const char *base)
{
	size_t low = first_not(f->nr, i, module_compare(f->entries[i].base, base) < 0);

	return low < f->nr && !module_compare(f->entries[low].base, base) ? &f->entries[low] : NULL;
}

struct hits {
	const struct entry *last;
	size_t nr;
};

/* Files with base name @base, below @folder if that is not NULL. */
static struct hits find_hits(const struct finder *f, const char *base, bool is_module,
			     const char *folder)
{
	const struct entry *entry = first_entry(f, base);
	size_t len = folder ? strlen(folder) : 0;
	struct hits hits = { 0 };

	for (; entry && entry < f->entries + f->nr && !module_compare(entry->base, base); entry++) {
		if (!is_module && strcmp(entry->base, base))
			continue;
		if (folder && (strncmp(entry->real, folder, len) || entry->real[len] != '/'))
			continue;
		hits.last = entry;
		hits.nr++;
	}
	return hits;
}

/* Of several hits the only one in the archive, else the only one below the root [FI-4]. */
static struct hits choose_hit(const struct finder *f, const char *base, bool is_module,
			      struct hits all)
{
	const char *const places[] = { f->archive, f->root };

	for (size_t i = 0; i < 2; i++) {
		char *folder = places[i] ? realpath(places[i], NULL) : NULL;
		struct hits here = { 0 };

		if (folder)
			here = find_hits(f, base, is_module, folder);
		free(folder);
		if (here.nr == 1)
			return here;
	}
	return all;
}

static void search(struct finder *f, struct report_image *image, const char *base, bool is_module,
		   struct notices *notices)
{
	struct hits hits = find_hits(f, base, is_module, NULL);

	if (hits.nr > 1)
		hits = choose_hit(f, base, is_module, hits);
	if (hits.nr > 1) {
		image->is_ambiguous = true;
		notice_add(notices,
			   "'%s': found several such files below --image-path, one is '%s'; "
			   "shown without symbols", image->name, hits.last->path);
	} else if (hits.nr == 1) {
		image->found = xstrdup(hits.last->path);
		image->found_by_search = true;
	}
}

static char *below(const char *dir, const char *path)
{
	return path_join(dir, path + strspn(path, "/"));
}

/* oparchive puts modules, which have no path, into a folder of their own [OA-4]. */
static bool find_module_in_archive(const struct finder *f, struct report_image *image)
{
	static const char *const ends[] = { "", ".ko", ".ko.xz", ".ko.zst" };

	for (size_t i = 0; f->archive && i < sizeof(ends) / sizeof(ends[0]); i++) {
		char *path = xasprintf("%s/{kern}/%s%s", f->archive, image->path, ends[i]);

		if (file_exists(path)) {
			image->found = path;
			return true;
		}
		free(path);
	}
	return false;
}

static bool is_build(const char *path, const char *build_id)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	return !build_id_read(path, &id) && !strcmp(build_id_text(&id, text), build_id);
}

/* Is @path, as recorded, in the folder @root? */
static bool is_below(const char *path, const char *root)
{
	char *real = realpath(root, NULL);
	size_t len = real ? strlen(real) : 0;
	bool below = real && !strncmp(path, real, len) && path[len] == '/';

	free(real);
	return below;
}

/*
 * Below the root; or if that is not the profiled build, at the path itself: not all that was
 * profiled ran in the root, and a path may be recorded as it is outside of it. Without a build ID
 * only the second is certain.
 */
static char *find_below_root(const struct finder *f, const struct report_image *image)
{
	char *path = below(f->root, image->path);
	bool exists = file_exists(path);

	if (exists && (f->only_root || !image->build_id || is_build(path, image->build_id)))
		return path;
	if (f->only_root) {
		free(path);
		return NULL;
	}
	if (image->build_id ? is_build(image->path, image->build_id)
			    : is_below(image->path, f->root) && file_exists(image->path)) {
		free(path);
		return xstrdup(image->path);
	}
	if (exists)
		return path;		/* the difference is reported */
	free(path);
	return NULL;
}

/* In the archive, else below the root or at the path itself [FI-1]. */
static bool find_at_path(const struct finder *f, struct report_image *image)
{
	char *path;

	if (f->archive) {
		path = below(f->archive, image->path);
		if (file_exists(path)) {
			image->found = path;
			return true;
		}
		free(path);
	}
	if (f->root)
		image->found = find_below_root(f, image);
	else if (file_exists(image->path))
		image->found = xstrdup(image->path);
	return image->found;
}

/* @path, or NULL if there is no such file; it is freed then. */
static char *if_exists(char *path)
{
	if (file_exists(path))
		return path;
	free(path);
	return NULL;
}

/* Symbols that the history has of the build, beside the folders of its segments [HI-28]. */
static char *kept_symbols(const struct report_image *image)
{
	const char *folder = image->session->samples;
	char *name = image->session->history ? history_symbols_name(image->build_id) : NULL, *path;

	if (!name)
		return NULL;
	path = xasprintf("%.*s" HISTORY_SYMBOLS "/%s", (int)(path_base(folder) - folder), folder,
			 name);
	free(name);
	return if_exists(path);
}

/*
 * Replace another build than the profiled one by the session's copy, or what the history has of it.
 * If builds of that path are kept apart, another build is wrong for sure: without a copy use no
 * file [FI-7].
 */
static void prefer_build(struct report_image *image)
{
	bool is_kept = false;
	char *kept;

	if (image->kind != IMAGE_FILE || !image->build_id || !image->session)
		return;
	kept = if_exists(xasprintf("%s/stats/" SESSION_BINARIES "/%s", image->session->samples,
				   image->build_id));
	if (!kept) {
		kept = kept_symbols(image);
		is_kept = kept;
	}
	if ((kept || image->is_apart) &&
	    !(image->found && is_build(image->found, image->build_id))) {
		free(image->found);
		image->found = kept;
		image->is_kept = is_kept;
		image->found_by_search = image->is_ambiguous = false;
	} else {
		free(kept);
	}
}

static void look_for(struct finder *f, struct report_image *image, struct notices *notices)
{
	if (image->kind == IMAGE_FILE) {
		if (find_at_path(f, image))
			return;
	} else if (image->kind != IMAGE_KERNEL || find_module_in_archive(f, image)) {
		return;
	}
	if (!f->nr_paths)
		return;
	if (!f->is_listed)
		list_paths(f);
	search(f, image, path_base(image->path), false, notices);
	if (image->kind == IMAGE_KERNEL) {
		static const char *const ends[] = { ".ko", ".ko.xz", ".ko.zst", ".ko.debug" };
		size_t nr = sizeof(ends) / sizeof(ends[0]);

		for (size_t i = 0; i < nr && !image->found && !image->is_ambiguous; i++) {
			char *module = xasprintf("%s%s", image->path, ends[i]);

			search(f, image, module, true, notices);
			free(module);
		}
	}
}

void find_image(struct finder *f, struct report_image *image, struct notices *notices)
{
	if (image->looked_for)
		return;
	image->looked_for = true;
	look_for(f, image, notices);
	prefer_build(image);
}
