// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_image_fd.c - from an image back to its file
 *
 * A path alone proves nothing: the file may have been replaced, or the path be one of another
 * mount namespace, or somebody may have put a device there. So nothing is opened before it
 * was seen to be a regular file, and nothing is returned before its identity agreed.
 */
#include "perf_image_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define STRANGERS_MAX	16	/* other processes to try that map the image */

/* Some file systems tell mmap() and stat() different devices for one file. */
static bool devices_differ(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) &&
	       (fs.f_type == BTRFS_SUPER_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

static bool is_image(int fd, const struct perf_image *image)
{
	struct build_id id;
	struct stat st;

	if (image->build_id.len)
		return !build_id_read_fd(fd, &id) && id.len >= image->build_id.len &&
		       !memcmp(id.bytes, image->build_id.bytes, image->build_id.len);
	if (!image->inode || fstat(fd, &st) || st.st_ino != image->inode)
		return false;
	return (major(st.st_dev) == image->major && minor(st.st_dev) == image->minor) ||
	       devices_differ(fd);
}

/* Opening a device or a fifo has effects, so look before: O_PATH has none. */
static int open_regular(const char *path)
{
	char self[64];
	struct stat st;
	int fd = -1, handle = open(path, O_PATH | O_CLOEXEC);

	if (handle < 0)
		return -errno;
	if (!fstat(handle, &st) && S_ISREG(st.st_mode)) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", handle);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	close(handle);
	return fd < 0 ? -ESTALE : fd;
}

static int open_if_image(const char *path, const struct perf_image *image)
{
	int fd = open_regular(path);

	if (fd >= 0 && !is_image(fd, image)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* The file behind a mapping, whatever became of its name. The link's text must still be ours. */
static int open_mapping(const struct perf_processes *p, const struct perf_image *image,
			uint32_t tgid, uint64_t start, uint64_t end)
{
	char path[PATH_MAX], target[PATH_MAX + 32];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/%u/map_files/%llx-%llx", p->proc, tgid,
		 (unsigned long long)start, (unsigned long long)end);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return -ESTALE;
	target[len] = 0;
	if (strncmp(target, image->path, strlen(image->path)))
		return -ESTALE;
	return open_if_image(path, image);
}

static int open_in_root(const struct perf_processes *p, const struct perf_image *image,
			uint32_t tgid)
{
	char path[2 * PATH_MAX];

	if (!tgid)
		return -ESTALE;
	snprintf(path, sizeof(path), "%s/%u/root%s", p->proc, tgid, image->path);
	return open_if_image(path, image);
}

static int open_through(const struct perf_processes *p, const struct perf_image *image,
			const struct perf_process *q)
{
	const struct perf_maps *maps = q->maps;

	for (size_t i = 0; maps && i < maps->nr; i++) {
		const struct perf_mapping *m = &maps->mappings[i];
		int fd;

		if (m->image != image)
			continue;
		fd = open_mapping(p, image, q->tgid, m->start, m->end);
		return fd >= 0 ? fd : open_in_root(p, image, q->tgid);
	}
	return -ESTALE;
}

/* Anybody who maps it: slow, and only when its own processes are gone. */
static int open_through_strangers(const struct perf_processes *p, const struct perf_image *image)
{
	unsigned int left = STRANGERS_MAX;
	int fd = -ESTALE;

	if (image->refs == 0)
		return -ESTALE;		/* nobody does */
	for (size_t i = 0; i < p->nr_buckets && left; i++) {
		for (const struct perf_process *q = p->buckets[i]; q && left; q = q->next) {
			if (!q->maps || perf_process_has_exited(q))
				continue;
			fd = open_through(p, image, q);
			if (fd >= 0)
				return fd;
		}
	}
	return fd;
}

int perf_image_open(const struct perf_processes *p, const struct perf_image *image)
{
	int fd;

	if (image->anonymous)
		return -ESTALE;
	fd = open_mapping(p, image, image->tgid, image->start, image->end);
	if (fd < 0)
		fd = open_in_root(p, image, image->tgid);
	if (fd < 0)
		fd = open_in_root(p, image, image->parent_tgid);
	if (fd < 0)
		fd = open_if_image(image->path, image);
	if (fd < 0)
		fd = open_through_strangers(p, image);
	return fd < 0 ? -ESTALE : fd;
}
