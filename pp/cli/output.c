/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - write reports; a failed write is an error, to standard output too */
#include "pp/cli/output.h"

#include <errno.h>
#include <string.h>

#include "libutil/message.h"
#include "pp/cli/terminal.h"

void report_notices(const struct notices *notices)
{
	for (size_t i = 0; i < notices->nr; i++)
		if (notice_is_listed(notices, i))
			report_warning("%s", notices->texts[i]);
}

void report_notices_briefly(const struct notices *notices)
{
	struct notices brief = { 0 };

	notices_brief(notices, &brief);
	report_notices(&brief);
	notices_free(&brief);
}

static int write_file(const char *path, void (*print)(const void *report, FILE *out),
		      const void *report)
{
	FILE *out = fopen(path, "we");
	int err = 0;

	if (!out) {
		report_error("cannot open '%s': %s", path, strerror(errno));
		return 1;
	}
	print(report, out);
	if (fflush(out) || ferror(out))
		err = errno ? errno : EIO;
	if (fclose(out) && !err)
		err = errno;
	if (err)
		report_error("cannot write '%s': %s", path, strerror(err));
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
