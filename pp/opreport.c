/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opreport.c - print samples per binary image, or per symbol with -l */
#include <malloc.h>
#include <string.h>

#include "libutil/message.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/output.h"
#include "pp/cli/terminal.h"
#include "pp/picture/picture.h"
#include "pp/report.h"

#define MMAP_BYTES	(4 << 20)	/* blocks from this size on are returned when freed */
#define KEPT_BYTES	(64 << 20)	/* of smaller ones so much is used again */
#define GROWTH_BYTES	(4 << 20)	/* of the heap for these, at least */

/*
 * By default malloc() raises the first to the size of what is freed, and then keeps blocks of tens
 * of megabytes in its heap: a stack tree would need a quarter more memory. Of small blocks it keeps
 * only 128 KiB, so the kernel would clear the same memory again for each image that is opened.
 */
static void set_up_malloc(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	(void)mallopt(M_TOP_PAD, GROWTH_BYTES);
}

static void print(const void *report, FILE *out)
{
	report_print(report, out);
}

static const char *session_dir(const struct report_options *options)
{
	bool is_archive = options->specs[0].archive || options->specs[1].archive;

	return option_session_dir(options->session_dir, is_archive, "samples directory.");
}

static void print_notices(const struct report_options *options, const struct notices *notices)
{
	if (options->print & PRINT_WARNINGS)
		report_notices(notices);
	else
		report_notices_briefly(notices);
}

static int draw(const struct report_options *options)
{
	struct notices notices = { 0 };
	struct op_error e = { "" };
	int err = picture_make(options, session_dir(options), &notices, &e);

	progress_end();
	print_notices(options, &notices);
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	notices_free(&notices);
	return err ? 1 : 0;
}

static int print_report(const struct report_options *options)
{
	struct notices notices = { 0 };
	struct report *report = NULL;
	struct op_error e = { "" };
	int status = 1;
	int err = report_make(options, session_dir(options), &report, &notices, &e);

	progress_end();
	print_notices(options, &notices);
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	if (report)
		status = output_write(options->output_file,
				      options->format == FORMAT_TEXT && !options->compat, print,
				      report);
	if (err)
		status = 1;
	report_free(report);
	notices_free(&notices);
	return status;
}

static int run(const void *p)
{
	const struct report_options *options = p;

	return options->flamegraph || options->html ? draw(options) : print_report(options);
}

int main(int argc, const char **argv)
{
	struct report_options options;
	struct op_error e = { "" };
	int status = 0;

	set_up_malloc();
	if (report_options_parse(argc, argv, &options, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (options.asked != ASKED_WORK) {
		option_set_print(&report_option_set, options.asked);
	} else {
		const struct confine_needs needs = {
			.outputs = { options.output_file, options.flamegraph, options.html },
			.line_cache = options.debug_info || options.inlines,
			.pager = options.format == FORMAT_TEXT && !options.compat,
		};

		status = confine_and_run(&needs, run, &options);
	}
	report_options_free(&options);
	return finish_output(status);
}
