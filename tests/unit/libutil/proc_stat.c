// SPDX-License-Identifier: GPL-2.0-or-later
/* proc_stat.c - states and start times of processes */
#include "libutil/proc_stat.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static int read_of(const char *text, struct proc_stat *ret)
{
	const char *path = tmpdir_path("stat");
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0 && !fclose(f), "written");
	return proc_stat_read(path, ret);
}

TEST(names_may_hold_anything)
{
	struct proc_stat s = { 0 };

	tmpdir_make();
	CHECK(!read_of("7 (a) S 1) R 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n", &s),
	      "read");
	CHECK(s.state == 'R' && s.start_time == 22, "'%c' %llu", s.state,
	      (unsigned long long)s.start_time);
}

TEST(what_is_not_as_expected)
{
	static const char *const texts[] = { "", "7", "7 (a)", "7 (a) R 4 5", "7 a R 4",
		"7 (a) R 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 x\n" };
	struct proc_stat s = { .state = '?', .start_time = 5 };

	tmpdir_make();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK(read_of(texts[i], &s) == -EIO && s.state == '?' && s.start_time == 5, "%s",
		      texts[i]);
	CHECK(proc_stat_read("/proc/0/stat", &s) == -ESRCH, "no such process");
}

TEST(this_process)
{
	struct proc_stat s, t;

	CHECK(!proc_stat_read("/proc/self/stat", &s) && s.state == 'R', "running");
	CHECK(!proc_stat_read("/proc/self/stat", &t) && t.start_time == s.start_time, "once");
}

TEST_MAIN()
