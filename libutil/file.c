// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - read and write whole files, and replace them in one step */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/opener/ask.h"
#include "libutil/xalloc.h"

#define FIRST_READ 4096

int file_read_all_fd(int fd, size_t limit, char **ret_text, size_t *ret_len)
{
	size_t room = FIRST_READ, len = 0;
	char *text, *larger;
	struct stat st;
	ssize_t n;
	int err;

	/* the length is only a hint: files of /proc report 0, and any file may grow meanwhile */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && (size_t)st.st_size <= limit)
		room = (size_t)st.st_size + 2;
	text = malloc(room);
	if (!text)
		return -ENOMEM;
	for (;;) {
		n = read(fd, text + len, room - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		err = -errno;
		if (n < 0)
			goto fail;
		if (n == 0)
			break;
		len += (size_t)n;
		err = -EFBIG;
		if (len > limit)
			goto fail;
		if (len + 1 < room)
			continue;
		err = -ENOMEM;
		larger = realloc(text, room * 2);
		if (!larger)
			goto fail;
		text = larger;
		room *= 2;
	}
	text[len] = '\0';
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return 0;
fail:
	free(text);
	return err;
}

int file_read_all(const char *path, size_t limit, char **ret_text, size_t *ret_len)
{
	int fd = opener_open(path, O_RDONLY), err;

	if (fd < 0)
		return fd;
	err = file_read_all_fd(fd, limit, ret_text, ret_len);
	close(fd);
	return err;
}

int file_read_line(const char *path, char *buf, size_t size)
{
	int fd = opener_open(path, O_RDONLY), err = 0;
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	while (len < size - 1) {
		n = read(fd, buf + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (memchr(buf + len - n, '\n', (size_t)n))
			break;
	}
	close(fd);
	if (err)
		return err;
	buf[len] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int file_read_u64(const char *path, uint64_t *ret)
{
	char line[64];
	int err = file_read_line(path, line, sizeof(line));
	size_t n;

	if (err)
		return err;
	for (n = strlen(line); n && (line[n - 1] == ' ' || line[n - 1] == '\t'); n--)
		line[n - 1] = '\0';
	return number_parse_u64(line, ret);
}

int file_write_existing(const char *path, const char *text)
{
	int fd = opener_open(path, O_WRONLY), err = 0;
	size_t n = strlen(text);
	ssize_t done;

	if (fd < 0)
		return fd;
	/* one write(): the kernel's files accept a value whole or not at all */
	done = write(fd, text, n);
	if (done < 0)
		err = -errno;
	else if ((size_t)done != n)
		err = -EIO;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/*
 * A new file beside @path with @mode, unless the umask forbids that: in a sandbox the mode cannot
 * be changed later. Returns the descriptor or -errno.
 */
static int create_beside(const char *path, mode_t mode, char **ret)
{
	int err = -EEXIST;

	for (int i = 0; i < 100 && err == -EEXIST; i++) {
		unsigned int number = 0;
		char *name;
		int fd;

		(void)!getrandom(&number, sizeof(number), GRND_NONBLOCK);
		name = xasprintf("%s.%06x", path, (number + (unsigned int)i) & 0xffffff);
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0) {
			*ret = name;
			return fd;
		}
		err = -errno;
		free(name);
	}
	return err;
}

static int set_mode(int fd, mode_t mode)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return (st.st_mode & 07777) == mode || !fchmod(fd, mode) ? 0 : -errno;
}

/* Every reader sees a whole file, even if this process is killed. */
static int replace(const char *path, const void *bytes, size_t n, mode_t mode, bool sync)
{
	char *temporary = NULL;
	int fd = create_beside(path, mode, &temporary), err;

	if (fd < 0)
		return fd;
	err = file_write_fd(fd, bytes, n);
	if (!err)
		err = set_mode(fd, mode);
	if (!err && sync && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	free(temporary);
	return err;
}

/*
 * No fsync(): it would stall the daemon while the disk writes. After a power failure it may be the
 * old one, or on some file systems an empty one.
 */
int file_write_atomic(const char *path, const void *bytes, size_t n, mode_t mode)
{
	return replace(path, bytes, n, mode, false);
}

int file_write_durable(const char *path, const void *bytes, size_t n, mode_t mode)
{
	return replace(path, bytes, n, mode, true);
}

int file_free_bytes(const char *path, uint64_t *ret)
{
	struct statvfs fs;

	if (statvfs(path, &fs))
		return -errno;
	*ret = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
