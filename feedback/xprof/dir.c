/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dir.c - the folder NAME.profile: one file for each type, replaced in one step under a lock */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "feedback/xprof/add.h"
#include "feedback/xprof/file.h"
#include "libutil/file.h"

int xprof_dir_read(const char *dir, enum xprof_type type, const struct xprof_options *options,
		   struct xprof **ret, struct op_error *e)
{
	char *path = path_join(dir, xprof_type_names[type]);
	int err = xprof_file_read(path, options, ret, e);

	free(path);
	return err;
}

static int write_temporary(int dir, const char *name, const struct strbuf *bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	int err;

	if (fd < 0)
		return -errno;
	err = file_write_fd(fd, bytes->text, bytes->len);
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* The caller holds the lock, so no other process uses the temporary file. */
static int replace(int dir, const struct xprof *x)
{
	const char *name = xprof_type_names[x->type];
	struct xprof *packed = xprof_pack(x);
	struct strbuf bytes = STRBUF_INIT;
	char temporary[32];
	int err;

	snprintf(temporary, sizeof(temporary), ".%s.new", name);
	xprof_file_encode(packed, false, &bytes);
	err = write_temporary(dir, temporary, &bytes);
	if (!err && renameat(dir, temporary, dir, name))
		err = -errno;
	if (err)
		unlinkat(dir, temporary, 0);
	else
		err = fsync(dir) ? -errno : 0;
	strbuf_free(&bytes);
	xprof_free(packed);
	return err;
}

static int add_to_old(const char *dir, const struct xprof *x, const struct xprof_options *options,
		      uint32_t *ret_nr_reset, struct xprof **ret, struct op_error *e)
{
	struct xprof *old;
	int err = xprof_dir_read(dir, x->type, options, &old, e);

	if (err)
		return err;
	*ret = xprof_add(old, x, ret_nr_reset);
	xprof_free(old);
	return 0;
}

static int store(const char *dir, int fd, const struct xprof *x, enum xprof_store how,
		 const struct xprof_options *options, uint32_t *ret_nr_reset, struct op_error *e)
{
	struct xprof *sum = NULL;
	struct stat st;
	bool exists = !fstatat(fd, xprof_type_names[x->type], &st, AT_SYMLINK_NOFOLLOW);
	int err = 0;

	if (exists && how == XPROF_NEW)
		return op_error_set(e, -EEXIST, "'%s/%s' exists; use --add or --replace", dir,
				    xprof_type_names[x->type]);
	if (exists && how == XPROF_ADD)
		err = add_to_old(dir, x, options, ret_nr_reset, &sum, e);
	if (err)
		return err;
	err = replace(fd, sum ? sum : x);
	xprof_free(sum);
	return err ? op_error_set(e, err, "cannot write '%s/%s': %s", dir,
				  xprof_type_names[x->type], strerror(-err)) : 0;
}

int xprof_dir_store(const char *dir, const struct xprof *x, enum xprof_store how,
		    const struct xprof_options *options, uint32_t *ret_nr_reset,
		    struct op_error *e)
{
	int err = file_make_dirs(dir, 0777), fd;

	*ret_nr_reset = 0;
	if (err)
		return op_error_set(e, err, "cannot create folder '%s': %s", dir, strerror(-err));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX)) {
		err = -errno;
		op_error_set(e, err, "cannot lock folder '%s': %s", dir, strerror(-err));
	} else {
		err = store(dir, fd, x, how, options, ret_nr_reset, e);
	}
	if (fd >= 0)
		close(fd);
	return err;
}
