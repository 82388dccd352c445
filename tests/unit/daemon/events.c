// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - sessions with several counters, and with events derived from other samples */
#include "libdb/session/event_times.h"
#include "libdb/session/settle.h"
#include "tests/unit/daemon/record/session.h"

#define K "{kern}/no-vmlinux"
#define LIB_FILE "{root}/lib/x.so/{dep}/{root}/lib/x.so/"

/* A counter that is not in use, between those that are, has none. */
TEST(every_counter_has_its_files)
{
	static const struct sfile_event two[] = {
		{ .name = "CYC", .code = 0x3c, .count = 1000, .no_kernel = true },
		{ .name = "" },
		{ .name = "MISS", .code = 0x2e, .unit_mask = 65, .count = 500, .no_user = true },
	};
	struct sample_header h;
	struct op_error e = { "" };
	struct cpu_counts all;
	struct recorder *r;
	char path[9000];
	size_t size;

	test_prepare();
	test_config.cpu_type = "i386/cascadelake";	/* unknown to the original */
	test_config.events = two;
	test_config.nr_counters = test_config.nr_events = 3;
	fake_user(&fake);
	fake_task(&fake, 22, APP, 21);
	fake_cookie(&fake, APP);
	for (int i = 0; i < 4; i++)
		fake_sample(&fake, 0x10, i);
	fake_sample(&fake, 0x10, 0);
	fake_kernel(&fake);
	for (int i = 0; i < 4; i++)
		fake_sample(&fake, 0xffffffff81000100, i);
	r = test_open();
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 3 && all.filtered == 2 && all.lost[LOST_STREAM] == 4,
	      "%" PRIu64 " recorded, %" PRIu64 " filtered, %" PRIu64 " not understood",
	      all.recorded, all.filtered, all.lost[LOST_STREAM]);
	CHECK_FILE("current", "{root}/bin/app/{dep}/{root}/bin/app/CYC.1000.0.all.all.all", 0x10, 2,
		   2);
	CHECK_FILE("current", K "/{dep}/" K "/MISS.500.65.all.all.all", 0xffffffff81000100, 1, 1);
	snprintf(path, sizeof(path), "%s/samples/current/" K "/{dep}/" K "/MISS.500.65.all.all.all",
		 tmpdir);
	CHECK(!sample_header_read(path, &h, &size, &e), "%s", e.text);
	CHECK(h.cpu_type == 41 && h.event == 0x2e && h.unit_mask == 65 && h.count == 500,
	      "header: type %u event %x", h.cpu_type, h.event);
	test_close(r);
}

static const struct sfile_event with_derived[] = {
	{ .name = "TIMER" },
	{ .name = "IBS_OP_ALL", .count = 9, .derived = true },
	{ .name = "IBS_OP_LATENCY", .count = 9, .derived = true },
	{ .name = "IBS_OP_KERNEL", .count = 9, .derived = true, .no_user = true },
};

/* An extended feature that derives one event, one with a weight, and one of kernel code. */
enum { ALL = 1, ALL_BUT_KERNEL, KERNEL_ONLY, NOTHING };

static int derive(void *data, const struct trans_state *state, enum op_code code,
		  const op_word *words, struct derived_event *ret)
{
	static const struct derived_event events[] = { { 0, 1 }, { 1, 70 }, { 2, 1 } };
	static const struct {
		int first, nr;
	} ranges[] = { [ALL] = { 0, 3 }, [ALL_BUT_KERNEL] = { 0, 2 }, [KERNEL_ONLY] = { 2, 1 },
		       [NOTHING] = { 0, 0 } };

	(void)data, (void)state, (void)code;
	memcpy(ret, events + ranges[words[1]].first, ranges[words[1]].nr * sizeof(*ret));
	return ranges[words[1]].nr;
}

static const struct ext_sfile_handlers handlers = { .derive = derive };
static const struct ext_feature feature = { .name = "test", .ext_sfile = &handlers };
static struct ext ext = { .feature = &feature };

static void put_extended(uint64_t pc, op_word what)
{
	fake.counts.cpu[fake.cpu].received++;
	fake_put(&fake, OP_ESCAPE);
	fake_put(&fake, OP_IBS_FETCH);
	fake_put(&fake, pc);
	fake_put(&fake, what);
	for (int i = 2; i < OP_IBS_FETCH_WORDS; i++)
		fake_put(&fake, 0);
}

static void prepare_derived(void)
{
	test_prepare();
	test_config.events = with_derived;
	test_config.nr_counters = 1;
	test_config.nr_events = 4;
	test_config.ext = &ext;
	fake_cpu(&fake, 1);
	fake_task(&fake, 22, APP, 21);
}

