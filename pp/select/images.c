/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images.c - the set of images, by name */
#include "pp/select/images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "pp/select/sessions.h"
#include "runtime/runtime.h"

/* The first digits distinguish builds of one path well enough. */
static char *display_name(const struct image_name *name, const char *apart_build)
{
	if (apart_build)
		return xasprintf("%s (build %.8s)", name->path, apart_build);
	switch (name->kind) {
	case IMAGE_KERNEL:
		return xasprintf("/%s", name->path);
	case IMAGE_ANON:
		if (!name->anon_end)	/* of all processes */
			break;
		return xasprintf("%s (tgid:%" PRIu32 " range:0x%" PRIx64 "-0x%" PRIx64 ")",
				 name->path, name->anon_tgid, name->anon_start, name->anon_end);
	case IMAGE_JIT:		/* image_set_get_jit() has a name for it */
	case IMAGE_FILE:
		break;
	}
	return xstrdup(name->path);
}

struct image_key {
	const struct image_name *name;
	const char *apart_build, *display;
};

static bool is_image(const void *images, uint32_t i, const void *key)
{
	const struct report_image *image = ((struct report_image *const *)images)[i];
	const struct image_key *k = key;

	return image->kind == k->name->kind && !strcmp(image->path, k->name->path) &&
	       image->is_apart == !!k->apart_build &&
	       (!k->apart_build || !strcmp(image->build_id, k->apart_build)) &&
	       !strcmp(image->name, k->display);
}

static const char *recorded_build(const struct image_name *name,
				  const struct report_session *session)
{
	return name->kind == IMAGE_FILE && session && session->ids
		? image_ids_find(session->ids, name->path) : NULL;
}

static struct report_image *add_image(struct image_set *set, const struct image_name *name,
				      const char *apart_build, char *display,
				      const struct report_session *session)
{
	const char *build = apart_build ? apart_build : recorded_build(name, session);
	struct report_image *image = xcalloc(1, sizeof(*image));

	image->kind = name->kind;
	image->path = xstrdup(name->path);
	image->name = display;
	image->session = session;
	image->build_id = build ? xstrdup(build) : NULL;
	image->is_apart = apart_build;
	image->is_kernel = name->kind == IMAGE_KERNEL;
	if (name->kind == IMAGE_ANON) {
		image->anon_start = name->anon_start;
		image->anon_end = name->anon_end;
	}
	xgrow(set->images, set->nr, set->room);
	set->images[set->nr++] = image;
	return image;
}

/* The image of that name that is shown as @display, which is kept or freed. */
static struct report_image *get_image(struct image_set *set, const struct image_name *name,
				      const char *apart_build, char *display,
				      const struct report_session *session)
{
	const struct image_key key = { name, apart_build, display };
	uint64_t hash = hash_string(display);
	uint32_t i = hash_table_find(&set->by_name, hash, is_image, set->images, &key);

	if (i != HASH_NONE) {
		free(display);
		return set->images[i];
	}
	hash_table_add(&set->by_name, hash, (uint32_t)set->nr);
	return add_image(set, name, apart_build, display, session);
}

bool image_was_no_file(enum image_kind kind, const char *path,
		       const struct report_session *session)
{
	return kind == IMAGE_FILE && !strncmp(path, "/[", 2) && session && session->has_info &&
	       !strcmp(session->info.collector, "import");
}

struct report_image *image_set_get(struct image_set *set, const struct image_name *name,
				   const char *apart_build, const struct report_session *session)
{
	char *display = display_name(name, apart_build);

	if (!set->compat && image_was_no_file(name->kind, name->path, session))
		memmove(display, display + 1, strlen(display));
	return get_image(set, name, apart_build, display, session);
}

/* What made the code in the object @path. */
static const char *made_by(const char *path)
{
	static const char *const names[] = { OP_RUNTIME_PYTHON_NAME, OP_RUNTIME_PHP_NAME,
					     OP_RUNTIME_RUBY_NAME };
	const char *at = strstr(path, "/{anon:");

	for (size_t i = 0; at && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(at + 7, names[i], len) && at[7 + len] == '}')
			return names[i];
	}
	return "JIT";
}

struct report_image *image_set_get_jit(struct image_set *set, const char *path, const char *app,
				       uint32_t tgid, const struct report_session *session)
{
	const struct image_name name = { .kind = IMAGE_JIT, .path = path, .anon_tgid = tgid };
	const char *kind = made_by(path);
	struct report_image *image;

	if (!file_exists(path))
		return NULL;
	image = get_image(set, &name, NULL,
			  app ? xasprintf("%s [%s pid %" PRIu32 "]", app, kind, tgid) :
				xstrdup(path),
			  session);
	if (!image->looked_for) {
		image->looked_for = true;
		image->found = xstrdup(path);
		image->jit_name = app ? xasprintf("%s [%s]", path_base(app), kind) :
					xstrdup("*.jo");
	}
	return image;
}

struct report_image *image_set_get_vdso(struct image_set *set, const struct image_name *name,
					const struct report_session *session)
{
	const struct image_name vdso = { .kind = IMAGE_ANON, .path = SESSION_VDSO_NAME };
	struct report_image *image;
	char *copy;

	if (strcmp(name->path, SESSION_VDSO_NAME) || name->anon_start <= UINT32_MAX)
		return NULL;
	copy = path_join(session->samples, "stats/" SESSION_VDSO_FILE);
	image = file_exists(copy) ? image_set_get(set, &vdso, NULL, session) : NULL;
	if (image && strcmp(image->session->info.kernel_build_id, session->info.kernel_build_id))
		image = NULL;		/* another kernel's */
	if (image && !image->looked_for) {
		image->looked_for = true;
		image->found = copy;
		return image;
	}
	free(copy);
	return image;
}

void image_set_free(struct image_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		free(set->images[i]->path);
		free(set->images[i]->name);
		free(set->images[i]->jit_name);
		free(set->images[i]->found);
		free(set->images[i]->build_id);
		free(set->images[i]);
	}
	free(set->images);
	hash_table_free(&set->by_name);
	*set = (struct image_set){ 0 };
}

const char *image_shown_name(const struct report_image *image, bool long_names)
{
	if (image->found_by_search)
		return long_names ? image->found : path_base(image->found);
	/* the name of anonymous memory may hold a '/': it is no path */
	if (long_names || image->kind == IMAGE_ANON)
		return image->name;
	return path_base(image->name);
}

const char *image_common_name(const struct report_image *image)
{
	return image->kind == IMAGE_ANON ? image->path
	     : image->jit_name ? image->jit_name : path_base(image->name);
}

void image_spec_names(const struct report_image *image, struct spec_image *ret)
{
	ret->name = image->is_apart ? image->path : image->name;
	ret->short_name = image->kind == IMAGE_FILE ? path_base(image->path)
			: image->kind == IMAGE_JIT ? path_base(image->name) : image->path;
	ret->found = image->found;
}
