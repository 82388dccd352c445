// SPDX-License-Identifier: GPL-2.0-or-later
/* history.c - the history beside the session: the same samples, in slices, whatever happens */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "daemon/history/slice_clock.h"
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libutil/xalloc.h"
#include "tests/unit/daemon/record/stacks.h"
#include "tests/unit/small_disk.h"

#define APP_FILE "{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.all"
#define MINUTE	(INT64_C(60) * 1000000000)

static struct history_config kept = { .age_s = 14 * 86400, .quota = UINT64_C(2) << 30,
				      .slice_ns = MINUTE };

/* The samples of the whole history, by image and offset of the sample itself. */
struct found {
	uint64_t all, app, lib, kernel, heap;
	uint64_t with_callers;
	size_t nr_slices, nr_folders, nr_open;
	uint64_t lost, over_limit, filtered, not_kept;
	int64_t longest_ns;		/* slice */
	bool has_links;
};

static void add_samples(const struct stack_snapshot *s, struct found *f)
{
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		const struct stack_count *c = &s->counts[i];
		const struct stack_node *n = &s->nodes[c->node];
		const struct stack_image *image = &s->images[s->frames[n->frame].image];

		f->all += c->count;
		f->app += !strcmp(image->name.path, "/bin/app") ? c->count : 0;
		f->lib += !strcmp(image->name.path, "/lib/x.so") ? c->count : 0;
		f->kernel += image->name.kind == IMAGE_KERNEL ? c->count : 0;
		f->heap += image->name.kind == IMAGE_ANON ? c->count : 0;
		f->with_callers += s->nodes[n->parent].parent != STACK_NONE ? c->count : 0;
	}
}

static uint64_t number(const struct history_slice *s, const char *name)
{
	for (size_t i = 0; i < s->nr_numbers; i++)
		if (!strcmp(s->numbers[i].name, name))
			return s->numbers[i].value;
	return 0;
}

static bool has(const struct history_folder *f, const char *name)
{
	char *path = path_join(f->path, name);
	bool exists = file_exists(path);

	free(path);
	return exists;
}

static struct found look(void)
{
	struct history_folders all;
	struct found f = { .has_links = true };

	CHECK(!history_folders_read(tmpdir_path("history"), &all), "folders");
	f.nr_folders = all.nr;
	for (size_t i = 0; i < all.nr; i++) {
		char *path = path_join(all.list[i].path, HISTORY_SEGMENT);
		struct history_segment s;
		struct op_error e = { "" };

		f.nr_open += has(&all.list[i], HISTORY_STORE);
		if (file_exists(path)) {
			CHECK(!history_segment_read(path, INT64_MIN, INT64_MAX, &s, &e), "%s",
			      e.text);
			f.has_links &= has(&all.list[i], "stats/session");
			add_samples(&s.stacks, &f);
			f.nr_slices += s.nr_slices;
			for (size_t k = 0; k < s.nr_slices; k++) {
				f.lost += number(&s.slices[k], "lost.unknown_image");
				f.over_limit += number(&s.slices[k], "lost.limit");
				if (s.slices[k].end_ns - s.slices[k].begin_ns > f.longest_ns)
					f.longest_ns = s.slices[k].end_ns - s.slices[k].begin_ns;
				f.filtered += number(&s.slices[k], "filtered");
				f.not_kept += number(&s.slices[k], "not_kept");
			}
			history_segment_free(&s);
		}
		free(path);
	}
	history_folders_free(&all);
	return f;
}

static void put_all_kinds(void)
{
	put_calls(3);
	put_task();
	fake_cookie(&fake, APP);
	for (int i = 0; i < 5; i++)
		fake_sample(&fake, 0x77, 0);
	fake_cookie(&fake, UNKNOWN);
	fake_sample(&fake, 0x78, 0);
	fake_anon(&fake, 0x7000, 0x9000, "[heap]");
	fake_sample(&fake, 0x7010, 0);
	fake_sample(&fake, 0x7010, 1);
	fake_kernel(&fake);
	fake_sample(&fake, KERNEL_PC, 0);
}

static void prepare(void)
{
	test_prepare();
	test_config.history = &kept;
}

static void dump(struct recorder *r)
{
	struct op_error e = { "" };

	CHECK(!recorder_dump(r, &e), "%s", e.text);
}

/* A stop ends a slice whenever it comes. */
static void stop(struct recorder *r)
{
	struct op_error e = { "" };

	CHECK(!recorder_stop(r, &e), "%s", e.text);
}

