// SPDX-License-Identifier: GPL-2.0-or-later
/* keeper.c - what was left unwritten is completed with the times in which it was sampled */
#include "daemon/history/keeper.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libdb/stack/store.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/small_disk.h"
#include "tests/unit/tmpdir.h"

#define MINUTE	(INT64_C(60) * 1000000000)
#define T0	(INT64_C(28000000) * MINUTE)

static const struct history_config config = { .age_s = 14 * 86400, .quota = UINT64_C(1) << 30,
					      .slice_ns = MINUTE };
static const struct numbers none;
static struct history *h;
static char *store;

static void open_history(void)
{
	struct op_error e = { "" };

	CHECK(!history_open(tmpdir, &config, "/proc", &h, &e), "%s", e.text);
}

static void begin(int64_t at_ns)
{
	const char *path = history_begin_segment(h, at_ns, tmpdir_path("stats"));

	CHECK(path, "no folder");
	free(store);
	store = strdup(path);
}

static void add_samples_of(const struct stack_image *image, uint64_t count)
{
	const struct stack_context context = { STACK_NONE, -1, -1, -1, "", "", NULL };
	const struct stack_event event = { "TIMER", 0, 0 };
	struct stack_frame frame = { 0, 0x77 };
	struct stack_store *s = NULL;
	struct op_error e = { "" };
	uint32_t context_id, event_id;

	CHECK(!stack_store_open(store, 0, &s, &e), "%s", e.text);
	CHECK(!stack_store_image(s, image, &frame.image) &&
	      !stack_store_context(s, &context, &context_id) &&
	      !stack_store_event(s, &event, &event_id) &&
	      !stack_store_add(s, context_id, event_id, &frame, 1, 0, count), "add");
	stack_store_close(s);
}

static void add_samples(uint64_t count)
{
	const struct stack_image image = { { .kind = IMAGE_FILE, .path = "/bin/app" }, "" };

	add_samples_of(&image, count);
}

static void hand_over(int64_t begin_ns, int64_t end_ns, const struct numbers *numbers, bool is_last)
{
	history_end_slice(h, begin_ns, end_ns, numbers, tmpdir, is_last);
	while (history_is_busy(h))
		history_wait(h, now_ns() + 1000000000);
}

static void end(int64_t begin_ns, int64_t end_ns)
{
	hand_over(begin_ns, end_ns, &none, false);
}

/* As kill -9 does: what the store has that is in no slice stays there. */
static void kill_and_open(void)
{
	history_close(h);
	open_history();
}

/* The last slice of the only segment. */
static struct history_slice last_slice(uint64_t want_samples)
{
	struct history_folders all = { NULL, 0, 0 };
	struct history_slice last = { 0 };
	struct history_segment s;
	struct stack_totals totals;
	struct op_error e = { "" };
	char *path;

	CHECK(!history_folders_read(tmpdir_path("history"), &all) && all.nr, "no folder");
	path = path_join(all.list[all.nr - 1].path, HISTORY_SEGMENT);
	CHECK(!history_segment_read(path, INT64_MIN, INT64_MAX, &s, &e), "%s", e.text);
	stack_snapshot_totals(&s.stacks, &totals);
	CHECK(totals.samples == want_samples, "%d samples", (int)totals.samples);
	last = s.slices[s.nr_slices - 1];
	free(path);
	history_segment_free(&s);
	history_folders_free(&all);
	return last;
}

static void expect_last(int64_t begin_ns, int64_t end_ns, uint64_t samples)
{
	struct history_slice last = last_slice(samples);

	CHECK(last.begin_ns == begin_ns && last.end_ns == end_ns, "from %lld to %lld minutes",
	      (long long)((last.begin_ns - T0) / MINUTE), (long long)((last.end_ns - T0) / MINUTE));
}

static void set_store_time(int64_t ns)
{
	const struct timespec time = { .tv_sec = ns / 1000000000 }, at[2] = { time, time };

	CHECK(!utimensat(AT_FDCWD, store, at, 0), "utimensat");
}

