// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image_fd.c - find and open the file of an image
 *
 * A path alone proves nothing: the file may have been replaced, the path may be of another mount
 * namespace, or may lead to a device by now. So only regular files are opened, and a descriptor is
 * returned only after its identity was verified.
 */
#include "daemon/collect/perf/image_fd.h"
#include "daemon/collect/perf/mounts.h"
#include "daemon/collect/perf/proc_files.h"
#include "libutil/quiet_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define OTHERS_MAX	16	/* other processes to try that map the image */

/* @exactly: do not believe an inode alone. */
static bool is_image(int fd, const struct perf_image *image, bool exactly)
{
	struct build_id id;
	struct stat st;

	if (image->build_id.len)
		return !quiet_build_id(fd, &id) && id.len >= image->build_id.len &&
		       !memcmp(id.bytes, image->build_id.bytes, image->build_id.len);
	if (!image->inode || quiet_stat(fd, &st) || st.st_ino != image->inode)
		return false;
	return (major(st.st_dev) == image->major && minor(st.st_dev) == image->minor) ||
	       (!exactly && perf_devices_differ(fd));
}

/* Closes @handle, an O_PATH descriptor or negative. @tgid: the process it was found by; 0: us. */
static int open_if_image(const struct perf_processes *p, int handle,
			 const struct perf_image *image, uint32_t tgid, bool exactly)
{
	int fd = perf_open_regular(p->proc, handle, tgid);

	if (fd >= 0 && !is_image(fd, image, exactly)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* The file behind a mapping, even if it was renamed: then its inode must match exactly. */
static int open_mapping(const struct perf_processes *p, const struct perf_image *image,
			uint32_t tgid, uint64_t start, uint64_t end)
{
	struct opener_mapping mapping = { start, end, -1 };
	char path[64], target[PATH_MAX + 32];
	bool is_renamed;
	ssize_t len;

	proc_files_open(p->proc, tgid, &mapping, 1);
	if (mapping.handle < 0)
		return -ESTALE;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", mapping.handle);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = 0;
	is_renamed = strncmp(target, image->path, strlen(image->path));
	return open_if_image(p, mapping.handle, image, tgid, is_renamed);
}

static int open_in_root(const struct perf_processes *p, const struct perf_image *image,
			uint32_t tgid)
{
	int root, handle;

	if (!tgid)
		return -ESTALE;
	root = proc_files_open_root(p->proc, tgid);
	if (root < 0)
		return -ESTALE;
	handle = quiet_open(root, image->path);
	close(root);
	return open_if_image(p, handle, image, tgid, false);
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

/* Try other processes that map the image: slow, only if its own processes are gone. */
static int open_through_others(const struct perf_processes *p, const struct perf_image *image)
{
	unsigned int left = OTHERS_MAX;
	int fd = -ESTALE;

	if (image->refs == 0)
		return -ESTALE;		/* no process maps it */
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
		fd = open_if_image(p, quiet_open(AT_FDCWD, image->path), image, 0, false);
	if (fd == -ESTALE)
		fd = open_through_others(p, image);
	return fd < 0 ? -ESTALE : fd;
}
