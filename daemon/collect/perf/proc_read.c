// SPDX-License-Identifier: GPL-2.0-or-later
/* proc_read.c - a process' mappings and program, as its folder in /proc shows them */
#include "daemon/collect/perf/proc_read.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/collect/perf/proc.h"

static FILE *open_maps(const char *proc, uint32_t tgid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%u/maps", proc, tgid);
	return fopen(path, "re");
}

struct perf_maps *perf_read_maps(struct perf_cookies *cookies, const char *proc, uint32_t tgid)
{
	FILE *f = open_maps(proc, tgid);
	struct perf_maps *maps = NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (!f)
		return NULL;
	while ((len = getline(&line, &room, f)) > 0) {
		struct perf_image *image;
		struct perf_maps_line m;

		if (line[len - 1] == '\n')
			line[len - 1] = 0;
		if (!perf_parse_maps_line(line, &m) || !m.executable)
			continue;
		image = perf_image_get(cookies, &(struct perf_image_key){
			m.path, m.major, m.minor, m.inode, 0, { { 0 }, 0 } });
		image->tgid = tgid;
		image->start = m.start;
		image->end = m.end;
		perf_maps_add(cookies, &maps, m.start, m.end, m.offset, image);
		perf_image_put(cookies, image);
	}
	free(line);
	fclose(f);
	return maps;
}

struct perf_image *perf_read_program(struct perf_cookies *cookies, const char *proc, uint32_t tgid,
				     const struct perf_maps *maps)
{
	char link[PATH_MAX], target[PATH_MAX + 32];
	struct perf_image_key key = { .path = target };
	struct perf_image *image, *found = NULL;
	struct statx st;
	ssize_t len;

	snprintf(link, sizeof(link), "%s/%u/exe", proc, tgid);
	len = readlink(link, target, sizeof(target) - 1);
	if (len <= 0)
		return NULL;
	target[len] = 0;
	/* as far as the kernel knows: a FUSE server may never answer (mounts.h) */
	if (!statx(AT_FDCWD, link, AT_STATX_DONT_SYNC, STATX_INO, &st)) {
		key.major = st.stx_dev_major;
		key.minor = st.stx_dev_minor;
		key.inode = st.stx_ino;
	}
	image = perf_image_get(cookies, &key);
	for (size_t i = 0; maps && i < maps->nr && !found; i++)
		if (!strcmp(maps->mappings[i].image->path, image->path))
			found = maps->mappings[i].image;
	if (found) {
		found->refs++;
		perf_image_put(cookies, image);
		image = found;
	}
	return image;
}
