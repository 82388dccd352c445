/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.c - of what samples name, the object files
 *
 * Names in a session may be anybody's invention, so only ELF files are taken: an archive is
 * passed on, and should not have somebody's keys in it.
 */
#include "pp/exchange/archive/binary.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/binary/binary.h"
#include "pp/binary/debug_file.h"
#include "pp/binary/object_file.h"

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
 * Where readers look for it: by name beside the image, as the original's do, or by build-id, if it
 * was found by that and is called otherwise [SY-7].
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

/* In place of @path, which is taken over. */
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

/* A file's own path; modules have none and get a folder [OA-4]. */
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
	       (!strcmp(image->path, "kallsyms") || !strcmp(image->path, "no-vmlinux") ||
		(s->has_kernel_symbols && kernel_symbols_part(&s->kernel, image->path)));
}

/* Of what cannot be read as it is: is it a packed module? */
static bool is_packed_module(const struct report_image *image)
{
	const struct binary_options how = { .is_kernel = true, .root = "" };
	struct binary binary;

	if (image->kind != IMAGE_KERNEL || binary_open(image->found, &how, &binary, NULL))
		return false;
	binary_close(&binary);
	return true;
}

void archive_add_binary(struct archive_plan *plan, struct report_image *image,
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
			notice_add(notices, "'%s' is not there: left out", image->name);
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
		notice_add(notices, "'%s' is left out: %s", image->found,
			   *why.text ? why.text : strerror(-err));
	}
}
