// SPDX-License-Identifier: GPL-2.0-or-later
/* folders.c - what is dropped and merged, and what never */
#include "daemon/history/folders.h"
#include <stdlib.h>
#include <string.h>
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define MINUTE	(INT64_C(60) * 1000000000)
#define HOUR	(60 * MINUTE)
#define DAY	(24 * HOUR)
#define NOW	(20000 * DAY)

static const struct history_config plenty = {
	.age_s = 14 * 86400, .quota = UINT64_C(1) << 40, .slice_ns = MINUTE,
	.roll_ups = { { 10 * MINUTE, DAY }, { HOUR, 7 * DAY } }, .nr_roll_ups = 2,
};

static struct kept_folders kept;

static void open_kept(void)
{
	CHECK(!kept_folders_open(&kept, tmpdir), "open");
}

static char *folder_at(unsigned int number, int64_t begin_ns)
{
	char *name = history_folder_name(number, begin_ns), *path = path_join(tmpdir, name);

	free(name);
	return path;
}

/* A segment with @nr slices of a minute from @begin_ns on, one sample in each. */
static char *make(unsigned int number, int64_t begin_ns, int nr)
{
	char *path = folder_at(number, begin_ns), *store = path_join(path, HISTORY_STORE);
	char *segment = path_join(path, HISTORY_SEGMENT);
	const struct stack_image image = { { .kind = IMAGE_FILE, .path = "/bin/app" }, "" };
	const struct stack_context context = { STACK_NONE, -1, -1, -1, "", "", NULL };
	const struct stack_event event = { "TIMER", 0, 0 };
	struct stack_frame frame = { 0, 0x77 };
	struct op_error e = { "" };
	struct history_writer *w = NULL;
	struct stack_store *s = NULL;
	uint32_t context_id, event_id;

	CHECK(!file_make_dirs(path, 0755) && !stack_store_open(store, 0, &s, &e) &&
	      !history_writer_open(segment, &w, &e), "%s", e.text);
	CHECK(!stack_store_image(s, &image, &frame.image) &&
	      !stack_store_context(s, &context, &context_id) &&
	      !stack_store_event(s, &event, &event_id), "ids");
	for (int i = 0; i < nr; i++) {
		const struct history_slice slice = { .begin_ns = begin_ns + i * MINUTE,
						     .end_ns = begin_ns + (i + 1) * MINUTE };

		CHECK(!stack_store_add(s, context_id, event_id, &frame, 1, 0, 1) &&
		      !history_writer_add(w, &slice, store, &e), "%s", e.text);
	}
	history_writer_close(w);
	stack_store_close(s);
	unlink(store);
	free(store);
	free(segment);
	return path;
}

static int slices_of(const char *path, uint64_t *ret_samples)
{
	char *segment = path_join(path, HISTORY_SEGMENT);
	struct stack_totals totals;
	struct history_segment s;
	struct op_error e = { "" };
	int nr = -1;

	if (!history_segment_read(segment, INT64_MIN, INT64_MAX, &s, &e)) {
		stack_snapshot_totals(&s.stacks, &totals);
		*ret_samples = totals.samples;
		nr = (int)s.nr_slices;
		history_segment_free(&s);
	}
	free(segment);
	return nr;
}

TEST(the_oldest_is_dropped_first)
{
	struct history_config c = plenty;
	char *paths[4];

	tmpdir_make();
	for (int i = 0; i < 4; i++)
		paths[i] = make((unsigned int)i + 9, NOW - HOUR, 3);	/* 9 is before 10 */
	open_kept();
	CHECK(history_make_room(&kept, &c, 12, NOW), "full");
	CHECK(file_exists(paths[0]), "dropped without need");
	c.quota = 3 * 4096;
	CHECK(history_make_room(&kept, &c, 12, NOW), "full");
	CHECK(!file_exists(paths[0]) && file_exists(paths[1]) && file_exists(paths[3]),
	      "not the oldest");
	c.quota = 1;
	CHECK(history_make_room(&kept, &c, 12, NOW), "full");
	CHECK(!file_exists(paths[1]) && !file_exists(paths[2]) && file_exists(paths[3]),
	      "not all but the current one");
	CHECK(history_make_room(&kept, &c, 10, NOW) && file_exists(paths[3]),
	      "the one that will be the current one");
	kept_folders_free(&kept);
	for (int i = 0; i < 4; i++)
		free(paths[i]);
}

