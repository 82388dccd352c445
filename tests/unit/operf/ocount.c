// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocount.c - count events and report them, with a fake kernel
 *
 * Events that are opened get descriptors from FIRST_FD on, and are read from a table.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "operf/ocount/count.h"
#include "operf/ocount/format.h"
#include "operf/ocount/options.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/fake_perf_open.h"
#include "tests/unit/tmpdir.h"

#define FIRST_FD	5000
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static struct event {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	bool open, enabled;
	uint64_t read[3];		/* value, enabled, running */
} events[64];
static int nr_events, opened;
static int open_errno;			/* of perf_event_open() from now on */
static pid_t ended;			/* a thread that has ended */
static void (*at_open)(void);

static int fake_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	if (at_open)
		at_open();
	errno = pid == ended && ended ? ESRCH : open_errno;
	if (errno)
		return -1;
	opened++;
	for (nr_events = 0; events[nr_events].open; nr_events++)
		;
	events[nr_events] = (struct event){ .attr = *attr, .pid = pid, .cpu = cpu,
					    .open = true };
	return FIRST_FD + nr_events++;
}

int ioctl(int fd, unsigned long request, ...)
{
	events[fd - FIRST_FD].enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

ssize_t read(int fd, void *to, size_t size)
{
	if (fd < FIRST_FD)
		return __extension__({ static ssize_t (*real)(int, void *, size_t);
				       real = (ssize_t (*)(int, void *, size_t))
					      dlsym(RTLD_NEXT, "read");
				       real(fd, to, size); });
	CHECK(size == 24, "%zu bytes are read", size);
	memcpy(to, events[fd - FIRST_FD].read, size);
	return (ssize_t)size;
}

int close(int fd)
{
	static int (*real)(int);

	if (fd >= FIRST_FD) {
		events[fd - FIRST_FD].open = false;
		return 0;
	}
	if (!real)
		real = (int (*)(int))dlsym(RTLD_NEXT, "close");
	return real(fd);
}

static struct perf_counter counters[] = {
	{ .name = "CYC", .type = PERF_TYPE_RAW, .config = 0x3c, .counter = 0, .kernel = true,
	  .user = true, .cycles = true },
	{ .name = "INST", .type = PERF_TYPE_RAW, .config = 0xc0, .counter = 1, .user = true },
};

static struct count *open_count(enum count_mode mode, const unsigned int *ids, unsigned int nr,
			     bool separate)
{
	struct count_request r = { .mode = mode, .ids = ids, .nr_ids = nr, .separate = separate,
				   .counters = counters, .nr_counters = 2, .nr_events = 2,
				   .proc = tmpdir };
	struct op_error e = { "" };
	struct count *c = NULL;

	CHECK(!count_open(&r, &c, &e), "%s", e.text);
	return c;
}

static void set(int event, uint64_t value, uint64_t enabled, uint64_t running)
{
	events[event].read[0] = value;
	events[event].read[1] = enabled;
	events[event].read[2] = running;
}

TEST(count_command)
{
	unsigned int pid = 77;
	struct count *c = open_count(COUNT_COMMAND, &pid, 1, false);
	const struct perf_event_attr *a = &events[1].attr;
	struct count_row *rows;
	size_t nr;

	CHECK(opened == 2 && events[0].pid == 77 && events[0].cpu == -1, "one thread, any CPU");
	CHECK(a->enable_on_exec && a->inherit && a->disabled && a->config == 0xc0, "from exec on");
	CHECK(a->exclude_kernel && !a->exclude_user && !events[0].attr.exclude_kernel, "sides");
	CHECK(!count_start(c, NULL) && !events[0].enabled, "not before");
	set(0, 1000, 50, 50);
	set(1, 300, 50, 20);
	rows = count_read(c, &nr);
	CHECK(nr == 2 && rows[0].count == 1000 && rows[0].subject == -1, "%zu rows", nr);
	CHECK(rows[1].count == 750, "300 in 20 of 50 ns: %llu", (unsigned long long)rows[1].count);
	CHECK(count_percent(&rows[0]) > 99.99 && count_percent(&rows[1]) < 40.01, "percent");
	free(rows);
	set(0, 1007, 60, 60);
	rows = count_read(c, &nr);
	CHECK(rows[0].count == 7 && rows[0].enabled_ns == 10 && !rows[1].count, "new counts only");
	CHECK(count_percent(&rows[1]) < 0.01, "never counted");
	free(rows);
	count_close(c);
	CHECK(!events[0].open && !events[1].open, "closed");
}

TEST(count_threads)
{
	unsigned int tids[] = { 5, 9 };
	struct count *c = open_count(COUNT_THREADS, tids, 2, true);
	struct count_row *rows;
	size_t nr;

	CHECK(!events[0].attr.inherit && !events[0].attr.enable_on_exec, "without children");
	CHECK(!count_start(c, NULL) && events[0].enabled && events[3].enabled, "started");
	set(2, 4, 10, 10);
	rows = count_read(c, &nr);
	CHECK(nr == 4 && rows[2].subject == 9 && rows[2].event == 0 && rows[2].count == 4,
	      "%zu rows", nr);
	free(rows);
	count_stop(c);
	CHECK(!events[0].enabled, "stopped");
	count_close(c);
}

/* ---- processes whose threads start and end ---- */

static int nr_new_threads;

static void add_thread(void)
{
	char name[32];

	snprintf(name, sizeof(name), "40/task/%d", 100 + nr_new_threads);
	if (nr_new_threads)
		mkdir(tmpdir_path(name), 0755);
	nr_new_threads -= nr_new_threads > 0;
}

static void prepare_process(void)
{
	tmpdir_make();
	mkdir(tmpdir_path("40"), 0755);
	mkdir(tmpdir_path("40/task"), 0755);
	mkdir(tmpdir_path("40/task/40"), 0755);
	mkdir(tmpdir_path("40/task/41"), 0755);
}

TEST(threads_that_start_while_opening)
{
	unsigned int pid = 40;
	struct count *c;
	int nr_open = 0;

	prepare_process();
	at_open = add_thread;
	nr_new_threads = 3;
	c = open_count(COUNT_PROCESSES, &pid, 1, false);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		nr_open += events[i].open;
	CHECK(nr_open == 2 * 5 && !nr_new_threads, "%d events of five threads, each once", nr_open);
	CHECK(!count_is_unsteady(c) && events[0].attr.inherit, "with what they start");
	count_close(c);
}

TEST(threads_that_end_while_opening)
{
	unsigned int pid = 40;
	struct count *c;
	struct count_row *rows;
	size_t nr;

	prepare_process();
	ended = 41;
	c = open_count(COUNT_PROCESSES, &pid, 1, false);
	set(0, 9, 1, 1);
	rows = count_read(c, &nr);
	CHECK(nr == 2 && rows[0].count == 9, "the remaining thread");
	free(rows);
	count_close(c);
}

TEST(failures_leave_nothing_open)
{
	static const int errs[] = { EACCES, ENOENT, EBUSY, EMFILE, ESRCH };
	struct count_request r = { .mode = COUNT_THREADS, .ids = (unsigned int[]){ 7 }, .nr_ids = 1,
				   .counters = counters, .nr_counters = 2, .nr_events = 2 };
	struct count *c;

	for (size_t i = 0; i < ARRAY_SIZE(errs); i++) {
		struct op_error e = { "" };

		open_errno = errs[i];
		CHECK(count_open(&r, &c, &e) == -errs[i] && *e.text, "%d: %s", errs[i], e.text);
		CHECK(!events[0].open, "open");
	}
}

/* A thread that ran 30 ns on one kind of CPU and 10 ns on the other, of 40 ns. */
TEST(counts_of_kinds_of_cpu_add_up)
{
	struct perf_counter both[] = { counters[0], counters[0] };
	struct count_request r = { .mode = COUNT_THREADS, .ids = (unsigned int[]){ 7 }, .nr_ids = 1,
				   .counters = both, .nr_counters = 2, .nr_events = 1 };
	struct count *c = NULL;
	struct count_row *rows;
	size_t nr;

	both[0].type = 10;
	both[1].type = 11;
	CHECK(!count_open(&r, &c, NULL), "open");
	set(0, 300, 40, 30);
	set(1, 20, 40, 10);
	rows = count_read(c, &nr);
	CHECK(nr == 1 && rows[0].count == 320 && rows[0].running_ns == 40, "%llu",
	      (unsigned long long)rows[0].count);
	free(rows);
	count_close(c);
}

/* ---- the report ---- */

static void check_text(const struct count_format *f, const struct count_row *rows, size_t nr,
		    uint64_t ns, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	count_format(f, rows, nr, ns, &out);
	CHECK(!strcmp(out.text, expected), "expected\n%s\ngot\n%s", expected, out.text);
	strbuf_free(&out);
}

TEST(reports)
{
	char *names[] = { (char *)"CPU_CLK_UNHALTED", (char *)"INST_RETIRED:0x01:0:1" };
	const struct count_row rows[] = {
		{ 0, 3, 9408018070, 100, 100 }, { 1, 3, 999, 100, 100 }, { 0, 12, 1000, 100, 33 },
	};
	struct count_format f = { .mode = COUNT_COMMAND, .command = "/bin/ls", .names = names };
	struct timespec at = { 1700000000, 250000000 };

	check_text(&f, rows, 2, 2850000000, "\n"
		"Events were actively counted for 2.8 seconds.\n"
		"Event counts (actual) for /bin/ls:\n"
		"\tEvent                        Count                    % time counted\n"
		"\tCPU_CLK_UNHALTED             9,408,018,070            100.00\n"
		"\tINST_RETIRED:0x01:0:1        999                      100.00\n");
	f = (struct count_format){ .mode = COUNT_CPUS, .separate = true, .names = names };
	check_text(&f, rows + 2, 1, 12345, "\n"
		"Events were actively counted for 12345 nanoseconds.\n"
		"Event counts (scaled) for the specified CPU(s):\n"
		"\tEvent                   CPU       Count                    % time counted\n"
		"\tCPU_CLK_UNHALTED        12        1,000                    33.00\n");
	f = (struct count_format){ .mode = COUNT_THREADS, .separate = true, .names = names,
				   .at = &at };
	check_text(&f, rows, 1, 61000000000, "\n"
		"Current time (seconds since epoch): 1700000000.2\n"
		"Events were actively counted for 1 minute(s) and 1 seconds.\n"
		"Event counts (actual) for thread(s):\n"
		"\tEvent                   Task ID   Count                    % time counted\n"
		"\tCPU_CLK_UNHALTED        3         9,408,018,070            100.00\n");
	f.brief = true;
	check_text(&f, rows + 1, 2, 1, "timestamp,1700000000.2\n"
		"3,INST_RETIRED:0x01:0:1,999,100.00\n12,CPU_CLK_UNHALTED,1000,33.00\n");
	f = (struct count_format){ .mode = COUNT_SYSTEM, .brief = true, .names = names };
	check_text(&f, rows, 1, 1, "CPU_CLK_UNHALTED,9408018070,100.00\n");
}

/* ---- the command line ---- */

static const struct {
	const char *argv[8];
	const char *error;		/* part of it; NULL: none */
} lines[] = {
	{ { "ocount", "ls", "-s" }, NULL },
	{ { "ocount", "-s", "-c" }, NULL },
	{ { "ocount", "-C", "0,2-3", "-c" }, NULL },
	{ { "ocount", "-r", "1,2,2", "-t", "-i", "150:3" }, NULL },
	{ { "ocount" }, "expected one of" },
	{ { "ocount", "-s", "ls" }, "expected only one of" },
	{ { "ocount", "-s", "-C", "0" }, "expected only one of" },
	{ { "ocount", "-t", "ls" }, "--separate-thread needs" },
	{ { "ocount", "-c", "-p", "1" }, "--separate-cpu needs" },
	{ { "ocount", "-p", "x" }, "invalid id 'x' for --process-list" },
	{ { "ocount", "-r", "1,,2" }, "invalid id '' for --thread-list" },
	{ { "ocount", "-p", "" }, "needs an id" },
	{ { "ocount", "-C", "2-1" }, "invalid list '2-1'" },
	{ { "ocount", "-i", "0", "ls" }, "milliseconds" },
	{ { "ocount", "-i", "100:x", "ls" }, "milliseconds" },
	{ { "ocount", "-Z", "ls" }, "-Z" },
};

TEST(command_lines)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct ocount_options o;
		struct op_error e = { "" };
		int argc = 0, err;

		while (lines[i].argv[argc])
			argc++;
		err = ocount_options_parse(argc, (const char **)lines[i].argv, &o, &e);
		CHECK(!err == !lines[i].error, "%zu: %s", i, e.text);
		CHECK(!lines[i].error || strstr(e.text, lines[i].error), "%zu: %s", i, e.text);
		if (i == 0)
			CHECK(o.mode == COUNT_COMMAND && !strcmp(o.command[1], "-s"), "its own");
		if (i == 3)
			CHECK(o.nr_ids == 2 && o.interval_ms == 200 && o.interval_rounded &&
			      o.nr_intervals == 3 && o.separate, "threads");
		ocount_options_free(&o);
	}
}

TEST_MAIN()
