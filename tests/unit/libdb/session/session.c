// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - the text files beside the samples: written, read, refused */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>
#include "libdb/session/header.h"
#include "libdb/session/image_ids.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "tests/unit/small_disk.h"

TEST(paths)
{
	static const struct {
		char *(*make)(const char *);
		const char *want;
	} rows[] = {
		{ session_lock_path, "/sd/lock" },
		{ session_log_path, "/sd/samples/oprofiled.log" },
		{ session_control_path, "/sd/control" },
	};
	char *path;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		path = rows[i].make("/sd");
		CHECK(!strcmp(path, rows[i].want), "%s", path);
		free(path);
	}
	path = session_control_path(SESSION_DIR_DEFAULT);
	CHECK(!strcmp(path, "/run/oprofile/control"), "%s", path);
	free(path);
	path = session_samples_path("/sd", SESSION_CURRENT);
	CHECK(!strcmp(path, "/sd/samples/current"), "%s", path);
	free(path);
	path = session_stats_path("/sd", "x", "counts");
	CHECK(!strcmp(path, "/sd/samples/x/stats/counts"), "%s", path);
	free(path);
	path = session_stats_path("/sd", "x", NULL);
	CHECK(!strcmp(path, "/sd/samples/x/stats"), "%s", path);
	free(path);
}

TEST(names)
{
	static const struct {
		const char *name;
		bool ok;
	} rows[] = {
		{ "current", true }, { "a", true }, { "A-b_c.d+9", true }, { "a..b", true },
		{ "", false }, { ".", false }, { "..", false }, { ".a", false }, { "a/b", false },
		{ "a b", false }, { "a\n", false }, { "\xc3\xa4", false }, { "a*", false },
	};
	char longest[202];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK(session_name_ok(rows[i].name) == rows[i].ok, "'%s'", rows[i].name);
	memset(longest, 'x', sizeof(longest));
	longest[201] = '\0';
	CHECK(!session_name_ok(longest), "201 bytes");
	longest[200] = '\0';
	CHECK(session_name_ok(longest), "200 bytes");
}

TEST(info_write_and_read)
{
	struct session_info info = {
		.collector = "module", .model = "timer", .cpu_type = "timer",
		.clock_khz = 2500000, .period_ns = 40000, .events = "CPU_CLK_UNHALTED:100000:0:1:1",
		.start_time = 1700000000, .host = "h", .kernel = "6.1.0 #1 SMP",
		.machine = "x86_64", .kernel_build_id = "0123456789abcdef",
		.kernel_symbols = "kallsyms", .vmlinux = "/boot/a\\b\nc d", .separate = "none",
		.profiled = "ls -l",
	}, got;

	tmpdir_make();
	CHECK(session_info_read(tmpdir, &got) == -ENOENT, "none");
	CHECK(!session_info_write(tmpdir, &info), "write");
	CHECK(!session_info_read(tmpdir, &got), "read");
	CHECK(!memcmp(&info, &got, sizeof(info)), "equal");
	CHECK(!session_info_write(tmpdir, &(struct session_info){ .end_time = 5 }), "rewrite");
	CHECK(!session_info_read(tmpdir, &got) && got.end_time == 5 && !got.host[0], "replaced");
}

TEST(info_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "host\n", ":1: expected 'KEY VALUE'" },
		{ " x\n", ":1: expected 'KEY VALUE'" },
		{ "host a\n\n", ":2: expected 'KEY VALUE'" },
		{ "host a\nclock_khz 1x\n", ":2: expected a decimal number" },
		{ "clock_khz -1\n", ":1: expected a decimal number" },
		{ "clock_khz 0x10\n", ":1: expected a decimal number" },
		{ "clock_khz 18446744073709551616\n", ":1: expected a decimal number" },
		{ "host a\nhost b\n", ":2: duplicate key" },
		{ "host a\\\n", ":1: invalid escape" },
		{ "host a\\09\n", ":1: invalid escape" },
		{ "host a\\000\n", ":1: invalid escape" },
		{ "host a\\777\n", ":1: invalid escape" },
		{ "host a", ":1: the last line is truncated" },
		{ "machine 01234567890123456789012345678901\n", ":1: value is too long" },
	};
	struct session_info got = { .clock_khz = 7 };
	struct op_error e;

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_text(tmpdir_path("session"), rows[i].text);
		CHECK(session_info_read_e(tmpdir, &got, &e) == -EPROTO &&
		      strstr(e.text, rows[i].says) && got.clock_khz == 7, "'%s': %s", rows[i].text,
		      e.text);
	}
	put_file(tmpdir_path("session"), "host a\0b\n", 9);
	CHECK(session_info_read_e(tmpdir, &got, &e) == -EPROTO, "NUL");
	put_text(tmpdir_path("session"), "colour blue\nhost h\nlater 7 8\n");
	CHECK(!session_info_read_e(tmpdir, &got, &e) && !strcmp(got.host, "h"), "unknown keys");
	put_text(tmpdir_path("session"), "");
	CHECK(!session_info_read_e(tmpdir, &got, &e) && !got.host[0], "empty");
}

