// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * key.c - identify the binary in a file, without trusting its build ID blindly
 *
 * Any user can create a file with libc's build ID and wrong call frame information. Only build IDs
 * of files of users who could replace libc itself are trusted. [UT-61]
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "libutil/build_id.h"
#include "libutil/errand.h"
#include "unwind/cache.h"

#define FUSE_MAGIC	0x65735546	/* its server can claim any owner */

static bool is_trusted(int fd, const struct stat *st)
{
	struct statfs fs;

	if (st->st_uid != 0 && st->st_uid != geteuid())
		return false;
	return !(st->st_mode & S_IWOTH) && !fstatfs(fd, &fs) && fs.f_type != FUSE_MAGIC;
}

static int find_key(int fd, struct unwind_key *ret)
{
	struct unwind_key key = { .by_build_id = false };
	struct build_id id;
	uint64_t words[4];
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (is_trusted(fd, &st) && !build_id_read_fd(fd, &id)) {
		key.by_build_id = true;
		memcpy(key.bytes, id.bytes, id.len);
	} else {
		words[0] = st.st_dev;
		words[1] = st.st_ino;
		words[2] = st.st_size;
		words[3] = st.st_ctim.tv_sec * 1000000000ull + st.st_ctim.tv_nsec;
		memcpy(key.bytes, words, sizeof(words));
	}
	*ret = key;
	return 0;
}

struct search {
	struct errand errand;
	struct unwind_key key;
};

static int search(struct errand *errand)
{
	struct search *s = (struct search *)errand;

	return find_key(errand->fd, &s->key);
}

int unwind_key_of_fd(int fd, struct unwind_key *ret)
{
	struct search s = { .errand = { .run = search, .place = errand_place(fd), .fd = fd } };
	int err = errand_run(&s.errand, sizeof(s));

	if (!err)
		*ret = s.key;
	return err;
}
