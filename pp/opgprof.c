/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opgprof.c - write the samples of one binary as a gmon.out, for gprof */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libutil/message.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/output.h"
#include "pp/cli/terminal.h"
#include "pp/exchange/gmon/gprof.h"

struct gmon_output {
	const struct gmon *gmon;
	uint64_t *lost;		/* samples that do not fit into the file */
};

static void print(const void *report, FILE *out)
{
	const struct gmon_output *o = report;

	*o->lost = gmon_write(o->gmon, out);
}

static int write_gmon(const struct gmon *gmon, const char *path)
{
	uint64_t lost = 0;
	const struct gmon_output output = { gmon, &lost };
	int status = output_write(path, false, print, &output);

	if (!status && lost)
		report_warning("'%s': omitted %" PRIu64 " samples: more than a gmon file can hold",
			       path, lost);
	return status;
}

static int run(const void *p)
{
	const struct gprof_options *options = p;
	const char *dir = option_session_dir(options->session_dir, options->spec.archive,
					     "session-dir");
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct gmon gmon;
	int status = 1, err = gprof_make(options, dir, &gmon, &notices, &e);

	progress_end();
	report_notices(&notices);
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	else
		status = write_gmon(&gmon, options->output_file);
	gmon_free(&gmon);
	notices_free(&notices);
	return status;
}

int main(int argc, const char **argv)
{
	struct gprof_options options;
	struct op_error e = { "" };
	int status = 0;

	if (gprof_options_parse(argc, argv, &options, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (options.asked != ASKED_WORK) {
		option_set_print(&gprof_option_set, options.asked);
	} else {
		const struct confine_needs needs = {
			.outputs = { options.output_file },
		};

		status = confine_and_run(&needs, run, &options);
	}
	gprof_options_free(&options);
	return finish_output(status);
}