TEST(a_kill_leaves_a_slice)
{
	tmpdir_make();
	open_history();
	begin(T0);
	add_samples(5);
	end(T0, T0 + MINUTE);
	add_samples(3);
	set_store_time(T0 + MINUTE);
	kill_and_open();
	expect_last(T0 + MINUTE, T0 + 2 * MINUTE, 8);
	begin(T0 + 300 * MINUTE);
	add_samples(4);
	set_store_time(T0);
	kill_and_open();
	expect_last(T0 + 300 * MINUTE, T0 + 301 * MINUTE, 4);
	history_close(h);
}

static void put_stat(const char *cpu)
{
	const char *path = tmpdir_path("proc/stat");

	CHECK(!file_make_parent_dirs(path, 0755) &&
	      !file_write_atomic(path, cpu, strlen(cpu), 0600), "%s", path);
}

static uint64_t number_of(const struct history_slice *slice, const char *name)
{
	for (size_t i = 0; i < slice->nr_numbers; i++)
		if (!strcmp(slice->numbers[i].name, name))
			return slice->numbers[i].value;
	return 0;
}

/* Of the store that is filled; malloc'd. */
static char *segment_path(void)
{
	return xasprintf("%.*s" HISTORY_SEGMENT, (int)(path_base(store) - store), store);
}

/*
 * The machine crashes in a slice and is up again after ten minutes: what the store had is a slice
 * until then at most, the pause belongs to none, and the kernel counts CPU time from 0 again.
 */
TEST(a_reboot)
{
	struct op_error e = { "" };
	char *proc, *segment;
	struct history_segment s;

	tmpdir_make();
	proc = path_join(tmpdir, "proc");
	put_stat("cpu  5000 0 5000 90000 0 0 0 0 0 0\n");
	CHECK(!history_open(tmpdir, &config, proc, &h, &e), "%s", e.text);
	begin(T0);
	add_samples(5);
	put_stat("cpu  5100 0 5000 90500 0 0 0 0 0 0\n");
	end(T0, T0 + MINUTE);
	add_samples(3);
	set_store_time(T0 + MINUTE);
	history_close(h);
	put_stat("cpu  10 0 10 100 0 0 0 0 0 0\n");	/* of the next boot */
	CHECK(!history_open(tmpdir, &config, proc, &h, &e), "%s", e.text);
	expect_last(T0 + MINUTE, T0 + 2 * MINUTE, 8);
	begin(T0 + 12 * MINUTE);
	add_samples(1);
	end(T0 + 12 * MINUTE, T0 + 13 * MINUTE);
	add_samples(3);
	put_stat("cpu  40 0 10 130 0 0 0 0 0 0\n");
	end(T0 + 13 * MINUTE, T0 + 14 * MINUTE);
	expect_last(T0 + 13 * MINUTE, T0 + 14 * MINUTE, 4);
	segment = segment_path();
	CHECK(!history_segment_read(segment, INT64_MIN, INT64_MAX, &s, &e), "%s", e.text);
	CHECK(s.nr_slices == 2 && !number_of(&s.slices[0], "cpu.total_ms") &&
	      number_of(&s.slices[1], "cpu.busy_ms") == 300 &&
	      number_of(&s.slices[1], "cpu.total_ms") == 600, "%d of %d ms",
	      (int)number_of(&s.slices[1], "cpu.busy_ms"),
	      (int)number_of(&s.slices[1], "cpu.total_ms"));
	history_segment_free(&s);
	free(segment);
	free(proc);
	history_close(h);
}

/* The hours that a full disk lasted are those of the slice, although the daemon was killed. */
TEST(a_full_disk_and_a_kill)
{
	tmpdir_make();
	log_open("/dev/null", NULL);
	small_disk_mount("size=80m");
	open_history();
	begin(T0);
	add_samples(5);
	end(T0, T0 + MINUTE);
	small_disk_fill(tmpdir_path("filler"));
	CHECK(!truncate(tmpdir_path("filler"), 40 << 20), "truncate");
	add_samples(3);
	for (int i = 1; i < 200; i++)
		end(T0 + i * MINUTE, T0 + (i + 1) * MINUTE);
	kill_and_open();			/* and the disk is still full */
	history_close(h);
	unlink(tmpdir_path("filler"));
	open_history();
	expect_last(T0 + MINUTE, T0 + 200 * MINUTE, 8);
	history_close(h);
}