TEST(info_is_limited)
{
	struct session_info got;
	char *big = malloc(100000);

	tmpdir_make();
	memset(big, 'x', 100000);
	put_file(tmpdir_path("session"), big, 100000);
	free(big);
	CHECK(session_info_read(tmpdir, &got) == -EFBIG, "100000 bytes");
}

static void fill_counts(struct cpu_counts *c, uint64_t from)
{
	c->received = from + 1000;
	c->recorded = from;
	c->extended = from / 2;
	c->filtered = 3;
	c->idle = from % 11;
	c->disturbed = from % 3;
	c->event_errors = from % 2;
	c->throttled = 4;
	c->jit_refused = from % 7;
	c->jit_damaged = from % 5 + 1;
	for (int i = 0; i < NR_LOSS_REASONS; i++)
		c->lost[i] = (uint64_t)i * from;
}

TEST(counts_write_and_read)
{
	struct cpu_counts cpus[3], total;
	struct session_counts counts = { 3, cpus }, got;

	tmpdir_make();
	memset(cpus, 0, sizeof(cpus));
	fill_counts(&cpus[0], 10);
	fill_counts(&cpus[2], UINT64_MAX / 100);
	CHECK(session_counts_read(tmpdir, &got) == -ENOENT, "none");
	CHECK(!session_counts_write(tmpdir, &counts), "write");
	CHECK(!session_counts_read(tmpdir, &got), "read");
	CHECK(got.nr_cpus == 3 && !memcmp(got.cpu, cpus, sizeof(cpus)), "equal");
	session_counts_total(&got, &total);
	CHECK(total.recorded == 10 + UINT64_MAX / 100 && total.filtered == 6 &&
	      total.lost[2] == 20 + 2 * (UINT64_MAX / 100), "total");
	free(got.cpu);
	counts.nr_cpus = COUNTS_MAX_CPUS + 1;
	CHECK(session_counts_write(tmpdir, &counts) == -EINVAL, "too many CPUs");
}

TEST(counts_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", ":0: expected 'cpus N'" },
		{ "cpus\n", ":1: expected 'cpus N'" },
		{ "cpus 1 2\n", ":1: expected 'cpus N'" },
		{ "cpus 1025\n", ":1: too many CPUs" },
		{ "cpus 99999999999999999999\n", ":1: expected 'cpus N'" },
		{ "cpus 2\ncpu 0 received 1\n", ":2: fewer CPUs than the first" },
		{ "cpus 1\ncpu 0 received 1\ncpu 1 received 1\n", ":3: more CPUs than the first" },
		{ "cpus 1\ncpu 1 received 1\n", ":2: expected the number of the next CPU" },
		{ "cpus 1\ncpu 0 received\n", ":2: expected a decimal number after each name" },
		{ "cpus 1\ncpu 0 received x\n", ":2: expected a decimal number after each name" },
		{ "cpus 1\nfoo 0\n", ":2: expected 'cpu N ...'" },
		{ "cpus 1\ncpu 0", ":2: the last line is truncated" },
	};
	struct session_counts got = { 77, NULL };
	struct op_error e;

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_text(tmpdir_path("counts"), rows[i].text);
		CHECK(session_counts_read_e(tmpdir, &got, &e) == -EPROTO &&
		      strstr(e.text, rows[i].says) && got.nr_cpus == 77, "'%s': %s", rows[i].text,
		      e.text);
	}
	put_text(tmpdir_path("counts"), "cpus 1\ncpu 0 received 9 later 5 lost.later 6\n");
	CHECK(!session_counts_read_e(tmpdir, &got, &e) && got.cpu[0].received == 9,
	      "names of a later version: %s", e.text);
	free(got.cpu);
}

TEST(loss_names)
{
	for (int i = 0; i < NR_LOSS_REASONS; i++) {
		CHECK(loss_name((enum loss_reason)i) && loss_text((enum loss_reason)i), "%d", i);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(loss_name((enum loss_reason)i),
				     loss_name((enum loss_reason)j)),
			      "%d and %d", i, j);
	}
	CHECK(!strcmp(loss_name(LOST_CPU_BUFFER), "cpu_buffer_overflow"), "name");
	CHECK(loss_name((enum loss_reason)NR_LOSS_REASONS), "out of range");
}

TEST(advice_on_losses)
{
	uint64_t lost[NR_LOSS_REASONS] = { [LOST_NO_MAPPING] = 5000, [LOST_RING] = 1 };

	CHECK(!losses_advice(lost, 10000), "one of 10000");
	CHECK(strstr(losses_advice(lost, 9999), "CPU time"), "one of 9999");
	lost[LOST_EVENT_BUFFER] = 3;
	CHECK(strstr(losses_advice(lost, 10000), " --buffer-size"), "event buffer");
	lost[LOST_CPU_BUFFER] = 4;
	CHECK(strstr(losses_advice(lost, 10000), " --cpu-buffer-size"), "CPU buffer");
}

