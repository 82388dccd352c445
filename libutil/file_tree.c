// SPDX-License-Identifier: GPL-2.0-or-later
/* file_tree.c - create folders and remove trees */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libutil/file.h"
#include "libutil/xalloc.h"

static int make_dir(const char *path, mode_t mode)
{
	int err;

	if (!mkdir(path, mode))
		return 0;
	err = -errno;
	if (file_is_dir(path))
		return 0;
	return err == -EEXIST ? -ENOTDIR : err;
}

int file_make_dirs(const char *path, mode_t mode)
{
	char *copy, *end, *slash;
	int err;

	if (file_is_dir(path))
		return 0;
	copy = xstrdup(path);
	end = copy + strlen(copy);
	/* up to a parent that exists or can be created: usually the first, however deep it is */
	for (err = make_dir(copy, mode); err == -ENOENT; err = make_dir(copy, mode)) {
		slash = strrchr(copy, '/');
		if (!slash || slash == copy)
			break;
		*slash = '\0';
	}
	while (!err && copy + strlen(copy) != end) {
		copy[strlen(copy)] = '/';
		err = make_dir(copy, mode);
	}
	free(copy);
	return err;
}

int file_make_parent_dirs(const char *path, mode_t mode)
{
	size_t n = (size_t)(path_base(path) - path);
	char *dir;
	int err;

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (!n)
		return 0;	/* in the current folder */
	dir = xstrdup(path);
	dir[n] = '\0';
	err = file_make_dirs(dir, mode);
	free(dir);
	return err;
}

/*
 * Removing a tree keeps only one folder open, whatever the depth: sample files lie as deep as the
 * deepest path that was executed, which may be deeper than the limit of open files.
 */
struct level {
	dev_t dev;		/* of the parent folder, to recognize it */
	ino_t ino;
	char *name;		/* of this folder in its parent */
};

struct removal {
	int fd;			/* the current folder */
	struct level *levels;
	size_t nr_levels, room;
};

/* Enter @name in the current folder. */
static int descend(struct removal *r, const char *name)
{
	struct stat st;
	int fd;

	if (fstat(r->fd, &st))
		return -errno;
	fd = openat(r->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	xgrow(r->levels, r->nr_levels, r->room);
	r->levels[r->nr_levels++] = (struct level){ st.st_dev, st.st_ino, xstrdup(name) };
	close(r->fd);
	r->fd = fd;
	return 0;
}

/* Go to the parent and remove the folder just left; -ESTALE if it was moved meanwhile. */
static int ascend(struct removal *r)
{
	struct level *level = &r->levels[--r->nr_levels];
	int fd, err = 0;
	struct stat st;

	fd = openat(r->fd, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		err = -errno;
	else if (st.st_dev != level->dev || st.st_ino != level->ino)
		err = -ESTALE;
	else if (unlinkat(fd, level->name, AT_REMOVEDIR) && errno != ENOENT)
		err = -errno;
	free(level->name);
	if (fd >= 0) {
		close(r->fd);
		r->fd = fd;
	}
	return err;
}

/* Unlink @name; if it is a folder with entries, enter it and set @entered. */
static int remove_entry(struct removal *r, const char *name, bool *entered)
{
	int err;

	*entered = false;
	if (!unlinkat(r->fd, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	err = -errno;
	if (!unlinkat(r->fd, name, AT_REMOVEDIR))
		return 0;
	if (errno == ENOTDIR)
		return err;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	*entered = true;
	return descend(r, name);
}

/* Remove the entries of the current folder, until one is a folder, which is entered. */
static int remove_entries(struct removal *r, bool *entered)
{
	struct dirent *entry;
	int err = 0, fd;
	DIR *dir;

	*entered = false;
	fd = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		err = -errno;
		close(fd);
		return err;
	}
	while (!err && !*entered) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = -errno;
			break;
		}
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = remove_entry(r, entry->d_name, entered);
	}
	closedir(dir);
	return err;
}

int file_remove_tree(const char *path)
{
	struct removal r = { .fd = -1 };
	bool entered;
	int err = 0;

	if (!unlink(path) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	r.fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r.fd < 0)
		return -errno;
	for (;;) {
		err = remove_entries(&r, &entered);
		if (err)
			break;
		if (entered)
			continue;
		if (!r.nr_levels)
			break;
		err = ascend(&r);
		if (err)
			break;
	}
	while (r.nr_levels)
		free(r.levels[--r.nr_levels].name);
	free(r.levels);
	close(r.fd);
	if (!err && rmdir(path) && errno != ENOENT)
		err = -errno;
	return err;
}
