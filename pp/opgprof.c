/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opgprof.c - samples of one binary as a gmon.out, for gprof and what reads its files */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common_options.h"
#include "gprof.h"
#include "say.h"
#include "terminal.h"
#include "version.h"

static int write_file(const struct gmon *gmon, const char *path)
{
	FILE *out = fopen(path, "we");
	uint64_t lost;
	int err = 0;

	if (!out) {
		say_error("cannot open '%s': %s", path, strerror(errno));
		return 1;
	}
	lost = gmon_write(gmon, out);
	if (fflush(out) || ferror(out))
		err = errno ? errno : EIO;
	if (fclose(out) && !err)
		err = errno;
	if (err)
		say_error("cannot write '%s': %s", path, strerror(err));
	else if (lost)
		say_warning("'%s': %" PRIu64 " samples are more than a gmon file can hold and left "
			    "out", path, lost);
	return err ? 1 : 0;
}

static int run(const struct gprof_options *options)
{
	const char *dir = option_session_dir(options->session_dir, options->spec.archive,
					     "session-dir");
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct gmon gmon;
	int status = 1, err = gprof_make(options, dir, progress_fetch, &gmon, &notices, &e);

	progress_end();
	for (size_t i = 0; i < notices.nr; i++)
		say_warning("%s", notices.texts[i]);
	if (err)
		say_error("%s", *e.text ? e.text : strerror(-err));
	else
		status = write_file(&gmon, options->output_file);
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
		say_error("%s", e.text);
		return 1;
	}
	if (options.version)
		version_print("opgprof");
	else if (options.help || options.usage)
		gprof_options_help(options.usage);
	else
		status = run(&options);
	gprof_options_free(&options);
	return say_end(status);
}
