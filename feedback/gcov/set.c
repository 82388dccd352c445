// SPDX-License-Identifier: GPL-2.0-or-later
/* set.c - the notes of all objects of a program, with their data */
#include "feedback/gcov/set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/format.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define FILE_LIMIT	((size_t)1 << 30)

static int read_notes(const char *path, struct gcov_notes *ret, struct op_error *e)
{
	struct op_error why = { "" };
	char *bytes;
	size_t size;
	int err = file_read_all(path, FILE_LIMIT, &bytes, &size);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = gcov_notes_read(bytes, size, ret, &why);
	return err ? op_error_set(e, err, "%s: %s", path, why.text) : 0;
}

/* An object that never ran has no data. Stale data is ignored with a warning [XP-34]. */
static int read_data(const char *notes_path, struct gcov_notes *n,
		     const struct format_warnings *warnings, struct op_error *e)
{
	char *path = gcov_list_beside(notes_path, ".gcda"), *bytes;
	struct op_error why = { "" };
	size_t size;
	int err = file_read_all(path, FILE_LIMIT, &bytes, &size);

	if (err == -ENOENT) {
		free(path);
		return 0;
	}
	if (err) {
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	} else {
		err = gcov_data_read(bytes, size, n, &why);
		free(bytes);
		if (err == -ESTALE) {
			format_warn(warnings, "ignored '%s': %s", path, why.text);
			err = 0;
		} else if (err) {
			op_error_set(e, err, "%s: %s", path, why.text);
		}
	}
	free(path);
	return err;
}

static int read_object(struct gcov_object *o, bool data, const struct format_warnings *warnings,
		       struct op_error *e)
{
	struct stat st = { 0 };
	int err = read_notes(o->notes_path, &o->notes, e);

	if (!err && data)
		err = read_data(o->notes_path, &o->notes, warnings, e);
	if (!err && stat(o->notes_path, &st))
		err = op_error_set(e, -errno, "cannot read '%s': %s", o->notes_path,
				   strerror(errno));
	o->path = gcov_list_beside(o->notes_path, ".o");
	o->sec = (uint32_t)st.st_mtim.tv_sec;
	o->usec = (uint32_t)(st.st_mtim.tv_nsec / 1000);
	return err;
}

int gcov_set_read(const struct gcov_list *list, bool data, const struct format_warnings *warnings,
		  struct gcov_set *ret, struct op_error *e)
{
	int err = 0;

	*ret = (struct gcov_set){ .objects = xcalloc(list->nr + 1, sizeof(*ret->objects)) };
	for (size_t i = 0; i < list->nr && !err; i++) {
		struct gcov_object *o = &ret->objects[ret->nr++];

		o->notes_path = list->paths[i];
		err = read_object(o, data, warnings, e);
		if (!err)
			gcov_idents_add(&ret->idents, &o->notes, o->path);
	}
	gcov_idents_sort(&ret->idents);
	return err;
}

void gcov_set_free(struct gcov_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		gcov_notes_free(&set->objects[i].notes);
		free(set->objects[i].path);
	}
	gcov_idents_free(&set->idents);
	free(set->objects);
	*set = (struct gcov_set){ 0 };
}
