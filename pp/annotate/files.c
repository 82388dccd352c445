/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.c - each source file once, by its path */
#include "pp/annotate/files.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

static bool has_path(const void *files, uint32_t id, const void *path)
{
	return !strcmp(((const struct annotated_files *)files)->paths[id], path);
}

static size_t add_file(struct annotated_files *f, const char *path)
{
	uint64_t hash = hash_string(path);
	uint32_t id = hash_table_find(&f->by_path, hash, has_path, f, path);

	if (id == HASH_NONE) {
		xgrow(f->paths, f->nr, f->room);
		id = (uint32_t)f->nr++;
		f->paths[id] = xstrdup(path);
		hash_table_add(&f->by_path, hash, id);
	}
	return id;
}

/* Make "/src/x.c" of "/src/./lib/../x.c", so that a file has one spelling. Malloc'd. */
static char *plain_path(const char *path)
{
	char *plain = xstrdup(path), *out = plain;
	size_t kept = 0;	/* folders in @plain that ".." can remove */

	for (const char *p = path; *p; ) {
		size_t len = strcspn(p, "/");

		if (len == 2 && !strncmp(p, "..", 2) && kept) {
			for (out--; out > plain && out[-1] != '/'; out--)
				;
			kept--;
		} else if (len && !(len == 1 && *p == '.')) {
			bool is_up = len == 2 && !strncmp(p, "..", 2);

			memmove(out, p, len);
			out += len;
			if (p[len])
				*out++ = '/';
			kept = is_up ? 0 : kept + 1;
		} else if (!len && p == path) {
			*out++ = '/';
		}
		p += len + (p[len] == '/');
	}
	*out = '\0';
	return plain;
}

size_t annotated_file_add(struct annotated_files *f, const char *path, bool as_it_is)
{
	char *plain;
	size_t file;

	if (as_it_is)
		return add_file(f, path);
	plain = plain_path(path);
	file = add_file(f, plain);
	free(plain);
	return file;
}

void annotated_files_free(struct annotated_files *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->paths[i]);
	free(f->paths);
	hash_table_free(&f->by_path);
	*f = (struct annotated_files){ 0 };
}