static bool mount_read_only(void)
{
	const char *path = tmpdir_path("history");

	return !mount(path, path, NULL, MS_BIND, NULL) &&
	       !mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL);
}

/* No segment begins, what a killed daemon left waits, and both go on when it can be written. */
TEST(a_read_only_disk)
{
	tmpdir_make();
	log_open("/dev/null", NULL);
	small_disk_mount("size=80m");
	open_history();
	begin(T0);
	add_samples(5);
	end(T0, T0 + MINUTE);
	add_samples(3);
	history_close(h);
	CHECK(mount_read_only(), "mount");
	open_history();
	CHECK(!history_begin_segment(h, T0 + 3 * MINUTE, tmpdir_path("stats")),
	      "a folder on a read-only disk");
	expect_last(T0, T0 + MINUTE, 5);
	history_close(h);
	CHECK(!umount(tmpdir_path("history")), "umount");
	open_history();
	CHECK(last_slice(8).begin_ns == T0 + MINUTE, "not completed");
	begin(T0 + 60 * MINUTE);
	add_samples(2);
	end(T0 + 60 * MINUTE, T0 + 61 * MINUTE);
	expect_last(T0 + 60 * MINUTE, T0 + 61 * MINUTE, 2);
	history_close(h);
}

/* It may leave a store that is older than the segment: its samples are credited to no slice. */
TEST(a_power_cut_leaves_another_store)
{
	char *aside;

	tmpdir_make();
	log_open("/dev/null", NULL);
	open_history();
	begin(T0);
	add_samples(5);
	end(T0, T0 + MINUTE);
	history_close(h);
	CHECK(!unlink(store), "rm");
	add_samples(3);
	open_history();
	expect_last(T0, T0 + MINUTE, 5);
	aside = xasprintf("%s.broken", store);
	CHECK(file_exists(aside) && !file_exists(store), "not set aside");
	free(aside);
	history_close(h);
}

/*
 * Its stacks are put in order [HI-11], which its file shows by being another one: with the next
 * slice, because nobody who stops may wait for that.
 */
TEST(a_complete_segment_is_written_anew)
{
	struct stat before, stopped, after;
	struct stack_totals totals;
	struct history_segment s;
	struct op_error e = { "" };
	char *segment;

	tmpdir_make();
	open_history();
	begin(T0);
	segment = segment_path();
	add_samples(2);
	end(T0, T0 + MINUTE);
	CHECK(!stat(segment, &before), "%s", segment);
	add_samples(3);
	hand_over(T0 + MINUTE, T0 + 2 * MINUTE, &none, true);
	CHECK(!stat(segment, &stopped) && stopped.st_ino == before.st_ino, "not the same file");
	expect_last(T0 + MINUTE, T0 + 2 * MINUTE, 5);
	begin(T0 + 2 * MINUTE);
	add_samples(1);
	end(T0 + 2 * MINUTE, T0 + 3 * MINUTE);
	CHECK(!stat(segment, &after) && after.st_ino != before.st_ino, "the same file");
	CHECK(!history_segment_read(segment, INT64_MIN, INT64_MAX, &s, &e), "%s", e.text);
	stack_snapshot_totals(&s.stacks, &totals);
	CHECK(s.nr_slices == 2 && totals.samples == 5, "%zu slices", s.nr_slices);
	history_segment_free(&s);
	free(segment);
	history_close(h);
}

/* What a kill left is completed before sampling begins, and put in order later. */
TEST(a_start_puts_nothing_in_order)
{
	struct stat before, after;
	char *segment;

	tmpdir_make();
	open_history();
	begin(T0);
	segment = segment_path();
	add_samples(2);
	end(T0, T0 + MINUTE);
	add_samples(3);
	kill_and_open();
	CHECK(!file_exists(store) && !stat(segment, &before), "not complete");
	begin(T0 + 3 * MINUTE);
	add_samples(1);
	end(T0 + 3 * MINUTE, T0 + 4 * MINUTE);
	CHECK(!stat(segment, &after) && after.st_ino != before.st_ino, "the same file");
	free(segment);
	history_close(h);
}

