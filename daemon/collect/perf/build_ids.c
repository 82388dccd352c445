// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_ids.c - read build IDs of mapped files, and keep the last ones
 *
 * Most processes map the same libraries. A file is the same as before if device, inode and time of
 * change are: a reused inode has another time.
 */
#include "daemon/collect/perf/build_ids.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/collect/perf/mounts.h"
#include "libutil/hash.h"
#include "libutil/quiet_path.h"
#include "libutil/xalloc.h"

#define SLOTS		4096
#define READS		256		/* between two ticks: any user can map many files */
#define READS_FIRST	4096		/* of all processes that exist already */

#define RECORDS_MAX	20		/* bytes: records have no longer build ID */

struct identity {
	uint64_t device, inode, seconds, ns;
};

struct slot {
	struct identity of;		/* inode 0: free */
	struct perf_build build;
};

struct perf_build_ids {
	unsigned int left;
	struct slot slots[SLOTS];
};

struct perf_build_ids *perf_build_ids_new(void)
{
	struct perf_build_ids *b = xcalloc(1, sizeof(*b));

	b->left = READS_FIRST;
	return b;
}

void perf_build_ids_free(struct perf_build_ids *b)
{
	free(b);
}

void perf_build_ids_tick(struct perf_build_ids *b)
{
	b->left = READS;
}

/* As the kernel knows it, without asking the server of a file system. */
static bool identify(int handle, struct identity *ret)
{
	struct statx st;

	if (statx(handle, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_CTIME, &st))
		return false;
	*ret = (struct identity){ (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor, st.stx_ino,
				  (uint64_t)st.stx_ctime.tv_sec, st.stx_ctime.tv_nsec };
	return true;
}

static struct slot *slot_of(struct perf_build_ids *b, const struct identity *of)
{
	uint64_t h = hash_mix(hash_mix(hash_u64(of->inode), of->device), of->ns);

	return &b->slots[h % SLOTS];
}

static void read_file(int fd, struct perf_build *ret)
{
	unsigned int generation[2] = { 0, 0 };	/* file systems write an int or a long */

	if (!quiet_build_id(fd, &ret->id) && ret->id.len <= RECORDS_MAX)
		return;
	ret->id.len = 0;
	if (!ioctl(fd, FS_IOC_GETVERSION, generation))
		ret->generation = generation[0];
}

void perf_build_ids_find(struct perf_build_ids *b, const struct perf_mapped_file *file,
			 struct perf_build *ret)
{
	int handle = file->handle, fd;
	struct identity of;
	struct slot *slot;

	*ret = (struct perf_build){ .generation = 0 };
	if (handle < 0)
		return;
	if (!identify(handle, &of) || of.inode != file->inode) {
		close(handle);
		return;
	}
	slot = slot_of(b, &of);
	if (!memcmp(&slot->of, &of, sizeof(of))) {
		*ret = slot->build;
		close(handle);
		return;
	}
	if (!b->left) {
		close(handle);
		return;
	}
	b->left--;
	fd = perf_open_regular(file->proc, handle, file->tgid);
	if (fd >= 0) {
		read_file(fd, ret);
		close(fd);
	}
	*slot = (struct slot){ of, *ret };
}
