/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.c - each source file once, by its path */
#include "pp/annotate/files.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

static size_t *file_slot(struct annotated_files *f, const char *path)
{
	size_t at = hash_string(path) & (f->nr_slots - 1);

	while (f->slots[at] && strcmp(f->paths[f->slots[at] - 1], path))
		at = (at + 1) & (f->nr_slots - 1);
	return &f->slots[at];
}

static size_t add_file(struct annotated_files *f, const char *path)
{
	size_t *slot;

	if (f->nr * 2 >= f->nr_slots) {
		f->nr_slots = f->nr_slots ? 2 * f->nr_slots : 256;
		free(f->slots);
		f->slots = xcalloc(f->nr_slots, sizeof(*f->slots));
		for (size_t i = 0; i < f->nr; i++)
			*file_slot(f, f->paths[i]) = i + 1;
	}
	slot = file_slot(f, path);
	if (!*slot) {
		xgrow(f->paths, f->nr, f->room);
		f->paths[f->nr++] = xstrdup(path);
		*slot = f->nr;
	}
	return *slot - 1;
}

/* "/src/./lib/../x.c" is "/src/x.c": else a file that is spelt in two ways were two files. */
static char *plain_path(const char *path)
{
	char *plain = xstrdup(path), *out = plain;
	size_t kept = 0;	/* folders in @plain that ".." may take back */

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
	free(f->slots);
	*f = (struct annotated_files){ 0 };
}