/* As with instruction-based sampling: one sample, several events, one of them with a weight. */
TEST(extended_samples_are_one_sample_each)
{
	struct cpu_counts all;
	struct recorder *r;

	prepare_derived();
	put_extended(0x100, ALL);		/* in no mode */
	fake_user(&fake);
	fake_cookie(&fake, LIB);
	put_extended(0x100, ALL);
	put_extended(0x100, ALL_BUT_KERNEL);
	put_extended(0x200, KERNEL_ONLY);
	put_extended(0x200, NOTHING);
	r = test_open();
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 2 && all.extended == 2 && all.filtered == 2 &&
		      all.lost[LOST_NO_MODE] == 1,
	      "%" PRIu64 " recorded, %" PRIu64 " filtered", all.recorded, all.filtered);
	CHECK_FILE("current", LIB_FILE "IBS_OP_ALL.9.0.all.all.all", 0x100, 2, 2);
	CHECK_FILE("current", LIB_FILE "IBS_OP_LATENCY.9.0.all.all.all", 0x100, 140, 140);
	test_close(r);
}

/* After a kill the contents of files are added up: derived events are not samples. */
TEST(derived_events_are_not_settled)
{
	struct settlement s = { 0 };
	struct session_counts counts;
	struct op_error e = { "" };
	struct cpu_counts all;
	struct recorder *r;
	char dir[5000], *stats;

	prepare_derived();
	fake_user(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	put_extended(0x100, ALL);
	put_extended(0x100, ALL);
	r = test_open();
	test_drain(r);
	recorder_write_counts(r);
	snprintf(dir, sizeof(dir), "%s/samples/current", tmpdir);
	CHECK(!session_settle(dir, &s, &e), "%s", e.text);
	CHECK(!s.found && !s.missing, "%" PRIu64 " found, %" PRIu64 " missing", s.found, s.missing);
	stats = session_stats_path(tmpdir, "current", NULL);
	CHECK(!session_counts_read(stats, &counts), "read");
	free(stats);
	session_counts_total(&counts, &all);
	CHECK(all.recorded == 3 && all.extended == 2, "%" PRIu64 " recorded", all.recorded);
	free(counts.cpu);
	test_close(r);
}

/* Durations */

static const struct sfile_event two_events[] = {
	{ .name = "CYC", .count = 1000 },
	{ .name = "" },
	{ .name = "MISS", .unit_mask = 65, .count = 500 },
};

static void check_times(const char *session, uint64_t enabled, uint64_t running)
{
	char *dir = session_stats_path(tmpdir, session, NULL);
	const struct event_time *t;
	struct event_times times;
	struct op_error e = { "" };

	CHECK(!event_times_read(dir, &times, &e), "%s", e.text);
	t = event_times_find(&times, "MISS", 500, 65);
	CHECK(t && t->enabled_ns == enabled && t->running_ns == running,
	      "%s: %" PRIu64 " of %" PRIu64, session, t ? t->running_ns : 0,
	      t ? t->enabled_ns : 0);
	CHECK(times.nr == 2 && event_times_find(&times, "CYC", 1000, 0), "%zu events", times.nr);
	event_times_free(&times);
	free(dir);
}

/* A session has the time for which it was current, over all daemons. */
TEST(durations_belong_to_sessions)
{
	uint64_t enabled = 0, running = 0;
	struct op_error e = { "" };
	struct recorder *r;

	test_prepare();
	test_config.events = two_events;
	test_config.nr_counters = test_config.nr_events = 3;
	r = test_open();
	CHECK(!recorder_event_time(r, 0, &enabled, &running), "known before it was counted");
	fake.enabled_ns[0] = fake.running_ns[0] = 900;
	fake.enabled_ns[2] = 900;
	fake.running_ns[2] = 300;
	recorder_write_counts(r);
	check_times("current", 900, 300);
	fake.enabled_ns[2] = 1000;
	CHECK(recorder_event_time(r, 2, &enabled, &running) && enabled == 1000 && running == 300,
	      "%" PRIu64 " of %" PRIu64, running, enabled);
	CHECK(!recorder_event_time(r, 1, &enabled, &running) &&
		      !recorder_event_time(r, 3, &enabled, &running), "of an unused counter");
	CHECK(!recorder_save(r, "one", &e), "%s", e.text);
	check_times("one", 1000, 300);
	fake.enabled_ns[0] = fake.running_ns[0] = 1400;
	fake.enabled_ns[2] = 1400;
	fake.running_ns[2] = 500;
	recorder_write_counts(r);
	check_times("current", 400, 200);
	recorder_close(r);
	fake.enabled_ns[0] = fake.enabled_ns[2] = 50;	/* a new collector starts from 0 */
	fake.running_ns[0] = 50;
	fake.running_ns[2] = 60;	/* read while they run */
	r = test_open();
	recorder_write_counts(r);
	check_times("current", 450, 250);
	test_close(r);
}

TEST(unreadable_durations_restart_from_0)
{
	struct recorder *r;

	test_prepare();
	test_config.events = two_events;
	test_config.nr_counters = test_config.nr_events = 3;
	recorder_close(test_open());
	put_text(tmpdir_path("samples/current/stats/event-times"), "MISS 500 65 1\n");
	r = test_open();
	fake.enabled_ns[0] = fake.enabled_ns[2] = 7;
	recorder_write_counts(r);
	check_times("current", 7, 0);
	test_close(r);
}

TEST_MAIN()
