/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - command lines of opreport; errors are in the golden tests */
#include "tests/tap.h"

#include <errno.h>
#include "pp/report/options.h"

static int parse(const char *line, struct report_options *o)
{
	static char buf[256];
	const char *argv[32] = { "opreport" };
	struct op_error e;
	int argc = 1;

	snprintf(buf, sizeof(buf), "%s", line);
	for (char *w = strtok(buf, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	return report_options_parse(argc, argv, o, &e);
}

TEST(defaults)
{
	struct report_options o;

	unsetenv("OPROFILE_COMPAT");
	CHECK(!parse("", &o), "nothing is fine");
	CHECK(o.demangle == DEMANGLE_NORMAL && !o.symbols && !o.compat &&
	      !o.session_dir && o.threshold == 0,
	      "defaults");
	report_options_free(&o);
}

TEST(bundled_and_long)
{
	struct report_options o;

	CHECK(!parse("-lfwan --threshold=2.5 --merge tgid --session-dir /x -p a,b image:c", &o),
	      "parse");
	CHECK(o.symbols && o.long_names && o.show_address && o.accumulated && o.no_header,
	      "bundle");
	CHECK(o.threshold == 2.5, "%g", o.threshold);
	CHECK(o.merge.tgid && o.merge.tid && !o.merge.cpu, "tgid implies tid");
	CHECK(!strcmp(o.session_dir, "/x") && o.image_path.nr == 2, "values");
	CHECK(o.specs[0].list[SPEC_IMAGE].nr == 1, "specification");
	report_options_free(&o);
}

TEST(compatibility)
{
	struct report_options o;

	setenv("OPROFILE_COMPAT", "1", 1);
	CHECK(!parse("-l", &o) && o.compat, "by environment");
	report_options_free(&o);
	setenv("OPROFILE_COMPAT", "0", 1);
	CHECK(!parse("-l", &o) && !o.compat, "0 is off");
	report_options_free(&o);
	CHECK(!parse("--compat=oprofile", &o) && o.compat, "by option");
	report_options_free(&o);
}

TEST(empty_on_failure)
{
	struct report_options o;

	CHECK(parse("-l -t 500 image:x", &o) == -EINVAL, "threshold");
	CHECK(!o.symbols && !o.specs[0].list[SPEC_IMAGE].nr, "empty");
	CHECK(parse("-c -d", &o) == -EINVAL, "two reports");
	CHECK(parse("-l evnt:x", &o) == -EINVAL, "tag");
}

TEST_MAIN()
