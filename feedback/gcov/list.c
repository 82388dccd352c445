/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.c - find .gcno files */
#include "feedback/gcov/list.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && !strcmp(path + n - k, suffix);
}

static int add(struct gcov_list *list, const char *path, struct op_error *e)
{
	char *absolute = path_absolute(path);

	if (!absolute)
		return op_error_set(e, -ENOENT, "cannot resolve '%s'", path);
	xgrow(list->paths, list->nr, list->room);
	list->paths[list->nr++] = absolute;
	return 0;
}

static int add_folder(struct gcov_list *list, const char *path, struct op_error *e)
{
	char *const roots[] = { (char *)path, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	size_t before = list->nr;
	FTSENT *entry;
	int err = 0;

	if (!walk)
		return op_error_set(e, -errno, "cannot read '%s': %s", path, strerror(errno));
	while (!err && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_F && has_suffix(entry->fts_name, ".gcno"))
			err = add(list, entry->fts_path, e);
	fts_close(walk);
	if (!err && list->nr == before)
		err = op_error_set(e, -ENOENT, "no .gcno file in '%s'; compile with gcc --coverage",
				   path);
	return err;
}

char *gcov_list_beside(const char *path, const char *suffix)
{
	return xasprintf("%.*s%s", (int)(strlen(path) - strlen(".gcno")), path, suffix);
}

int gcov_list_add(struct gcov_list *list, const char *what, struct op_error *e)
{
	static const char *const others[] = { ".gcda", ".o" };
	char *notes = NULL;
	int err;

	if (file_is_dir(what))
		return add_folder(list, what, e);
	for (size_t i = 0; i < 2 && !notes; i++)
		if (has_suffix(what, others[i]))
			notes = xasprintf("%.*s.gcno", (int)(strlen(what) - strlen(others[i])),
					  what);
	if (!notes && has_suffix(what, ".gcno"))
		notes = xstrdup(what);
	if (!notes)
		return op_error_set(e, -EINVAL, "invalid name '%s': expected a folder or a .gcno, "
				    ".gcda or .o file", what);
	err = file_exists(notes) ? add(list, notes, e)
				 : op_error_set(e, -ENOENT, "'%s' not found; compile with gcc "
						"--coverage", notes);
	free(notes);
	return err;
}

void gcov_list_finish(struct gcov_list *list)
{
	size_t kept = 0;

	if (list->nr)
		qsort(list->paths, list->nr, sizeof(*list->paths), compare_texts);
	for (size_t i = 0; i < list->nr; i++) {
		if (kept && !strcmp(list->paths[kept - 1], list->paths[i]))
			free(list->paths[i]);
		else
			list->paths[kept++] = list->paths[i];
	}
	list->nr = kept;
}

void gcov_list_free(struct gcov_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct gcov_list){ 0 };
}
