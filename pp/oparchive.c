/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oparchive.c - copy a profile, and all that reports of it need, into one folder */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/clock.h"
#include "libutil/message.h"
#include "libutil/print_line.h"
#include "libutil/strbuf.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/output.h"
#include "pp/cli/terminal.h"
#include "pp/exchange/archive/options.h"
#include "pp/exchange/archive/plan.h"
#include "pp/exchange/archive/write.h"

static void print_files(const void *report, FILE *out)
{
	const struct archive_plan *plan = report;
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < plan->nr; i++) {
		char *source = archive_item_source(&plan->items[i]);

		strbuf_add(&line, source);
		print_line(&line, out);
		free(source);
	}
	strbuf_free(&line);
}

static int write_archive(const struct archive_options *options, const struct archive_plan *plan)
{
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct archive_size size;
	int err = archive_write(plan, options->output_dir, options->compat, &size,
				&notices, &e);

	progress_end();
	report_notices(&notices);
	notices_free(&notices);
	if (err) {
		report_error("%s", *e.text ? e.text : strerror(-err));
		return 1;
	}
	if (options->compat)
		return 0;
	printf("%zu files, %" PRIu64 " bytes; read it with: opreport archive:%s", size.files,
	       size.bytes, options->output_dir);
	if (options->spec.has_time)
		printf(" time:@%" PRId64 "..@%" PRId64,
		       options->spec.time.from_ns / (int64_t)NS_PER_SECOND,
		       options->spec.time.to_ns / (int64_t)NS_PER_SECOND);
	putchar('\n');
	return 0;
}

static int run(const void *p)
{
	const struct archive_options *options = p;
	const char *dir = option_session_dir(options->session_dir, options->spec.archive,
					     "session-dir");
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct archive_plan plan;
	int status = 1, err = archive_plan_make(options, dir, &plan, &notices, &e);

	progress_end();
	report_notices(&notices);
	notices_free(&notices);
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	else if (options->list_files)
		status = output_write(NULL, false, print_files, &plan);
	else
		status = write_archive(options, &plan);
	archive_plan_free(&plan);
	return status;
}

int main(int argc, const char **argv)
{
	struct archive_options options;
	struct op_error e = { "" };
	int status = 0;

	if (archive_options_parse(argc, argv, &options, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (options.asked != ASKED_WORK) {
		option_set_print(&archive_option_set, options.asked);
	} else {
		const struct confine_needs needs = {
			.outputs = { options.output_dir },
			.times = true,
			.must_write = true,
		};

		status = confine_and_run(&needs, run, &options);
	}
	archive_options_free(&options);
	return finish_output(status);
}
