// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image_fd.c - from an image back to its file
 *
 * A path alone proves nothing: the file may have been replaced, or the path be one of another
 * mount namespace, or somebody may have put a device there. So nothing is opened before it
 * was seen to be a regular file, and nothing is returned before its identity agreed.
 */
#include "daemon/collect/perf/image_fd.h"
#include "daemon/collect/perf/mounts.h"
#include "libutil/quiet_path.h"

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

/*
 * Opening a device or a fifo has effects, and opening a file of FUSE may never end, so look
 * before: O_PATH has none, and what statx() then tells is what the kernel knows already.
 */
static int open_regular(const struct perf_processes *p, int handle, uint32_t tgid)
{
	char self[64];
	struct statx st;
	int fd;

	if (handle < 0)
		return -ESTALE;
	if (statx(handle, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) ||
	    !S_ISREG(st.stx_mode)) {
		fd = -ESTALE;
	} else if (!perf_mount_answers(p->proc, tgid, handle)) {
		fd = -EOPNOTSUPP;	/* and no other way to it is to be tried */
	} else {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", handle);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		fd = fd < 0 ? -ESTALE : fd;
	}
	close(handle);
	return fd;
}

/* @handle, an O_PATH descriptor or negative, is used up. @tgid: whose way led there; 0: ours. */
static int open_if_image(const struct perf_processes *p, int handle,
			 const struct perf_image *image, uint32_t tgid)
{
	int fd = open_regular(p, handle, tgid);

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
	return open_if_image(p, open(path, O_PATH | O_CLOEXEC), image, tgid);
}

static int open_in_root(const struct perf_processes *p, const struct perf_image *image,
			uint32_t tgid)
{
	char path[PATH_MAX];
	int root, handle;

	if (!tgid)
		return -ESTALE;
	snprintf(path, sizeof(path), "%s/%u/root", p->proc, tgid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -ESTALE;
	handle = quiet_open(root, image->path);
	close(root);
	return open_if_image(p, handle, image, tgid);
}

static int open_through(const struct perf_processes *p, const struct perf_image *image,
			const struct perf_process *q, unsigned int *left)
{
	const struct perf_maps *maps = q->maps;

	for (size_t i = 0; maps && i < maps->nr; i++) {
		const struct perf_mapping *m = &maps->mappings[i];
		int fd;

		if (m->image != image)
			continue;
		--*left;
		fd = open_mapping(p, image, q->tgid, m->start, m->end);
		return fd != -ESTALE ? fd : open_in_root(p, image, q->tgid);
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
			fd = open_through(p, image, q, &left);
			if (fd != -ESTALE)
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
	if (fd == -ESTALE)
		fd = open_in_root(p, image, image->tgid);
	if (fd == -ESTALE)
		fd = open_in_root(p, image, image->parent_tgid);
	if (fd == -ESTALE)
		fd = open_if_image(p, quiet_open(AT_FDCWD, image->path), image, 0);
	if (fd == -ESTALE)
		fd = open_through_strangers(p, image);
	return fd < 0 ? -ESTALE : fd;
}
