// SPDX-License-Identifier: GPL-2.0-or-later
/* binary_copy.c - see binary_copy.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/record/binary_copy.h"
#include "libutil/errand.h"
#include "libutil/file.h"
#include "libutil/quiet_path.h"
#include "libutil/xalloc.h"

#define FILE_MAX	(64u << 20)	/* bytes */
#define PIECE		(4u << 20)	/* bytes: a few milliseconds */
#define KEEP_FREE	(64u << 20)	/* bytes of the disk, for samples */
#define NEW_NAME	".new"

static int check_size(const struct stat *st, const char *dir, struct op_error *e)
{
	uint64_t free_bytes;
	int err;

	if (!S_ISREG(st->st_mode) || st->st_size <= 0)
		return op_error_set(e, -EINVAL, "not a regular file");
	if (st->st_size > FILE_MAX)
		return op_error_set(e, -EFBIG, "too large: %lld bytes, at most %u MB are copied",
				    (long long)st->st_size, FILE_MAX >> 20);
	err = file_free_bytes(dir, &free_bytes);
	if (err)
		return op_error_set(e, err, "cannot get the free space of '%s': %s", dir,
				    strerror(-err));
	if (free_bytes < (uint64_t)st->st_size + KEEP_FREE)
		return op_error_set(e, -ENOSPC, "the disk is nearly full");
	return 0;
}

static int make_file(struct binary_copy *c, const struct stat *st, const char *dir,
		     struct op_error *e)
{
	struct stat there;
	int err;

	/* a symbolic link would lead elsewhere */
	if (lstat(dir, &there) || !S_ISDIR(there.st_mode))
		return op_error_set(e, -ENOTDIR, "'%s' is not a directory", dir);
	(void)unlink(c->new_path);
	c->to = open(c->new_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (c->to < 0)
		return op_error_set(e, -errno, "cannot create '%s': %s", c->new_path,
				    strerror(errno));
	/* users who cannot read the binary must not read the copy */
	err = st->st_mode & S_IROTH && fchmod(c->to, 0644) ? -errno : 0;
	return err ? op_error_set(e, err, "cannot set the mode of '%s': %s", c->new_path,
				  strerror(-err)) : 0;
}

void binary_copy_abort(struct binary_copy *c)
{
	if (c->to >= 0) {
		close(c->to);
		(void)unlink(c->new_path);
	}
	free(c->new_path);
	free(c->path);
	*c = (struct binary_copy){ .from = -1, .to = -1 };
}

int binary_copy_begin(struct binary_copy *c, int fd, const char *dir, const char *build_id,
		      struct op_error *e)
{
	struct stat st;
	int err;

	*c = (struct binary_copy){ .from = fd, .to = -1 };
	c->new_path = path_join(dir, NEW_NAME);
	c->path = path_join(dir, build_id);
	if (file_exists(c->path))
		err = -EEXIST;
	else if (quiet_stat(fd, &st))
		err = op_error_set(e, -errno, "%s", strerror(errno));
	else if ((err = file_make_dirs(dir, 0755)))
		op_error_set(e, err, "cannot create '%s': %s", dir, strerror(-err));
	else if (!(err = check_size(&st, dir, e)))
		err = make_file(c, &st, dir, e);
	if (err)
		binary_copy_abort(c);
	else
		c->size = st.st_size;
	return err;
}

struct piece {
	struct errand errand;
	off_t at;
	size_t n;
	ssize_t got;
	char bytes[PIECE];
};

static int read_piece(struct errand *errand)
{
	struct piece *p = (struct piece *)errand;

	p->got = pread(errand->fd, p->bytes, p->n, p->at);
	return p->got < 0 ? -errno : 0;
}

/* Bytes, or -errno. */
static ssize_t copy_piece(struct binary_copy *c)
{
	struct piece *p = xmalloc(sizeof(*p));
	ssize_t got;

	p->errand = (struct errand){ .run = read_piece, .place = errand_place(c->from),
				     .fd = c->from };
	p->at = (off_t)c->done;
	p->n = c->size - c->done < PIECE ? c->size - c->done : PIECE;
	got = errand_run(&p->errand, sizeof(*p));
	if (!got)
		got = p->got;
	if (got > 0 && pwrite(c->to, p->bytes, (size_t)got, (off_t)c->done) != got)
		got = errno ? -errno : -ENOSPC;
	free(p);
	return got;
}

/* Renamed when complete, so that nobody finds a part of it. */
static int finish(struct binary_copy *c, struct op_error *e)
{
	uint64_t size = c->size;

	if (rename(c->new_path, c->path))
		return op_error_set(e, -errno, "cannot create '%s': %s", c->path,
				    strerror(errno));
	close(c->to);
	c->to = -1;
	binary_copy_abort(c);
	c->size = size;
	return 0;
}

int binary_copy_step(struct binary_copy *c, bool *ret_done, struct op_error *e)
{
	ssize_t got = copy_piece(c);
	int err = 0;

	if (got < 0)
		err = op_error_set(e, -EIO, "cannot copy to '%s': %s", c->new_path,
				   strerror((int)-got));
	else if (!got)
		err = op_error_set(e, -EAGAIN, "truncated while it was copied");
	else
		c->done += got;
	if (!err && c->done == c->size) {
		err = finish(c, e);
		*ret_done = !err;
	}
	if (err)
		binary_copy_abort(c);
	return err;
}

void binary_copy_remove_leftover(const char *dir)
{
	char *path = path_join(dir, NEW_NAME);

	(void)unlink(path);
	free(path);
}
