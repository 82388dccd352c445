/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.c - find vmlinux or a module, and the distance between its linked and loaded addresses
 *
 * The kernel and its modules are at other addresses after each boot. All symbols of an image move
 * by the same distance, so the most frequent distance is the right one.
 */
#include "pp/annotate/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/binary.h"
#include "pp/select/find_image.h"
#include "pp/select/sessions.h"

#define COMPARED	500	/* symbols */

struct kernel_files {
	char *root;
	char *release;			/* of the modules that the finders search */
	struct finder *installed;	/* in /lib/modules; NULL: none */
	struct finder *debug;		/* debug files, below /usr/lib/debug; or NULL */
};

struct kernel_files *kernel_files_new(const char *root)
{
	struct kernel_files *k = xcalloc(1, sizeof(*k));

	k->root = xstrdup(root);
	return k;
}

void kernel_files_free(struct kernel_files *k)
{
	finder_free(k->installed);
	finder_free(k->debug);
	free(k->release);
	free(k->root);
	free(k);
}

static bool has_build_id(const char *path, const char *want)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	return !*want || (!build_id_read(path, &id) && !strcmp(build_id_text(&id, text), want));
}

/* The kernel's file, where distributions and kernel builds put it; malloc'd, or NULL. */
static char *find_vmlinux(const struct kernel_files *k, const struct session_info *info)
{
	static const char *const names[][2] = {
		/* before and after the release */
		{"/usr/lib/debug/boot/vmlinux-", ""},
		{"/usr/lib/debug/lib/modules/", "/vmlinux"},
		{"/boot/vmlinux-", ""},
		{"/lib/modules/", "/build/vmlinux"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = xasprintf("%s%s%s%s", k->root, names[i][0], info->kernel, names[i][1]);

		if (file_exists(path) && has_build_id(path, info->kernel_build_id))
			return path;
		free(path);
	}
	return NULL;
}

static struct finder *open_folder(const struct kernel_files *k, const char *folder)
{
	char *dir = xasprintf("%s%s/%s", k->root, folder, k->release);
	const char *dirs[] = { dir };
	struct finder *finder;

	if (!file_is_dir(dir) || finder_new(NULL, false, NULL, dirs, 1, &finder, NULL))
		finder = NULL;
	free(dir);
	return finder;
}

static void open_modules(struct kernel_files *k, const char *release)
{
	if (k->release && !strcmp(k->release, release))
		return;
	finder_free(k->installed);
	finder_free(k->debug);
	free(k->release);
	k->release = xstrdup(release);
	k->installed = open_folder(k, "/lib/modules");
	k->debug = open_folder(k, "/usr/lib/debug/lib/modules");
}

static char *find_in(struct finder *finder, const struct report_image *image,
		     struct notices *notices)
{
	struct report_image wanted = {
		.kind = image->kind, .path = image->path, .name = image->name, .is_kernel = true };

	if (finder)
		find_image(finder, &wanted, notices);
	return wanted.found;
}

/* Whether the file, compressed or not, has debug information or a debug file by build-id. */
static bool has_lines(const char *path, const char *root)
{
	const struct binary_options how = { .root = root };
	const struct line_options lines = { .root = root };
	struct line_binary *l;
	struct binary b;
	bool has;

	if (binary_open(path, &how, &b, NULL))
		return false;
	has = !line_binary_open(&b, path, &lines, &l, NULL);
	if (has)
		line_binary_close(l);
	binary_close(&b);
	return has;
}

/*
 * Prefer the installed module, because it has the instructions; a file of the debug package may
 * have only lines and is used if the module has none.
 */
static char *find_module(struct kernel_files *k, const struct report_image *image,
			 const char *release, struct notices *notices)
{
	char *installed, *debug;

	open_modules(k, release);
	installed = find_in(k->installed, image, notices);
	if (installed && has_lines(installed, k->root))
		return installed;
	debug = find_in(k->debug, image, notices);
	if (!debug)
		return installed;
	free(installed);
	return debug;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(const struct code_symbol *const *)a)->name,
		      (*(const struct code_symbol *const *)b)->name);
}

/* Symbols by name; malloc'd. */
static const struct code_symbol **by_name(const struct binary *b)
{
	const struct code_symbol **sorted = xcalloc(b->nr_symbols + 1, sizeof(*sorted));

	for (size_t i = 0; i < b->nr_symbols; i++)
		sorted[i] = &b->symbols[i];
	qsort(sorted, b->nr_symbols, sizeof(*sorted), compare_names);
	return sorted;
}

static int compare_distances(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The most frequent one of sorted values; returns how often it occurs. */
static size_t most_common(const uint64_t *sorted, size_t nr, uint64_t *ret)
{
	size_t best = 0;

	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && sorted[end] == sorted[i]; end++)
			;
		if (end - i <= best)
			continue;
		best = end - i;
		*ret = sorted[i];
	}
	return best;
}

/* The distance of places in @file from those in @snapshot. False: they are different kernels. */
static bool find_distance(const struct binary *snapshot, const struct binary *file, uint64_t *ret)
{
	const struct code_symbol **sorted = by_name(file);
	size_t step = snapshot->nr_symbols / COMPARED + 1, nr = 0, best;
	uint64_t *distances = xcalloc(snapshot->nr_symbols / step + 1, sizeof(*distances));

	for (size_t i = 0; i < snapshot->nr_symbols; i += step) {
		const struct code_symbol *s = &snapshot->symbols[i], **found;

		found = bsearch(&s, sorted, file->nr_symbols, sizeof(*sorted), compare_names);
		if (found)
			distances[nr++] = (*found)->start - s->start;
	}
	qsort(distances, nr, sizeof(*distances), compare_distances);
	best = most_common(distances, nr, ret);
	free(distances);
	free(sorted);
	return best * 2 > nr;
}

static bool open_file(const char *path, const char *root, struct binary *snapshot)
{
	const struct binary_options how = { .root = root };
	struct binary file;
	uint64_t distance = 0;

	if (binary_open(path, &how, &file, NULL))
		return false;
	if (!file.nr_symbols || !find_distance(snapshot, &file, &distance)) {
		binary_close(&file);
		return false;
	}
	file.key_base = snapshot->key_base + distance;
	binary_close(snapshot);
	*snapshot = file;
	return true;
}

void kernel_files_open(struct kernel_files *k, const struct inverted_image *inverted,
		       struct binary *b, char **ret_path, struct notices *notices)
{
	const struct report_session *session = inverted->session;
	char *path;

	*ret_path = NULL;
	if (b->from != SYMBOLS_SNAPSHOT || !session || !session->has_info ||
	    inverted->image->path[0] == '[' || !*session->info.kernel ||
	    strchr(session->info.kernel, '/'))
		return;
	path = strcmp(inverted->image->path, "kallsyms")
		       ? find_module(k, inverted->image, session->info.kernel, notices)
		       : find_vmlinux(k, &session->info);
	if (path && open_file(path, k->root, b)) {
		*ret_path = path;
		return;
	}
	if (path)
		notice_add(notices, "'%s' does not match the profiled kernel; ignored", path);
	free(path);
}
