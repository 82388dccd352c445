/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_file.h - the input as a file, for code that opens files */
#ifndef TESTS_FUZZ_FUZZ_FILE_H
#define TESTS_FUZZ_FUZZ_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_file_path[64];

static inline void fuzz_file_remove(void)
{
	unlink(fuzz_file_path);
}

/* Path of a file in memory that holds the input; made anew by each call, gone with the process. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
	int fd;

	if (!fuzz_file_path[0]) {
		snprintf(fuzz_file_path, sizeof(fuzz_file_path), "/dev/shm/fuzz.%d", (int)getpid());
		atexit(fuzz_file_remove);
	}
	fd = open(fuzz_file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	return fuzz_file_path;
}

#endif
