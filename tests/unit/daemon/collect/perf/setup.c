// SPDX-License-Identifier: GPL-2.0-or-later
/* setup.c - periods, ring sizes, lists of CPUs, lines of /proc, modules */
#include "tests/tap.h"

#include <errno.h>

#include "daemon/collect/perf/events.h"
#include "daemon/collect/perf/modules.h"
#include "daemon/collect/perf/proc.h"
#include "daemon/collect/perf/sysfs.h"
#include "libutil/file.h"
#include "tests/unit/tmpdir.h"

TEST(periods)
{
	static const struct {
		uint64_t count, khz, max_rate;
		int err;
		uint64_t ns;
		const char *message;
	} cases[] = {
		{100000, 2000000, 100000, 0, 50000, ""},
		{15000, 1000000, 0, 0, 15000, ""},
		{14999, 1000000, 0, -EINVAL, 0, "at least 15000 at 1000000 kHz"},
		{1, 3000001, 0, -EINVAL, 0, "at least 45001 "},
		{0, 1000000, 0, -EINVAL, 0, "at least 15000"},
		{100000, 1000000, 5000, -EINVAL, 0,
		 "kernel.perf_event_max_sample_rate (5000); raise"},
		{200000, 1000000, 5000, 0, 200000, ""},
		{UINT64_MAX, 1, 0, -EINVAL, 0, "one sample per hour"},
		{100000, 0, 0, -EINVAL, 0, "0 kHz"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct op_error e = {""};
		uint64_t ns = 0;
		int err = perf_period(cases[i].count, cases[i].khz, cases[i].max_rate, &ns, &e);

		CHECK(err == cases[i].err && ns == cases[i].ns, "case %zu: %d, %llu ns", i, err,
		      (unsigned long long)ns);
		CHECK(strstr(e.text, cases[i].message), "case %zu: \"%s\"", i, e.text);
	}
	/* the count that the error suggests is accepted */
	for (uint64_t khz = 999; khz < 5000000; khz += 99991) {
		uint64_t ns, least = (15000 * khz + 999999) / 1000000;

		CHECK(!perf_period(least, khz, 0, &ns, NULL), "%llu kHz", (unsigned long long)khz);
	}
}

TEST(ring_sizes)
{
	CHECK(perf_ring_pages(100000, 1, 4096) == 1, "one word is one page");
	CHECK(perf_ring_pages(100000, 513, 4096) == 2, "a word more than a page");
	CHECK(perf_ring_pages(100000, SIZE_MAX, 4096) == 16384, "no more than 64 MiB");
	CHECK(perf_ring_pages(100000, 0, 4096) == 256, "%zu", perf_ring_pages(100000, 0, 4096));
	CHECK(perf_ring_pages(15000, 0, 4096) * 4096 >= 33333 * 48, "half a second of samples");
	CHECK(perf_ring_pages(15000, 0, 65536) * 65536 >= 33333 * 48, "with large pages");
}

TEST(lists_of_cpus)
{
	static const struct {
		const char *text;
		int err;
		unsigned int end, nr;
	} cases[] = {
		{"0-3\n", 0, 4, 4},	   {"0", 0, 1, 1},
		{"0,2-3,8\n", 0, 9, 4},	   {"", -EINVAL, 0, 0},
		{"3-1", -EINVAL, 0, 0},	   {"0-", -EINVAL, 0, 0},
		{"0,", -EINVAL, 0, 0},	   {"x", -EINVAL, 0, 0},
		{"0 1", -EINVAL, 0, 0},	   {"1023", 0, 1024, 1},
		{"0-1024", -ERANGE, 0, 0}, {"99999999999", -ERANGE, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct perf_cpu_set set;
		unsigned int nr = 0;
		int err;

		memset(&set, 0, sizeof(set));
		err = perf_cpus_parse(cases[i].text, &set);
		for (unsigned int cpu = 0; cpu < COUNTS_MAX_CPUS; cpu++)
			nr += set.has[cpu];
		CHECK(err == cases[i].err && set.end == cases[i].end && nr == cases[i].nr,
		      "\"%s\": %d, %u up to %u", cases[i].text, err, nr, set.end);
	}
}

TEST(maps_lines)
{
	static const char *const bad[] = {
		"",
		"x",
		"1000",
		"1000-2000",
		"2000-1000 r-xp 0 08:01 5 /x",
		"1000-2000 r-xp",
		"1000-2000 r-xp 00000000 08:01",
		"1000-2000 r-xp 00000000 0801 55 /x",
		"11112222333344445-2 r-xp 00000000 08:01 55 /x",
		"1000-2000 r-xp 00000000 08:01 x",
	};
	char line[200] = "7f0010002000-7f0010003000 r-xp 0001f000 fd:0a 1234567                    "
			 "/lib/a b\\012c (deleted)";
	struct perf_maps_line m;

	CHECK(perf_parse_maps_line(line, &m), "a file");
	CHECK(m.start == 0x7f0010002000 && m.end == 0x7f0010003000 && m.offset == 0x1f000, "range");
	CHECK(m.major == 0xfd && m.minor == 10 && m.inode == 1234567 && m.executable, "file");
	CHECK(!strcmp(m.path, "/lib/a b\nc (deleted)"), "path \"%s\"", m.path);
	strcpy(line, "1000-2000 rw-p 00000000 00:00 0");
	CHECK(perf_parse_maps_line(line, &m) && !m.executable && !*m.path, "nameless");
	strcpy(line, "1000-2000 rwxp 00000000 00:00 0 ");
	CHECK(perf_parse_maps_line(line, &m) && m.executable && !*m.path, "nameless with a blank");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(line, bad[i]);
		CHECK(!perf_parse_maps_line(line, &m), "\"%s\" was taken", bad[i]);
	}
}

TEST(module_lines)
{
	static const char *const bad[] = {
		"",
		"ext4",
		"ext4 x",
		"ext4 100 1 - Live 0x0000000000000000",
		" 100 1 - Live 0x1000",
		"ext4 0 1 - Live 0xffffffffc0000000",
		"ext4 100 1 - Live",
	};
	struct perf_module m;

	CHECK(perf_parse_module_line("ext4 942080 1 - Live 0xffffffffc0500000 (E)\n", &m), "plain");
	CHECK(!strcmp(m.name, "ext4") && m.size == 942080 && m.start == 0xffffffffc0500000,
	      "fields");
	CHECK(perf_parse_module_line("jbd2 1 2 ext4,ocfs2, Live 0xffffffffc0500000\n", &m),
	      "with users");
	CHECK(perf_parse_module_line("jbd2 1 - - Live 0xffffffffc0500000\n", &m), "no unloading");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!perf_parse_module_line(bad[i], &m), "\"%s\" was taken", bad[i]);
}

