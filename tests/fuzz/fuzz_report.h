/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_report.h - reports over a session in fuzz_dir, whose files are the input */
#ifndef TESTS_FUZZ_FUZZ_REPORT_H
#define TESTS_FUZZ_FUZZ_REPORT_H

#include "libutil/xalloc.h"
#include "pp/report.h"
#include "tests/fuzz/fuzz_dir.h"

/* Make @name, below the samples of the session, of @bytes. */
static inline void fuzz_put(const char *name, const void *bytes, size_t n)
{
	char *path = xasprintf("%s/samples/current/%s", fuzz_dir, name);
	FILE *f;

	file_make_parent_dirs(path, 0700);
	f = fopen(path, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		abort();
	free(path);
}

static inline void fuzz_report(const struct report_options *options, FILE *out)
{
	struct notices notices = { 0 };
	struct report *report = NULL;
	struct op_error e;

	report_make(options, fuzz_dir, &report, &notices, &e);
	if (report)
		report_print(report, out);
	report_free(report);
	notices_free(&notices);
}

#endif