TEST(has_what_the_session_has)
{
	struct recorder *r;
	struct found f;

	prepare();
	r = test_open();
	put_all_kinds();
	dump(r);
	f = look();
	CHECK(f.all == 11 && f.app == 5 && f.lib == 3 && f.kernel == 1 && f.heap == 2,
	      "%d: app %d lib %d kernel %d heap %d", (int)f.all, (int)f.app, (int)f.lib,
	      (int)f.kernel, (int)f.heap);
	CHECK(f.all == test_totals(r).recorded, "the session has others");
	CHECK(f.with_callers == 3 && f.lost == 1 && !f.not_kept, "callers %d lost %d",
	      (int)f.with_callers, (int)f.lost);
	CHECK(f.nr_slices == 1 && f.nr_folders == 1 && f.nr_open == 1 && f.has_links,
	      "%zu slices, %zu segments, %zu open", f.nr_slices, f.nr_folders, f.nr_open);
	put_all_kinds();
	stop(r);
	f = look();
	CHECK(f.all == 22 && f.nr_slices == 2 && f.lost == 2, "%d in %zu slices", (int)f.all,
	      f.nr_slices);
	test_close(r);
	f = look();
	CHECK(f.all == 22 && !f.nr_open && f.nr_folders == 1, "%d, %zu segments open",
	      (int)f.all, f.nr_open);
}

TEST(none_without_the_option)
{
	struct recorder *r;

	test_prepare();
	r = test_open();
	put_all_kinds();
	dump(r);
	CHECK(!file_exists(tmpdir_path("history")), "a history");
	test_close(r);
}

TEST(each_session_has_its_segments)
{
	struct op_error e = { "" };
	struct recorder *r;
	struct found f;

	prepare();
	r = test_open();
	put_calls(2);
	test_drain(r);
	CHECK(!recorder_save(r, "one", &e), "%s", e.text);
	put_calls(3);
	test_drain(r);
	CHECK(!recorder_reset(r, &e), "%s", e.text);
	put_calls(4);
	test_close(r);
	f = look();
	CHECK(f.all == 5 && f.nr_folders == 2 && f.has_links, "%d in %zu segments", (int)f.all,
	      f.nr_folders);
}

/* Any user may dump at any rate. */
TEST(a_dump_ends_one_slice_in_its_time)
{
	struct recorder *r;
	struct found f;

	prepare();
	kept.slice_ns = 60 * MINUTE;
	r = test_open();
	for (int i = 0; i < 20; i++) {
		put_calls(1);
		dump(r);
	}
	f = look();
	CHECK(f.nr_slices == 1 && f.all == 1, "%zu slices, %d samples", f.nr_slices, (int)f.all);
	test_close(r);
	f = look();
	CHECK(f.nr_slices == 2 && f.all == 20, "%zu slices, %d samples", f.nr_slices, (int)f.all);
}

/* What a kill leaves is taken to begin where the last slice ended, or else the segment. */
TEST(a_pause_ends_the_segment)
{
	struct op_error e = { "" };
	struct found first, f;
	struct recorder *r;
	uint64_t begin;
	bool was_short;

	prepare();
	r = test_open();
	CHECK(!recorder_start(r, &e), "%s", e.text);
	put_calls(2);
	begin = now_ns();
	stop(r);
	CHECK(!recorder_start(r, &e), "%s", e.text);
	was_short = now_ns() - begin < SLICE_STEP_NS;	/* not so where others take the CPUs */
	stop(r);
	first = look();
	CHECK(first.nr_folders == 1 || !was_short, "%zu segments", first.nr_folders);
	usleep(2100 * 1000);		/* as long as a pause must be, at least */
	begin = now_ns();
	CHECK(!recorder_start(r, &e), "%s", e.text);
	put_calls(3);
	stop(r);
	was_short &= now_ns() - begin < SLICE_STEP_NS;
	f = look();
	CHECK(f.nr_folders == first.nr_folders + 1 && f.all == 5 &&
	      (f.longest_ns < SLICE_STEP_NS || !was_short),
	      "%zu segments, %d samples, a slice of %lld ms", f.nr_folders, (int)f.all,
	      (long long)(f.longest_ns / 1000000));
	test_close(r);
}

/* Samples that no sample file takes are in the history, and so they are not lost there. */
TEST(has_what_sample_files_lost)
{
	struct recorder *r;
	struct found f;

	prepare();
	test_config.max_files = 1;
	r = test_open();
	put_all_kinds();
	stop(r);
	f = look();
	CHECK(test_totals(r).lost[LOST_LIMIT] > 0, "all files were made");
	CHECK(f.all == 11 && !f.over_limit, "%d samples, %d lost", (int)f.all, (int)f.over_limit);
	test_close(r);
}

/* --- kill -9 --- */

static uint64_t *turns;		/* in shared memory: drains that have returned */

static void work_forever(void)
{
	struct op_error e = { "" };
	struct recorder *r = test_open();

	recorder_start(r, &e);
	for (;;) {
		put_calls((int)(test_random() % 20));
		put_all_kinds();
		recorder_drain(r, false, NULL, &e);
		__atomic_add_fetch(turns, 1, __ATOMIC_RELEASE);
		switch (test_random() % 16) {
		case 0:
			recorder_dump(r, &e);
			break;
		case 1:
			recorder_stop(r, &e);
			recorder_start(r, &e);
			break;
		}
	}
}

