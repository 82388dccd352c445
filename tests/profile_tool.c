// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile_tool.c - for tests: the formats without sessions around them
 *
 *	profile_tool made FORMAT		the made-up profile of profile_print.c, to stdout
 *	profile_tool convert FORMAT FILE	FILE, of whatever format, to stdout
 *	profile_tool pprof FILE			like print, without the frames that Go's pprof drops
 *	profile_tool print FILE			as text that equal profiles have in common
 *	profile_tool offsets FILE		its samples without names, with offsets in files
 */
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "tests/profile_print.h"

static void __attribute__((noreturn)) fail(const char *what, const char *why)
{
	fprintf(stderr, "profile_tool: %s: %s\n", what, why);
	exit(1);
}

static void warn(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "profile_tool: %s\n", text);
}

static const struct format_warnings warnings = { warn, NULL };

static struct profile *read_profile(const char *path, bool drop_handler_frames)
{
	struct format_read_options options = {
		.warnings = &warnings, .drop_handler_frames = drop_handler_frames,
	};
	struct op_error e = { "" };
	struct profile *p;

	if (profile_read_file(path, NULL, &options, &p, &e))
		fail(path, e.text);
	return p;
}

static void write_profile(const struct profile *p, const char *format)
{
	struct format_write_options options = { .warnings = &warnings, .pid = "" };
	const struct profile_format *f = profile_format_find(format);
	struct op_error e = { "" };

	if (!f || !f->write)
		fail(format, "no such format to write");
	if (f->write(p, &options, stdout, &e))
		fail(format, e.text);
}

int main(int argc, char **argv)
{
	struct profile *p;

	if (argc == 3 && !strcmp(argv[1], "made"))
		p = profile_made();
	else if ((argc == 3 && (!strcmp(argv[1], "print") || !strcmp(argv[1], "pprof") ||
				!strcmp(argv[1], "offsets"))) ||
		 (argc == 4 && !strcmp(argv[1], "convert")))
		p = read_profile(argv[argc - 1], !strcmp(argv[1], "pprof"));
	else
		fail("usage", "profile_tool made FORMAT | convert FORMAT FILE | "
		     "print|pprof|offsets FILE");
	if (!strcmp(argv[1], "offsets"))
		profile_print_offsets(p, stdout);
	else if (argc == 3 && strcmp(argv[1], "made"))
		profile_print(p, stdout);
	else
		write_profile(p, argv[2]);
	profile_free(p);
	if (fflush(stdout) || ferror(stdout))
		fail("standard output", "cannot be written");
	return 0;
}