/* A clock that is wrong costs a segment a slice, not all of them. */
TEST(one_is_dropped_for_its_age)
{
	char *a, *b, *young;

	tmpdir_make();
	a = make(1, NOW - 20 * DAY, 2);
	b = make(2, NOW - 19 * DAY, 2);
	young = make(3, NOW - 13 * DAY, 2);
	open_kept();
	CHECK(history_make_room(&kept, &plenty, 4, NOW), "full");
	CHECK(!file_exists(a) && file_exists(b) && file_exists(young), "first turn");
	CHECK(history_make_room(&kept, &plenty, 4, NOW - 30 * DAY), "full");
	CHECK(file_exists(b), "dropped after a step back");
	CHECK(history_make_room(&kept, &plenty, 4, NOW), "full");
	CHECK(history_make_room(&kept, &plenty, 4, NOW), "full");
	CHECK(!file_exists(b) && file_exists(young), "second turn");
	kept_folders_free(&kept);
	free(a);
	free(b);
	free(young);
}

TEST(merged_with_age)
{
	uint64_t samples = 0;
	char *week, *day, *new;

	tmpdir_make();
	week = make(1, NOW - 8 * DAY, 60);
	day = make(2, NOW - 2 * DAY, 60);
	new = make(3, NOW - 2 * HOUR, 60);
	open_kept();
	while (history_roll_up(&kept, &plenty, 99, NOW))
		;
	CHECK(slices_of(week, &samples) == 1 && samples == 60, "week: %d slices, %d samples",
	      slices_of(week, &samples), (int)samples);
	CHECK(slices_of(day, &samples) == 6 && samples == 60, "day: %d slices, %d samples",
	      slices_of(day, &samples), (int)samples);
	CHECK(slices_of(new, &samples) == 60 && samples == 60, "new: %d slices, %d samples",
	      slices_of(new, &samples), (int)samples);
	CHECK(history_roll_up(&kept, &plenty, 99, NOW + 6 * DAY), "not due after a week");
	CHECK(slices_of(day, &samples) == 1 && samples == 60, "later: %d slices",
	      slices_of(day, &samples));
	CHECK(history_roll_up(&kept, &plenty, 2, NOW + 6 * DAY) &&
	      !history_roll_up(&kept, &plenty, 2, NOW + 6 * DAY), "the new one");
	kept_folders_free(&kept);
	free(week);
	free(day);
	free(new);
}

TEST(merging_given_up)
{
	uint64_t samples = 0;
	char *day;

	tmpdir_make();
	day = make(1, NOW - 2 * DAY, 60);
	open_kept();
	kept.stops_merging = true;
	CHECK(history_roll_up(&kept, &plenty, 99, NOW), "nothing to merge");
	CHECK(slices_of(day, &samples) == 60 && samples == 60, "given up: %d slices, %d samples",
	      slices_of(day, &samples), (int)samples);
	kept.stops_merging = false;
	CHECK(history_roll_up(&kept, &plenty, 99, NOW) &&
	      !history_roll_up(&kept, &plenty, 99, NOW), "not done later, or twice");
	CHECK(slices_of(day, &samples) == 6 && samples == 60, "later: %d slices, %d samples",
	      slices_of(day, &samples), (int)samples);
	kept_folders_free(&kept);
	free(day);
}

/* Only the folder that is being filled is looked into, but with each segment and before a drop. */
TEST(work_does_not_grow_with_the_folders)
{
	uint64_t before;

	tmpdir_make();
	for (unsigned int i = 1; i < 12; i++)
		free(make(i, NOW - (12 - i) * HOUR, 2));
	open_kept();
	CHECK(history_make_room(&kept, &plenty, 11, NOW), "full");
	before = kept.nr_looked;
	for (int i = 0; i < 100; i++)
		CHECK(history_make_room(&kept, &plenty, 11, NOW) &&
		      !history_roll_up(&kept, &plenty, 11, NOW), "full, or something to merge");
	CHECK(kept.nr_looked - before == 100, "%d folders", (int)(kept.nr_looked - before));
	kept_folders_free(&kept);
}

TEST(other_names_stay)
{
	struct history_config c = plenty;

	tmpdir_make();
	c.quota = 0;
	CHECK(!file_make_dirs(tmpdir_path("12"), 0755) &&
	      !file_make_dirs(tmpdir_path("x-1"), 0755) &&
	      !file_make_dirs(tmpdir_path("1-1"), 0755), "mkdir");
	open_kept();
	CHECK(history_make_room(&kept, &c, 4, NOW), "full");
	kept_folders_free(&kept);
	CHECK(file_exists(tmpdir_path("12")) && file_exists(tmpdir_path("x-1")) &&
	      file_exists(tmpdir_path("1-1")), "dropped a folder that is not a segment");
}

TEST_MAIN()