/* --- modules --- */

static char told[1000];

static void tell(void *context, const op_word *w, size_t nr)
{
	(void)context;
	for (size_t i = 0; i + 13 < nr + 1; i++) {
		if (w[i] != OP_ESCAPE || w[i + 1] != OP_MODULE_RANGE)
			continue;
		snprintf(told + strlen(told), sizeof(told) - strlen(told), "%c%s@%llx ",
			 w[i + 2] ? '+' : '-', (const char *)&w[i + 5],
			 (unsigned long long)w[i + 3]);
	}
}

static const char *announce(struct perf_modules *m, const char *path, const char *modules)
{
	static struct perf_emit emit;

	CHECK(!file_write_atomic(path, modules, strlen(modules), 0644), "cannot write %s", path);
	told[0] = 0;
	perf_emit_begin(&emit, tell, NULL);
	perf_modules_announce(m, &emit);
	perf_emit_end(&emit);
	return told;
}

#define A "a 100 0 - Live 0x1000\n"
#define A2 "a 100 0 - Live 0x2000\n"
#define B "b 100 0 - Live 0x3000\n"

TEST(modules_come_and_go)
{
	struct perf_modules m;
	char *path;

	tmpdir_make();
	path = tmpdir_path("modules");
	CHECK(!file_write_atomic(path, A, strlen(A), 0644), "cannot write %s", path);
	perf_modules_init(&m, path);
	CHECK(!strcmp(announce(&m, path, A), ""), "told \"%s\"", told);
	CHECK(!strcmp(announce(&m, path, A B), "+b@3000 "), "told \"%s\"", told);
	CHECK(!strcmp(announce(&m, path, B), ""), "the end one drain late: \"%s\"", told);
	CHECK(!strcmp(announce(&m, path, B), "-a@1000 "), "told \"%s\"", told);
	CHECK(!strcmp(announce(&m, path, A B), "+a@1000 "), "told \"%s\"", told);
	CHECK(!strcmp(announce(&m, path, A2 B), "-a@1000 +a@2000 "), "told \"%s\"", told);
	CHECK(!strcmp(announce(&m, path, A2 B), ""), "told \"%s\"", told);
	perf_modules_free(&m);
	unlink(path);
	perf_modules_init(&m, path); /* a kernel without modules */
	perf_modules_free(&m);
}

TEST_MAIN()
