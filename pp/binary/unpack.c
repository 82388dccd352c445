/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack.c - read a whole compressed file and unpack it into memory */
#include "pp/binary/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libutil/file.h"
#include "pp/binary/unpack_xz.h"
#include "pp/binary/unpack_zst.h"

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

bool file_is_packed(const char *path)
{
	return ends_with(path, ".xz") || ends_with(path, ".zst");
}

int file_unpack(int fd, const char *path, unsigned char **ret, size_t *ret_size,
		struct op_error *e)
{
	bool is_xz = ends_with(path, ".xz");
	size_t size;
	char *packed;
	int err = file_read_all_fd(fd, LARGEST_UNPACKED, &packed, &size);

	if (err)
		return op_error_set(e, err, "%s", strerror(-err));
	err = (is_xz ? unpack_xz : unpack_zst)(packed, size, LARGEST_UNPACKED, ret, ret_size);
	free(packed);
	if (err)
		return op_error_set(e, -ENOEXEC, "%s data %s", is_xz ? "xz" : "zstd",
				    err == -EFBIG ? "too large"
				    : err == -ENOMEM ? "out of memory" : "truncated or damaged");
	return 0;
}

int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("unpacked", MFD_CLOEXEC);

	if (fd >= 0 && file_write_fd(fd, bytes, size)) {
		close(fd);
		return -1;
	}
	return fd;
}
