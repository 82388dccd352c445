/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import.c - write old and new samples to a new file, and rename it over the old one */
#include "pp/exchange/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/odb.h"
#include "libutil/xalloc.h"

struct merger {
	const char *output;
	char *temporary;
	size_t header_size;
	struct odb_snapshot old;	/* the samples in @output; none if it is new */
	struct odb *db;
};

/* Compare all fields but the clock, which is only shown in reports. */
static bool same_kind(const struct sample_header *a, const struct sample_header *b)
{
	return a->version == b->version && a->cpu_type == b->cpu_type && a->event == b->event &&
	       a->unit_mask == b->unit_mask && a->count == b->count &&
	       a->is_kernel == b->is_kernel && a->mtime == b->mtime &&
	       a->cg_to_is_kernel == b->cg_to_is_kernel && a->anon_start == b->anon_start &&
	       a->cg_to_anon_start == b->cg_to_anon_start;
}

static int read_old(struct merger *m, const struct sample_header *header, bool *ret_is_there,
		    struct op_error *e)
{
	struct sample_header old;
	struct stat st;
	int err;

	*ret_is_there = false;
	if (lstat(m->output, &st)) {
		err = -errno;
		return err == -ENOENT ? 0 : op_error_set(e, err, "cannot open '%s': %s", m->output,
							 strerror(-err));
	}
	if (!S_ISREG(st.st_mode))
		return op_error_set(e, -EINVAL, "'%s' is not a regular file", m->output);
	err = sample_header_read(m->output, &old, NULL, e);
	if (err == -ENODATA)
		return 0;
	if (err)
		return err;
	*ret_is_there = true;
	if (!same_kind(header, &old))
		return op_error_set(e, -EEXIST, "cannot add to '%s': it has samples of another "
				    "event, image or version", m->output);
	return odb_read(m->output, m->header_size, &m->old, e);
}

/* Create the temporary file, which is removed after an error: so it must not exist. */
static int create_new(const struct merger *m, struct op_error *e)
{
	int fd = open(m->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), err = -errno;

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (err == -EEXIST)
		return op_error_set(e, err, "'%s' already exists; if no other opimport is running, "
				    "remove it", m->temporary);
	return op_error_set(e, err, "cannot write '%s': %s", m->temporary, strerror(-err));
}

static int open_new(struct merger *m, const struct sample_header *header, struct op_error *e)
{
	int err = odb_open(m->temporary, m->header_size, &m->db, e);

	return err ? err : sample_header_store(header, odb_header(m->db));
}

static int add_all(struct merger *m, const struct foreign_samples *f, struct import_sums *sums,
		   struct op_error *e)
{
	int err = 0;

	for (uint32_t i = 0; i < m->old.nr_nodes && !err; i++)
		err = odb_add(m->db, m->old.nodes[i].key, m->old.nodes[i].count);
	for (uint32_t i = 0; i < f->nr && !err; i++) {
		uint64_t key, count;

		foreign_sample(f, i, &key, &count);
		err = odb_add(m->db, key, count);
		sums->samples += count;
		sums->places++;
	}
	if (err)
		return op_error_set(e, err, "cannot write '%s': %s", m->temporary, strerror(-err));
	return 0;
}

static int write_new(struct merger *m, const struct foreign_samples *f,
		     struct import_sums *sums, struct op_error *e)
{
	int err = create_new(m, e);

	if (err)
		return err;
	err = open_new(m, &f->header, e);
	if (!err)
		err = add_all(m, f, sums, e);
	odb_close(m->db);
	if (!err && rename(m->temporary, m->output))
		err = op_error_set(e, -errno, "cannot write '%s': %s", m->output, strerror(errno));
	if (err)
		unlink(m->temporary);
	return err;
}

int import_samples(const struct foreign_samples *f, const char *output, struct import_sums *ret,
		   struct op_error *e)
{
	unsigned char header[SAMPLE_HEADER_SIZE_MAX];
	int size = sample_header_encode(&f->header, header, sizeof(header));
	struct merger m = { .output = output };
	struct import_sums sums = { 0 };
	int err;

	if (size < 0)
		return op_error_set(e, size, "cannot write version 0x%x", f->header.version);
	m.header_size = (size_t)size;
	m.temporary = xasprintf("%s.new", output);
	err = read_old(&m, &f->header, &sums.added, e);
	if (!err)
		err = write_new(&m, f, &sums, e);
	odb_snapshot_free(&m.old);
	free(m.temporary);
	if (!err)
		*ret = sums;
	return err;
}
