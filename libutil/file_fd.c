// SPDX-License-Identifier: GPL-2.0-or-later
/* file_fd.c - read and write open files completely, and allocate their blocks */
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
#include "libutil/file.h"

int file_write_fd(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

int file_read_fd(int fd, void *buf, size_t n)
{
	char *p = buf;

	while (n) {
		ssize_t got = read(fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EPROTO;
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

int file_read_up_to(int fd, void *buf, size_t n, uint64_t offset, size_t *ret_n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)buf + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	*ret_n = done;
	return 0;
}

int file_read_at(int fd, void *buf, size_t n, uint64_t offset)
{
	size_t done;
	int err = file_read_up_to(fd, buf, n, offset, &done);

	if (err)
		return err;
	return done == n ? 0 : -EPROTO;
}

#define ZEROS_SIZE	65536
#define ZEROS_CHUNK	(32 * ZEROS_SIZE)	/* 2 MiB, a power of two */

/* Write zeros from @from up to @to or the next multiple of ZEROS_CHUNK. */
static ssize_t write_zero_chunk(int fd, uint64_t from, uint64_t to)
{
	static char zeros[ZEROS_SIZE];		/* never written, so it takes no memory */
	struct iovec v[ZEROS_CHUNK / ZEROS_SIZE];
	uint64_t end = (from + ZEROS_CHUNK) & ~(uint64_t)(ZEROS_CHUNK - 1), left;
	int n = 0;

	if (end > to)
		end = to;
	for (left = end - from; left; left -= v[n++].iov_len)
		v[n] = (struct iovec){ zeros, left < ZEROS_SIZE ? (size_t)left : ZEROS_SIZE };
	return pwritev(fd, v, n, (off_t)from);
}

static int write_zeros(int fd, uint64_t from, uint64_t to)
{
	while (from < to) {
		ssize_t done = write_zero_chunk(fd, from, to);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		from += (uint64_t)done;
	}
	return 0;
}

/*
 * fallocate() detects a full disk before anything is written. Writing zeros then brings the new
 * part into the page cache in large pieces: faulting it in page by page through the mapping takes
 * twice as long as everything else about adding a key. On file systems without fallocate() the
 * zeros also are the allocation.
 */
int file_allocate(int fd, uint64_t old_length, uint64_t length)
{
	int err;

	do {
		/* from 0 on, because the old part may be sparse */
		err = fallocate(fd, 0, 0, (off_t)length) ? -errno : 0;
	} while (err == -EINTR);
	if (!err || err == -EOPNOTSUPP || err == -ENOSYS)
		err = write_zeros(fd, old_length, length);
	if (err)	/* part of it may be written */
		(void)!ftruncate(fd, (off_t)old_length);
	return err;
}
