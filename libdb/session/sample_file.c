// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_file.c - create and open the sample files of a session */
#include <string.h>
#include "libdb/session/sample_file.h"
#include "libutil/file.h"

int sample_file_path(const char *folder, const struct sample_name *name, struct strbuf *path)
{
	strbuf_add(path, folder);
	strbuf_add_char(path, '/');
	return sample_name_format(name, path);
}

struct sample_header sample_file_header(const struct sample_name *name)
{
	return (struct sample_header){
		.version = SAMPLE_VERSION_1X,
		.unit_mask = (uint32_t)name->unit_mask,
		.count = (uint32_t)name->count,
		.anon_start = name->image.anon_start,
		.cg_to_anon_start = name->callee.anon_start,
	};
}

int sample_file_open(const char *path, const struct sample_header *header, struct odb **ret,
		     struct op_error *e)
{
	struct odb *db = NULL;
	int err = file_make_parent_dirs(path, 0755);

	if (err)
		return op_error_set(e, err, "cannot create the directory of '%s': %s", path,
				    strerror(-err));
	err = odb_open(path, SAMPLE_HEADER_SIZE, &db, e);
	if (!err && odb_is_new(db)) {
		err = sample_header_store(header, odb_header(db));
		if (err)
			op_error_set(e, err, "cannot write '%s': %s", path, strerror(-err));
	}
	if (err)
		odb_close(db);
	else
		*ret = db;
	return err;
}
