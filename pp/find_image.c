/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_image.c - look for binaries; the folders of --image-path are listed once and sorted
 */
#include "find_image.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "xalloc.h"

struct entry {
	char *path;
	const char *base;	/* in @path */
};

struct finder {
	char *root, *archive;	/* or NULL */
	char **paths;
	size_t nr_paths;
	bool is_listed;
	struct entry *entries;	/* sorted by module_compare() of the base name */
	size_t nr, room;
};

int finder_new(const char *root, const char *archive, const char *const *paths, size_t nr,
	       struct finder **ret, struct op_error *e)
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
	f->archive = archive ? xstrdup(archive) : NULL;
	f->paths = xcalloc(nr + 1, sizeof(*f->paths));
	for (size_t i = 0; i < nr; i++)
		f->paths[i] = xstrdup(paths[i]);
	f->nr_paths = nr;
	*ret = f;
	return 0;
}

void finder_free(struct finder *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++)
		free(f->entries[i].path);
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

	return order ? order : strcmp(x->path, y->path);
}

static struct finder *listing;	/* nftw() has no argument for its callback */

static int list_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct entry *entry;

	(void)st;
	if (type != FTW_F)
		return 0;
	xgrow(listing->entries, listing->nr, listing->room);
	entry = &listing->entries[listing->nr++];
	entry->path = xstrdup(path);
	entry->base = entry->path + ftw->base;
	return 0;
}

static void list_paths(struct finder *f)
{
	listing = f;
	for (size_t i = 0; i < f->nr_paths; i++)
		nftw(f->paths[i], list_file, 32, FTW_PHYS);
	listing = NULL;
	if (f->nr)
		qsort(f->entries, f->nr, sizeof(*f->entries), compare_entries);
	f->is_listed = true;
}

/* The first of the entries called @base, if there is one. */
static const struct entry *first_entry(const struct finder *f, const char *base)
{
	size_t low = 0, high = f->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module_compare(f->entries[middle].base, base) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->nr && !module_compare(f->entries[low].base, base) ? &f->entries[low] : NULL;
}

static void search(struct finder *f, struct image *image, const char *base, bool is_module,
		   struct notices *notices)
{
	const struct entry *hit = NULL, *entry = first_entry(f, base);
	size_t nr = 0;

	for (; entry && entry < f->entries + f->nr && !module_compare(entry->base, base); entry++) {
		if (!is_module && strcmp(entry->base, base))
			continue;
		hit = entry;
		nr++;
	}
	if (nr > 1) {
		image->is_ambiguous = true;
		notice_add(notices,
			   "'%s' is more than one file below --image-path (one is '%s'): "
			   "shown without symbols", image->name, hit->path);
	} else if (nr == 1) {
		image->found = xstrdup(hit->path);
		image->found_by_search = true;
	}
}

static char *below(const char *dir, const char *path)
{
	return path_join(dir, path + strspn(path, "/"));
}

/* Where oparchive puts modules, which have no path of their own [OA-4]. */
static bool find_module_in_archive(const struct finder *f, struct image *image)
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

/* In the archive, else below the root, or at the path itself: one of these two. [FI-1] */
static bool find_at_path(const struct finder *f, struct image *image)
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
	path = f->root ? below(f->root, image->path) : xstrdup(image->path);
	if (file_exists(path)) {
		image->found = path;
		return true;
	}
	free(path);
	return false;
}

void find_image(struct finder *f, struct image *image, struct notices *notices)
{
	if (image->looked_for)
		return;
	image->looked_for = true;
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
