// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mounts.c - find the type of a descriptor's file system, from /proc
 *
 * statfs() would be simpler, but it asks the FUSE server.
 *
 * mountinfo lists only mounts below the root of its process. If that is a plain folder (chroot),
 * the mount that contains the folder is missing. The list of the first process has that mount or,
 * if we are in another mount namespace, another mount of the same device. statmount() would be
 * exact, but is new (Linux 6.8) and needs CAP_SYS_ADMIN.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "daemon/collect/perf/mounts.h"
#include "libutil/errand.h"
#include "libutil/file.h"
#include "libutil/quiet_path.h"
#include "libutil/xalloc.h"

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE	0x4000	/* Linux 6.8 */
#endif

#define MOUNTINFO_MAX	(16 << 20)	/* bytes */
#define NR_KNOWN	256		/* mounts; a new one replaces an old one */

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

static bool find_device(const char *mounts, unsigned int major, unsigned int minor,
			struct mount *ret)
{
	for (const char *line = mounts; *line; line = next_line(line))
		if (parse_mount(line, ret) && ret->major == major && ret->minor == minor)
			return true;
	return false;
}

static bool find(const struct perf_mount_lists *lists, const struct perf_mount_key *key,
		 struct mount *ret)
{
	return find_mount(lists->theirs, key->id, ret) || find_mount(lists->ours, key->id, ret) ||
	       find_mount(lists->first, key->id, ret) ||
	       find_device(lists->first, key->major, key->minor, ret);
}

/*
 * An overlay in the mount namespace of the daemon or the first process was mounted by root. Others
 * may be mounted by any user, in a namespace of their own, above a FUSE file system.
 */
bool perf_mount_answers_by(const struct perf_mount_lists *lists, const struct perf_mount_key *key)
{
	struct mount m, same;

	if (!find(lists, key, &m) || !strncmp(m.type, "fuse", 4))
		return false;
	return strcmp(m.type, "overlay") ||
	       find_device(lists->ours, m.major, m.minor, &same) ||
	       find_device(lists->first, m.major, m.minor, &same);
}

/* The device is as cached in the kernel, without asking the server. */
static bool key_of(int fd, struct perf_mount_key *ret)
{
	char path[64], *text, *line;
	struct statx st;
	bool found;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st) ||
	    file_read_all(path, 4096, &text, NULL))
		return false;
	ret->major = st.stx_dev_major;
	ret->minor = st.stx_dev_minor;
	line = strstr(text, "mnt_id:");
	found = line && sscanf(line, "mnt_id: %" SCNu64, &ret->id) == 1;
	free(text);
	return found;
}

static char *mounts_of(const char *proc, const char *process)
{
	char *path = xasprintf("%s/%s/mountinfo", proc, process), *text;

	if (file_read_all(path, MOUNTINFO_MAX, &text, NULL))
		text = xstrdup("");
	free(path);
	return text;
}

/* Lists can be long: others than ours are read if it is not there. */
static bool answers_by_lists(const char *proc, uint32_t tgid, const struct perf_mount_key *key)
{
	char process[16], *theirs = NULL, *ours = mounts_of("/proc", "self"), *first = NULL;
	struct mount m;
	bool found = find_mount(ours, key->id, &m), yes;

	snprintf(process, sizeof(process), "%u", tgid);
	if (!found && tgid) {
		theirs = mounts_of(proc, process);
		found = find_mount(theirs, key->id, &m);
	}
	if (!found)
		first = mounts_of("/proc", "1");
	yes = perf_mount_answers_by(&(struct perf_mount_lists){ theirs ? theirs : "", ours,
							       first ? first : "" }, key);
	free(theirs);
	free(ours);
	free(first);
	return yes;
}

/* A number that no other mount ever gets, unlike those of the lists. False: an old kernel. */
static bool unique_id(int fd, uint64_t *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID_UNIQUE, &st) ||
	    !(st.stx_mask & STATX_MNT_ID_UNIQUE))
		return false;
	*ret = st.stx_mnt_id;
	return true;
}

bool perf_mount_answers(const char *proc, uint32_t tgid, int fd)
{
	static struct { uint64_t id; bool answers; } known[NR_KNOWN], *k;
	struct perf_mount_key key;
	uint64_t id;
	bool yes;

	if (!unique_id(fd, &id))
		return key_of(fd, &key) && answers_by_lists(proc, tgid, &key);
	k = &known[id % NR_KNOWN];
	if (k->id == id)
		return k->answers;
	yes = key_of(fd, &key) && answers_by_lists(proc, tgid, &key);
	if (yes)			/* what is not found in a list may be in another */
		*k = (typeof(*k)){ id, yes };
	return yes;
}

/*
 * Opening a device or a fifo has side effects, and opening a FUSE file may never return. So check
 * first: O_PATH has no side effects, and statx() returns what the kernel has cached.
 */
int perf_open_regular(const char *proc, int handle, uint32_t tgid)
{
	struct statx st;
	int fd;

	if (handle < 0)
		return -ESTALE;
	if (statx(handle, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) ||
	    !S_ISREG(st.stx_mode)) {
		fd = -ESTALE;
	} else if (!perf_mount_answers(proc, tgid, handle)) {
		fd = -EOPNOTSUPP;	/* do not try other ways to the file */
	} else {
		fd = quiet_open_file(handle);
		if (fd < 0)
			fd = fd == -EAGAIN || fd == -ETIMEDOUT ? -EOPNOTSUPP : -ESTALE;
	}
	close(handle);
	return fd;
}

int perf_open_build(const char *proc, const char *path, const char *build_id)
{
	int fd = perf_open_regular(proc, quiet_open(AT_FDCWD, path), 0);
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (fd >= 0 && (quiet_build_id(fd, &id) || strcmp(build_id_text(&id, text), build_id))) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

struct type_of {
	struct errand errand;
	struct statfs fs;
};

static int find_type(struct errand *errand)
{
	struct type_of *t = (struct type_of *)errand;

	return fstatfs(errand->fd, &t->fs) ? -errno : 0;
}

bool perf_devices_differ(int fd)
{
	struct type_of t = {
		.errand = { .run = find_type, .place = errand_place(fd), .fd = fd },
	};

	return !errand_run(&t.errand, sizeof(t)) &&
	       (t.fs.f_type == BTRFS_SUPER_MAGIC || t.fs.f_type == OVERLAYFS_SUPER_MAGIC);
}
