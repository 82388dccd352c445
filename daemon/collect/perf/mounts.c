// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mounts.c - the type of the file system that a descriptor lies on, from /proc
 *
 * statfs() would be simpler, but it asks the very server that is not to be asked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/collect/perf/mounts.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define MOUNTINFO_MAX	(16 << 20)	/* bytes */

struct mount {
	uint64_t id;
	unsigned int major, minor;
	char type[32];
};

/* "36 35 98:0 /root /mount/point options [fields] - type source options"; blanks are escaped. */
static bool parse_mount(const char *line, struct mount *ret)
{
	const char *end = strchrnul(line, '\n');
	const char *dash = memmem(line, end - line, " - ", 3);

	return dash &&
	       sscanf(line, "%" SCNu64 " %*u %u:%u", &ret->id, &ret->major, &ret->minor) == 3 &&
	       sscanf(dash, " - %31s", ret->type) == 1;
}

static const char *next_line(const char *line)
{
	line = strchrnul(line, '\n');
	return *line ? line + 1 : line;
}

static bool find_mount(const char *mounts, uint64_t id, struct mount *ret)
{
	for (const char *line = mounts; *line; line = next_line(line))
		if (parse_mount(line, ret) && ret->id == id)
			return true;
	return false;
}

static bool has_device(const char *mounts, const struct mount *wanted)
{
	struct mount m;

	for (const char *line = mounts; *line; line = next_line(line))
		if (parse_mount(line, &m) && m.major == wanted->major && m.minor == wanted->minor)
			return true;
	return false;
}

/*
 * An overlay that the daemon's own mount namespace has was made by who may mount there; others
 * can be made by any user, in a namespace of his own, above a FUSE file system.
 */
bool perf_mount_answers_by(const char *theirs, const char *ours, uint64_t mount_id)
{
	struct mount m;

	if (!find_mount(theirs, mount_id, &m) && !find_mount(ours, mount_id, &m))
		return false;
	if (!strncmp(m.type, "fuse", 4))
		return false;
	return strcmp(m.type, "overlay") || has_device(ours, &m);
}

static bool mount_of(int fd, uint64_t *ret)
{
	char path[64], *text, *line;
	bool found;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (file_read_all(path, 4096, &text, NULL))
		return false;
	line = strstr(text, "mnt_id:");
	found = line && sscanf(line, "mnt_id: %" SCNu64, ret) == 1;
	free(text);
	return found;
}

bool perf_mount_answers(const char *proc, uint32_t tgid, int fd)
{
	char *path, *theirs = NULL, *ours;
	uint64_t id;
	bool yes;

	if (!mount_of(fd, &id) || file_read_all("/proc/self/mountinfo", MOUNTINFO_MAX, &ours, NULL))
		return false;
	path = xasprintf("%s/%u/mountinfo", proc, tgid);
	if (!tgid || file_read_all(path, MOUNTINFO_MAX, &theirs, NULL))
		theirs = NULL;
	free(path);
	yes = perf_mount_answers_by(theirs ? theirs : "", ours, id);
	free(theirs);
	free(ours);
	return yes;
}
