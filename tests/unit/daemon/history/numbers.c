// SPDX-License-Identifier: GPL-2.0-or-later
/* numbers.c - what the kernel counted, and what was lost, as numbers of a slice */
#include "daemon/history/numbers.h"
#include <string.h>
#include <sys/stat.h>
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static void put(const char *name, const char *text)
{
	CHECK(!file_make_parent_dirs(tmpdir_path(name), 0755) &&
	      !file_write_atomic(tmpdir_path(name), text, strlen(text), 0600), "write");
}

static uint64_t number(const struct numbers *n, const char *name)
{
	for (size_t i = 0; i < n->nr; i++)
		if (!strcmp(n->list[i].name, name))
			return n->list[i].value;
	return 0;
}

/* /proc counts ticks of 10 ms, pressure microseconds. */
TEST(gauges)
{
	struct gauges before, now;
	struct numbers n = { .nr = 0 };

	tmpdir_make();
	put("stat", "cpu  100 0 50 1000 10 5 5 0 20 0\ncpu0 1 1 1 1\nprocs_running 4\n");
	put("pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5000\n");
	gauges_read(tmpdir, &before);
	put("stat", "cpu  150 0 60 1300 20 5 5 0 20 0\ncpu0 1 1 1 1\nprocs_running 7\n");
	put("pressure/cpu", "some avg10=9.00 avg60=0.00 avg300=0.00 total=65000\n");
	put("pressure/io", "some avg10=0.00 total=30\nfull avg10=0.00 total=20\n");
	gauges_read(tmpdir, &now);
	numbers_add_gauges(&n, &before, &now);
	CHECK(number(&n, "cpu.busy_ms") == 600 && number(&n, "cpu.total_ms") == 3700,
	      "busy %d of %d ms", (int)number(&n, "cpu.busy_ms"),
	      (int)number(&n, "cpu.total_ms"));
	CHECK(number(&n, "run_queue.sum") == 7 && number(&n, "run_queue.readings") == 1, "queue");
	CHECK(number(&n, "psi.cpu.some_us") == 60000 && number(&n, "psi.io.some_us") == 30 &&
	      number(&n, "psi.io.full_us") == 20 && !number(&n, "psi.memory.some_us"), "pressure");
	/* two slices that are written as one */
	numbers_add_gauges(&n, &before, &now);
	CHECK(number(&n, "cpu.busy_ms") == 1200 && number(&n, "run_queue.readings") == 2, "sum");
}

TEST(losses_by_reason)
{
	struct cpu_counts c = { .filtered = 3, .idle = 4, .throttled = 5 };
	struct history_number list[NUMBERS_MAX];
	struct numbers n = { .nr = 0 };
	char name[64];
	size_t nr;

	c.lost[LOST_LIMIT] = 7;
	numbers_add_counts(&n, &c);
	snprintf(name, sizeof(name), HISTORY_LOST "%s", loss_name(LOST_LIMIT));
	CHECK(number(&n, name) == 7 && number(&n, HISTORY_FILTERED) == 3 &&
	      number(&n, HISTORY_IDLE) == 4 && number(&n, HISTORY_THROTTLED) == 5, "numbers");
	nr = numbers_list(&n, list);
	CHECK(nr == 4, "%zu numbers, 0 is left out", nr);
	for (size_t i = 1; i < nr; i++)
		CHECK(strcmp(list[i - 1].name, list[i].name) < 0, "not sorted");
}

TEST_MAIN()
