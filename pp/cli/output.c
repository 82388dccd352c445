/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - write reports; a failed write is an error, to standard output too */
#include "pp/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/interrupt.h"
#include "libutil/message.h"
#include "pp/cli/terminal.h"

void report_notices(const struct notices *notices)
{
	for (size_t i = 0; i < notices->nr; i++)
		report_warning("%s", notices->texts[i]);
}

int output_replace(const char *path, const char *bytes, size_t size, struct op_error *e)
{
	mode_t mask = umask(0);
	char *target = path_absolute(path);	/* a link stays a link */
	int err;

	umask(mask);
	interrupt_defer();
	err = file_write_atomic(target ? target : path, bytes, size, 0666 & ~mask);
	interrupt_allow();
	free(target);
	return err ? op_error_set(e, err, "cannot write '%s': %s", path, strerror(-err)) : 0;
}

static int write_device(const char *path, const char *bytes, size_t size, struct op_error *e)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return op_error_set(e, -errno, "cannot open '%s': %s", path, strerror(errno));
	err = file_write_fd(fd, bytes, size);
	if (close(fd) && !err)
		err = -errno;
	return err ? op_error_set(e, err, "cannot write '%s': %s", path, strerror(-err)) : 0;
}

static int write_file(const char *path, void (*print)(const void *report, FILE *out),
		      const void *report)
{
	struct op_error e = { "" };
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);
	struct stat st;
	int err;

	if (out)
		print(report, out);
	if (!out || fclose(out))
		err = op_error_set(&e, -ENOMEM, "cannot write '%s': %s", path, strerror(ENOMEM));
	else if (!stat(path, &st) && !S_ISREG(st.st_mode))
		err = write_device(path, bytes, size, &e);
	else
		err = output_replace(path, bytes, size, &e);
	free(bytes);
	if (err)
		report_error("%s", e.text);
	return err ? 1 : 0;
}

int output_write(const char *path, bool paged, void (*print)(const void *report, FILE *out),
		 const void *report)
{
	struct pager pager;
	int err;

	if (path)
		return write_file(path, print, report);
	do {
		pager_start(&pager, paged);
		print(report, pager.out);
		err = pager_finish(&pager);
		paged = false;
	} while (err == -ENOEXEC);
	if (err)
		report_error("cannot write to standard output: %s", strerror(-err));
	return err ? 1 : 0;
}
