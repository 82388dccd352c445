// SPDX-License-Identifier: GPL-2.0-or-later
/* writer.c - write counts into a session */
#include "libdb/session/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/abi.h"
#include "libdb/session/sample_file.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/vdso.h"
#include "libutil/xalloc.h"

void session_writer_init(struct session_writer *ret, const char *samples)
{
	*ret = (struct session_writer){
		.samples = xstrdup(samples),
		.stats = path_join(samples, "stats"),
	};
	(void)session_parts_read(ret->stats, &ret->parts, NULL);
}

void session_writer_free(struct session_writer *w)
{
	free(w->samples);
	free(w->stats);
	session_parts_free(&w->parts);
	*w = (struct session_writer){ 0 };
}

/* --- sample files --- */

static int compare_records(const void *a, const void *b)
{
	const struct session_record *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

size_t session_records_sum(struct session_record *records, size_t nr)
{
	size_t last = 0;

	if (!nr)
		return 0;
	qsort(records, nr, sizeof(*records), compare_records);
	for (size_t i = 1; i < nr; i++) {
		struct session_record *sum = &records[last];

		if (compare_records(sum, &records[i]))
			records[++last] = records[i];
		else
			count_add(&sum->count, records[i].count);
	}
	return last + 1;
}

/* The folder of the file: the session's, or that of a part. Malloc'd. */
static int folder_of(struct session_writer *w, const struct session_file *file, char **ret)
{
	size_t part;
	int err;

	if (!*file->build_id && !*file->cgroup) {
		*ret = xstrdup(w->samples);
		return 0;
	}
	err = session_parts_get(w->stats, &w->parts, file->build_id, file->cgroup, &part);
	if (!err)
		*ret = session_part_path(w->stats, part);
	return err;
}

static int open_file(struct session_writer *w, const struct session_file *file, struct odb **ret,
		     struct strbuf *path, struct op_error *e)
{
	struct sample_header header = sample_file_header(&file->name);
	struct op_error why = { "" };
	char *folder = NULL;
	int err = folder_of(w, file, &folder);

	header.cpu_type = file->cpu_type;
	header.mtime = file->mtime;
	if (!err)
		err = sample_file_path(folder, &file->name, path);
	if (!err)
		err = sample_file_open(path->text, &header, ret, &why);
	if (err && *why.text)
		op_error_set(e, err, "%s", why.text);
	else if (err)
		op_error_set(e, err, "cannot write a sample file below '%s': %s",
			     folder ? folder : w->stats, strerror(-err));
	free(folder);
	return err;
}

/* @nr records of one file. */
static int write_file(struct session_writer *w, const struct session_record *records, size_t nr,
		      const struct session_file_ops *ops, void *context, struct op_error *e)
{
	struct session_file file = { .build_id = "", .cgroup = "" };
	struct strbuf path = STRBUF_INIT;
	struct odb *db = NULL;
	int open_err, err;

	ops->describe(context, records->file, &file);
	err = open_err = open_file(w, &file, &db, &path, e);
	if (!err && ops->opened)
		ops->opened(context, records->file, odb_is_new(db));
	for (const struct session_record *r = records; r < records + nr; r++) {
		int failed = open_err;

		if (!r->count)
			continue;
		if (!failed)
			failed = odb_add(db, r->key, r->count);
		if (failed && !err)
			err = op_error_set(e, failed, "cannot write '%s': %s", path.text,
					   strerror(-failed));
		ops->added(context, r, failed);
	}
	odb_close(db);
	strbuf_free(&path);
	return err;
}

int session_write_records(struct session_writer *w, const struct session_record *records,
			  size_t nr, const struct session_file_ops *ops, void *context,
			  struct op_error *e)
{
	size_t end;
	int err = 0;

	for (size_t first = 0; first < nr && !(err && ops->stops_at_failure); first = end) {
		int failed;

		for (end = first + 1; end < nr && records[end].file == records[first].file;)
			end++;
		failed = write_file(w, records + first, end - first, ops, context, err ? NULL : e);
		err = err ? err : failed;
	}
	return err;
}

/* --- beside them --- */

static bool has_own_abi(const char *session_dir, uint32_t sample_version)
{
	char *path = path_join(session_dir, "abi");
	struct abi abi, own;
	bool is_own;

	abi_native(sample_version, &own);
	is_own = !abi_read(path, &abi, NULL) && abi_equal(&abi, &own);
	free(path);
	return is_own;
}

int session_write_stats(const char *stats_dir, const char *session_dir,
			const struct session_counts *counts, const struct session_info *info)
{
	int err = session_counts_write(stats_dir, counts);

	if (!err)
		err = session_info_write(stats_dir, info);
	if (!err && !has_own_abi(session_dir, SAMPLE_VERSION_1X))
		err = session_abi_write(session_dir, SAMPLE_VERSION_1X);
	return err;
}

void session_write_vdso(const char *stats_dir)
{
	char *path = path_join(stats_dir, SESSION_VDSO_FILE);
	size_t size;
	const void *image = vdso_image(&size);

	if (image && !file_exists(path))
		(void)file_write_atomic(path, image, size, 0644);
	free(path);
}
