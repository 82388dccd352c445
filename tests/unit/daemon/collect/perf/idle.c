// SPDX-License-Identifier: GPL-2.0-or-later
/* idle.c - idle times while sampling, from written-out /proc/stat */
#include <unistd.h>
#include "daemon/collect/perf/idle.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static struct perf_idle idle;
static uint64_t tick_ns;

static void stat_is(const char *text)
{
	put_text(tmpdir_path("stat"), text);
}

static void begin(void)
{
	static char path[5000];

	tmpdir_make();
	snprintf(path, sizeof(path), "%s", tmpdir_path("stat"));
	idle = (struct perf_idle){ .path = path };
	tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

TEST(only_while_sampling)
{
	begin();
	stat_is("cpu  9 9 9 900 9 9 9 0 0 0\ncpu0 1 2 3 100 20 6 7 0 0 0\n"
		"cpu2 1 2 3 50 0 6 7 0 0 0\nintr 5 cpu\n");
	perf_idle_start(&idle);
	CHECK(!idle.ns[0] && !idle.ns[2], "nothing yet");
	stat_is("cpu0 5 2 3 130 25 6 7 0 0 0\ncpu2 9 2 3 50 0 6 7 0 0 0\n");
	perf_idle_update(&idle);
	CHECK(idle.ns[0] == 35 * tick_ns && !idle.ns[1] && !idle.ns[2], "%llu",
	      (unsigned long long)idle.ns[0]);
	stat_is("cpu0 5 2 3 131 25 6 7 0 0 0\ncpu2 9 2 3 52 0 6 7 0 0 0\n");
	perf_idle_stop(&idle);
	CHECK(idle.ns[0] == 36 * tick_ns && idle.ns[2] == 2 * tick_ns, "at the end");
	stat_is("cpu0 5 2 3 500 25 6 7 0 0 0\n");
	perf_idle_update(&idle);
	perf_idle_stop(&idle);
	CHECK(idle.ns[0] == 36 * tick_ns, "while stopped");
	perf_idle_start(&idle);
	stat_is("cpu0 5 2 3 501 25 6 7 0 0 0\n");
	perf_idle_update(&idle);
	CHECK(idle.ns[0] == 37 * tick_ns, "started again");
}

TEST(pauses_do_not_count)
{
	uint64_t before;

	begin();
	stat_is("");
	perf_idle_start(&idle);
	CHECK(!idle.sampled_ns, "before it began");
	usleep(1000);
	perf_idle_stop(&idle);
	before = idle.sampled_ns;
	CHECK(before >= 1000000, "%llu", (unsigned long long)before);
	usleep(1000);
	perf_idle_update(&idle);
	perf_idle_start(&idle);
	CHECK(idle.sampled_ns == before, "while stopped");
	perf_idle_update(&idle);
	CHECK(idle.sampled_ns > before, "started again");
}

TEST(times_that_fall_and_garbage)
{
	begin();
	stat_is("cpu0 1 2 3 100 20 6\n");
	perf_idle_start(&idle);
	stat_is("cpu0 1 2 3 101 15 6\n");
	perf_idle_update(&idle);
	CHECK(!idle.ns[0], "fell");
	stat_is("cpu0 1 2 3 101 20 6\ncpu99999 1 2 3 4 5\ncpu1 1 2 3\ncpu\ncpux 1 2 3 4 5");
	perf_idle_update(&idle);
	CHECK(idle.ns[0] == tick_ns, "rose again");
	unlink(tmpdir_path("stat"));
	perf_idle_update(&idle);
	perf_idle_stop(&idle);
	CHECK(idle.ns[0] == tick_ns, "no file");
}

TEST_MAIN()
