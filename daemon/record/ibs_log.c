// SPDX-License-Identifier: GPL-2.0-or-later
/* ibs_log.c - see ibs_log.h [IB-9] */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/record/ibs_log.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define TEXT_MAX	65536		/* bytes gathered before they are written */

/* We must not write to a file of another user, or to one that has a second name. */
static int take_over_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid != geteuid())
		return -EPERM;
	if (fchmod(fd, 0600) || ftruncate(fd, 0))
		return -errno;
	return 0;
}

int ibs_log_open(struct ibs_log *log, const char *path, const char *head, uint64_t max,
		 struct op_error *e)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	    fd = open(path, flags, 0600), err = fd < 0 ? -errno : take_over_file(fd);

	if (err) {
		if (fd >= 0)
			close(fd);
		return op_error_set(e, err, "cannot write the log '%s': %s", path, strerror(-err));
	}
	*log = (struct ibs_log){ .fd = fd, .path = xstrdup(path), .room = max };
	strbuf_add(&log->text, head);
	return 0;
}

static void write_text(struct ibs_log *log)
{
	int err;

	if (!log->text.len)
		return;
	err = log->text.len > log->room ? -EFBIG :
	      file_write_fd(log->fd, log->text.text, log->text.len);
	if (!err)
		log->room -= log->text.len;
	for (char *at = log->text.text; err && (at = strchr(at, '\n')); at++)
		log->left_out++;
	if (err && log->room)
		log_line("cannot write '%s' any further: %s", log->path,
			 err == -EFBIG ? "it has reached its maximum size" : strerror(-err));
	if (err)
		log->room = 0;
	strbuf_reset(&log->text);
}

void ibs_log_line(struct ibs_log *log, const char *format, ...)
{
	va_list args;

	if (log->fd < 0)
		return;
	if (!log->room) {
		log->left_out++;
		return;
	}
	va_start(args, format);
	strbuf_vaddf(&log->text, format, args);
	va_end(args);
	if (log->text.len >= TEXT_MAX)
		write_text(log);
}

void ibs_log_flush(struct ibs_log *log)
{
	if (log->fd >= 0)
		write_text(log);
}

void ibs_log_close(struct ibs_log *log)
{
	if (log->fd < 0)
		return;
	write_text(log);
	close(log->fd);
	free(log->path);
	strbuf_free(&log->text);
	log->fd = -1;
}