/* @waits: not before it has drained once; else perhaps while it opens everything. */
static void kill_after(unsigned int us, uint64_t seed, bool waits)
{
	uint64_t before = *turns;
	pid_t pid = fork();

	if (!pid) {
		test_random_state = seed * 2 + 1;
		work_forever();
	}
	while (waits && __atomic_load_n(turns, __ATOMIC_ACQUIRE) == before &&
	       !waitpid(pid, NULL, WNOHANG))
		sched_yield();
	usleep(us);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * What the session's files have the history has. It may have those of the drain that was killed
 * besides, which the sample files get at its end.
 */
TEST(killed_at_any_moment)
{
	struct recorder *r;
	struct cpu_counts c;
	struct found f;
	uint64_t in_file, in_drains = 0;

	prepare();
	kept.slice_ns = 100000;
	turns = mmap(NULL, sizeof(*turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	log_close();
	log_open("/dev/null", NULL);
	for (int i = 0; i < 60; i++) {
		kill_after((unsigned int)(test_random() % 30000), (uint64_t)i, i % 2);
		r = test_open();
		c = test_totals(r);
		(void)file_samples("current", APP_FILE, 0x77, &in_file);
		recorder_close(r);
		f = look();
		CHECK(f.app >= in_file && f.all >= c.recorded && !f.nr_open,
		      "turn %d: %d of %d samples in the program, %d of %d", i, (int)f.app,
		      (int)in_file, (int)f.all, (int)c.recorded);
		in_drains += 40;
		CHECK(f.all <= c.recorded + in_drains, "turn %d: %d of %d samples", i, (int)f.all,
		      (int)c.recorded);
	}
	CHECK(f.all >= 30 * 8, "%d samples only", (int)f.all);
	fake_collector_free(&fake);
}

/* Whether a segment of the history has symbols of the kernel that was at @start. */
static bool has_kernel_at(size_t segment, const char *start)
{
	struct history_folders all;
	char *path, *text = NULL, *want = xasprintf("# kernel %s ", start);
	bool has_it = false;

	CHECK(!history_folders_read(tmpdir_path("history"), &all) && segment < all.nr, "folders");
	path = path_join(all.list[segment].path, "stats/kernel-symbols");
	if (!file_read_all(path, SIZE_MAX, &text, NULL))
		has_it = !strncmp(text, want, strlen(want));
	history_folders_free(&all);
	free(path);
	free(text);
	free(want);
	return has_it;
}

/* The machine loses power in the middle of a slice, before or after another, and boots again. */
static void reboot(bool has_slice)
{
	struct recorder *r;
	struct found f;
	pid_t pid;

	prepare();
	test_config.kernel.mode = KERNEL_SYMBOLS;
	pid = fork();
	if (!pid) {
		r = test_open();
		put_calls(2);
		if (has_slice)
			dump(r);
		fake_kernel(&fake);
		fake_sample(&fake, KERNEL_PC, 0);
		test_drain(r);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	put_text(tmpdir_path("kallsyms"), "ffffffff9a000000 T _stext\nffffffff9a002000 T _etext\n");
	r = test_open();
	put_calls(4);
	stop(r);
	f = look();
	CHECK(f.all == 7 && f.kernel == 1 && f.nr_folders == 2 && f.has_links,
	      "%d samples, %d of the kernel, in %zu segments", (int)f.all, (int)f.kernel,
	      f.nr_folders);
	CHECK(has_kernel_at(0, "ffffffff81000000") && has_kernel_at(1, "ffffffff9a000000"),
	      "another boot's symbols");
	test_close(r);
}

TEST(a_reboot_in_the_first_slice)
{
	reboot(false);
}

TEST(a_reboot_in_a_later_slice)
{
	reboot(true);
}

/* --- disks --- */

TEST(a_full_disk_delays_slices)
{
	struct recorder *r;
	struct found f;

	prepare();
	small_disk_mount("size=80m");
	put_text(test_config.kernel.proc_modules, "");
	put_text(test_config.kernel.proc_kallsyms, "");
	r = test_open();
	put_all_kinds();
	stop(r);
	CHECK(look().nr_slices == 1, "no slice");
	small_disk_fill(tmpdir_path("filler"));
	/* less than 64 MB remain */
	CHECK(!truncate(tmpdir_path("filler"), 40 << 20), "truncate");
	put_all_kinds();
	stop(r);
	f = look();
	CHECK(f.nr_slices == 1 && f.all == 11, "%zu slices", f.nr_slices);
	unlink(tmpdir_path("filler"));
	put_all_kinds();
	stop(r);
	f = look();
	CHECK(f.nr_slices == 2 && f.all == 33 && f.lost == 3, "%d samples in %zu slices, %d lost",
	      (int)f.all, f.nr_slices, (int)f.lost);
	test_close(r);
}

TEST_MAIN()