TEST(a_removed_folder_is_reported)
{
	char *text;

	tmpdir_make();
	log_open(tmpdir_path("log"), NULL);
	open_history();
	begin(T0);
	add_samples(5);
	end(T0, T0 + MINUTE);
	CHECK(!history_wants_segment(h), "at first");
	CHECK(!file_remove_tree(tmpdir_path("history")), "rm -r");
	end(T0 + MINUTE, T0 + 2 * MINUTE);
	CHECK(history_wants_segment(h), "not noticed");
	CHECK(!file_read_all(tmpdir_path("log"), 1 << 20, &text, NULL) &&
	      strstr(text, "was removed"), "not logged");
	free(text);
	hand_over(T0 + 2 * MINUTE, T0 + 2 * MINUTE, &none, true);
	begin(T0 + 2 * MINUTE);
	add_samples(7);
	end(T0 + 2 * MINUTE, T0 + 3 * MINUTE);
	CHECK(!history_wants_segment(h), "not continued");
	expect_last(T0 + 2 * MINUTE, T0 + 3 * MINUTE, 7);
	history_close(h);
}

/* What was lost before the first sample is in its slice, also if no sample ever comes. */
TEST(losses_before_the_first_sample)
{
	const struct numbers lost = { { { "lost.ring", 7 } }, 1 };
	struct history_folders all;

	tmpdir_make();
	open_history();
	begin(T0);
	hand_over(T0, T0 + MINUTE, &lost, false);
	expect_last(T0, T0 + MINUTE, 0);
	CHECK(last_slice(0).nr_numbers, "no numbers");
	add_samples(5);
	end(T0 + MINUTE, T0 + 2 * MINUTE);
	expect_last(T0 + MINUTE, T0 + 2 * MINUTE, 5);
	hand_over(T0 + 2 * MINUTE, T0 + 2 * MINUTE, &none, true);
	begin(T0 + 2 * MINUTE);
	hand_over(T0 + 2 * MINUTE, T0 + 3 * MINUTE, &lost, true);
	expect_last(T0 + 2 * MINUTE, T0 + 3 * MINUTE, 0);
	/* nothing was sampled: no slice, and no folder */
	begin(T0 + 3 * MINUTE);
	hand_over(T0 + 3 * MINUTE, T0 + 3 * MINUTE, &none, true);
	history_close(h);
	CHECK(!history_folders_read(tmpdir_path("history"), &all) && all.nr == 2, "%zu folders",
	      all.nr);
	history_folders_free(&all);
}

/* Objects of JIT code are linked from the session, also when they are written anew. */
TEST(code_made_at_run_time)
{
	const char *object = "samples/{root}/bin/app/{dep}/{anon:anon}/12.jo";
	const struct stack_image image = { { .kind = IMAGE_ANON, .path = "anon", .anon_tgid = 12,
					     .anon_start = 0x1000, .anon_end = 0x2000 },
					   "/bin/app" };
	char *folder, *link, *text;

	tmpdir_make();
	open_history();
	begin(T0);
	add_samples_of(&image, 5);
	CHECK(!file_make_dirs(tmpdir_path("samples/stats"), 0755) &&
	      !file_make_parent_dirs(tmpdir_path(object), 0755), "mkdir");
	folder = xasprintf("%.*s", (int)(path_base(store) - store) - 1, store);
	link = path_join(folder, object + strlen("samples/"));
	for (int i = 0; i < 3; i++) {
		char number[] = { (char)('0' + i), 0 };

		if (i)
			CHECK(!file_write_atomic(tmpdir_path(object), number, 1, 0600), "write");
		history_end_slice(h, T0 + i * MINUTE, T0 + (i + 1) * MINUTE, &none,
				  tmpdir_path("samples/stats"), false);
		while (history_is_busy(h))
			history_wait(h, now_ns() + 1000000000);
		CHECK(file_exists(link) == (i > 0), "slice %d", i);
		if (i && !file_read_all(link, 10, &text, NULL)) {
			CHECK(!strcmp(text, number), "an old object");
			free(text);
		}
	}
	history_close(h);
	free(link);
	free(folder);
}

TEST_MAIN()
