// SPDX-License-Identifier: GPL-2.0-or-later
/* proc_stat.c - see proc_stat.h */
#include "libutil/proc_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libutil/opener/ask.h"

#define STATE_FIELD		3	/* from 1; the second is the name, in parentheses */
#define THREADS_FIELD		20
#define START_TIME_FIELD	22

static int read_text(const char *path, char *text, size_t size)
{
	int fd = opener_open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n < 0 ? (int)n : 0;
}

int proc_stat_read(const char *path, struct proc_stat *ret)
{
	struct proc_stat stat = { 0 };
	const char *field;
	char text[1024];
	int err = read_text(path, text, sizeof(text));

	if (err)
		return err;
	/* the name may hold any character */
	field = strrchr(text, ')');
	if (!field || field[1] != ' ')
		return -EIO;
	field += 2;
	stat.state = *field;
	for (int n = STATE_FIELD; n < START_TIME_FIELD; n++) {
		field = strchr(field, ' ');
		if (!field)
			return -EIO;
		field++;
		if (n + 1 == THREADS_FIELD && sscanf(field, "%u", &stat.nr_threads) != 1)
			return -EIO;
	}
	if (sscanf(field, "%" SCNu64, &stat.start_time) != 1)
		return -EIO;
	*ret = stat;
	return 0;
}
