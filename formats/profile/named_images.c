// SPDX-License-Identifier: GPL-2.0-or-later
/* named_images.c - the kind of an image, by its name */
#include "formats/profile/named_images.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

bool is_module_path(const char *path)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.zst", ".ko.gz" };
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (len > strlen(ends[i]) && !strcmp(path + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

enum profile_image_kind image_kind_of_name(const char *name)
{
	static const struct {
		const char *begin;
		enum profile_image_kind kind;
	} kinds[] = {
		{ "[kernel", PROFILE_KERNEL }, { "[guest.kernel", PROFILE_KERNEL },
		{ "[vdso", PROFILE_ANON }, { "[vsyscall", PROFILE_ANON },
		{ "[heap", PROFILE_ANON }, { "[stack", PROFILE_ANON }, { "//anon", PROFILE_ANON },
		{ "/tmp/perf-", PROFILE_JIT }, { "[", PROFILE_KERNEL_MODULE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(name, kinds[i].begin, strlen(kinds[i].begin)))
			return kinds[i].kind;
	return is_module_path(name) ? PROFILE_KERNEL_MODULE : PROFILE_FILE;
}

uint32_t named_images_find(struct named_images *images, struct profile *p, uint32_t path)
{
	struct profile_image new = { .path = path };
	size_t before = images->room;

	if (!path)
		return PROFILE_NONE;
	if (path >= images->room) {
		images->room = 2 * (size_t)path + 64;
		images->of_string = xrealloc_array(images->of_string, images->room,
						   sizeof(*images->of_string));
		memset(images->of_string + before, 0xff,
		       (images->room - before) * sizeof(*images->of_string));
	}
	if (images->of_string[path] == PROFILE_NONE) {
		new.kind = image_kind_of_name(profile_text(p, path));
		images->of_string[path] = profile_add_image(p, &new);
	}
	return images->of_string[path];
}

void named_images_free(struct named_images *images)
{
	free(images->of_string);
	*images = (struct named_images){ 0 };
}