TEST(image_ids)
{
	struct image_ids *ids = NULL;

	tmpdir_make();
	CHECK(image_ids_read(tmpdir, &ids) == -ENOENT, "none");
	CHECK(!image_ids_append(tmpdir, "/bin/b", "11"), "append");
	CHECK(!image_ids_append(tmpdir, "/bin/a b\nc\\", "22"), "append");
	CHECK(!image_ids_append(tmpdir, "/bin/none", NULL), "append");
	CHECK(!image_ids_append(tmpdir, "/bin/b", "33"), "append");
	CHECK(!image_ids_append(tmpdir, "ext4", ""), "append");
	CHECK(!image_ids_read(tmpdir, &ids), "read");
	CHECK(!strcmp(image_ids_find(ids, "/bin/b"), "33"), "the last one holds");
	CHECK(!strcmp(image_ids_find(ids, "/bin/a b\nc\\"), "22"), "escapes");
	CHECK(!image_ids_find(ids, "/bin/none") && !image_ids_find(ids, "ext4") &&
	      !image_ids_find(ids, "/bin/c") && !image_ids_find(ids, ""), "unknown");
	image_ids_free(ids);
	image_ids_free(NULL);
}

TEST(image_ids_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "\n", ":1: expected a build ID" },
		{ "11 /a\nXY /b\n", ":2: expected a build ID" },
		{ "11\n", ":1: expected one path" },
		{ "11 \n", ":1: expected one path" },
		{ "11 /a b\n", ":1: expected one path" },
		{ "11 /a\\8\n", ":1: invalid escape" },
	};
	struct image_ids *ids = NULL;
	struct op_error e;

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = strdup(rows[i].text);

		CHECK(image_ids_parse(text, strlen(text), "f", &ids, &e) == -EPROTO && !ids &&
		      strstr(e.text, rows[i].says), "'%s': %s", rows[i].text, e.text);
		free(text);
	}
	put_text(tmpdir_path("images"), "11 /a\n22 /b\n33 /c");
	CHECK(!image_ids_read(tmpdir, &ids), "a killed writer's half line");
	CHECK(!strcmp(image_ids_find(ids, "/b"), "22") && !image_ids_find(ids, "/c"),
	      "is left out");
	image_ids_free(ids);
}

/* The layout that opimport needs, as OProfile writes it. */
TEST(abi)
{
	static const char *const lines[] = {
		"sizeof_struct_opd_header 72\n", "offsetof_header_anon_start 56\n",
		"sizeof_odb_node_t 16\n", "little_endian 1\n",
	};
	size_t len, nr = 0;
	char *text;

	tmpdir_make();
	CHECK(!session_abi_write(tmpdir, SAMPLE_VERSION_1X), "write");
	CHECK(!file_read_all(tmpdir_path("abi"), 10000, &text, &len), "read");
	for (size_t i = 0; i < len; i++)
		nr += text[i] == '\n';
	CHECK(nr == 31, "%zu lines", nr);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		CHECK(strstr(text, lines[i]), "%s", lines[i]);
	free(text);
	CHECK(!session_abi_write(tmpdir, SAMPLE_VERSION_099), "write");
	CHECK(!file_read_all(tmpdir_path("abi"), 10000, &text, NULL) &&
	      strstr(text, "sizeof_struct_opd_header 88\n"), "0x12");
	free(text);
}

static void write_received(const char *stats, uint64_t received)
{
	struct cpu_counts cpu = { .received = received };
	struct session_counts counts = { 1, &cpu }, back = { 0, NULL };
	int err = session_counts_write(stats, &counts);

	CHECK(!err, "write %llu: %s", (unsigned long long)received, strerror(-err));
	CHECK(!session_counts_read(stats, &back) && back.cpu[0].received == received,
	      "%llu is not what is there", (unsigned long long)received);
	free(back.cpu);
}

/* [SS-5] Reserved room serves any number of writes, longer or shorter, on a full disk. */
TEST(full_disk)
{
	struct session_info info = { .end_time = 7 }, back;
	char stats[5000];

	tmpdir_make();
	small_disk_mount("size=64k");
	snprintf(stats, sizeof(stats), "%s", tmpdir);
	CHECK(!session_info_write(stats, &info), "info");
	write_received(stats, 1);
	CHECK(!session_reserve(stats, 1), "reserve");
	small_disk_fill(tmpdir_path("filler"));
	for (unsigned int i = 0; i < 10; i++) {
		write_received(stats, i % 2 ? 1 : UINT64_MAX - i);
		small_disk_fill(tmpdir_path("filler"));
	}
	info.end_time = 8;
	CHECK(!session_info_write(stats, &info) && !session_info_read(stats, &back) &&
	      back.end_time == 8, "info on a full disk");
	session_give_up_reserve(stats);
	CHECK(!file_exists(tmpdir_path("counts.spare")) &&
	      !file_exists(tmpdir_path("session.spare")), "spare left");
	small_disk_fill(tmpdir_path("filler"));
	CHECK(session_info_write(stats, &info) == -ENOSPC, "without a spare");
	CHECK(session_reserve(stats, 1) == -ENOSPC, "no room to reserve");
	CHECK(!file_exists(tmpdir_path("session.spare")), "a spare of no use");
}

TEST_MAIN()
