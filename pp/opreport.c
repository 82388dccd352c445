/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opreport.c - where the samples are: per binary image, or per symbol with -l */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common_options.h"
#include "report.h"
#include "say.h"
#include "terminal.h"
#include "version.h"

static int write_file(const struct report *report, const char *path)
{
	FILE *out = fopen(path, "we");
	int err = 0;

	if (!out) {
		say_error("cannot open '%s': %s", path, strerror(errno));
		return 1;
	}
	report_print(report, out);
	if (fflush(out) || ferror(out))
		err = errno ? errno : EIO;
	if (fclose(out) && !err)
		err = errno;
	if (err)
		say_error("cannot write '%s': %s", path, strerror(err));
	return err ? 1 : 0;
}

static int write_report(const struct report *report, const struct report_options *options)
{
	struct pager pager;
	int err;

	if (options->output_file)
		return write_file(report, options->output_file);
	pager_start(&pager, options->format == FORMAT_TEXT && !options->compat);
	report_print(report, pager.out);
	err = pager_finish(&pager);
	if (err)
		say_error("cannot write 'standard output': %s", strerror(-err));
	return err ? 1 : 0;
}

static int run(const struct report_options *options)
{
	bool is_archive = options->specs[0].archive || options->specs[1].archive;
	const char *dir = option_session_dir(options->session_dir, is_archive,
					     "samples directory.");
	struct notices notices = { 0 };
	struct report *report = NULL;
	struct op_error e = { "" };
	int status = 1;
	int err = report_make(options, dir, &report, &notices, &e);

	progress_end();
	for (size_t i = 0; i < notices.nr; i++)
		say_warning("%s", notices.texts[i]);
	if (err)
		say_error("%s", *e.text ? e.text : strerror(-err));
	else
		status = write_report(report, options);
	report_free(report);
	notices_free(&notices);
	return status;
}

int main(int argc, const char **argv)
{
	struct report_options options;
	struct op_error e = { "" };
	int status = 0;

	if (report_options_parse(argc, argv, &options, &e)) {
		say_error("%s", e.text);
		return 1;
	}
	if (options.version)
		version_print("opreport");
	else if (options.help || options.usage)
		report_options_help(options.usage);
	else {
		options.progress = progress_show;
		status = run(&options);
	}
	report_options_free(&options);
	return status;
}
