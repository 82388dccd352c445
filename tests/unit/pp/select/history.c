// SPDX-License-Identifier: GPL-2.0-or-later
/* history.c - what is kept of a range of time grows with its rows, not with its slices */
#include "pp/select/history.h"
#include <stdlib.h>
#include <string.h>
#include "libdb/history/folder.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define HOUR	(INT64_C(3600) * 1000000000)
#define T0	(500000 * HOUR)
#define DEPTH	5
#define STACKS	40

/* Samples of the stacks from @first on, in the order of the hour, so that no two stores agree. */
static void add_stacks(struct stack_store *s, unsigned int hour, uint64_t first)
{
	const struct stack_image images[] = {
		{ { .kind = IMAGE_FILE, .path = "/bin/app" }, "0123" },
		{ { .kind = IMAGE_FILE, .path = "/bin/other" }, "" },
	};
	struct stack_context context = { STACK_NONE, -1, -1, -1, "", "", NULL };
	const struct stack_event event = { "TIMER", 0, 0 };
	uint32_t ids[2], context_id, event_id;

	for (int i = 0; i < 2; i++)
		CHECK(!stack_store_image(s, &images[(hour + i) % 2], &ids[(hour + i) % 2]), "id");
	context.app = ids[0];
	CHECK(!stack_store_event(s, &event, &event_id) &&
	      !stack_store_context(s, &context, &context_id), "ids");
	for (unsigned int k = 0; k < STACKS; k++) {
		unsigned int which = (k + hour) % STACKS;
		struct stack_frame frames[DEPTH];

		for (int i = 0; i < DEPTH; i++)
			frames[i] = (struct stack_frame){ ids[i % 2], first + (which >> i) };
		CHECK(!stack_store_add(s, context_id, event_id, frames, DEPTH, 0, which + 1),
		      "add");
	}
}

static void make_hour(unsigned int hour)
{
	const struct history_slice slice = { .begin_ns = T0 + hour * HOUR,
					     .end_ns = T0 + (hour + 1) * HOUR };
	char *name = history_folder_name(hour, slice.begin_ns);
	char *path = xasprintf("%s/" HISTORY_DIR "/%s", tmpdir, name);
	char *segment = path_join(path, HISTORY_SEGMENT), *store = path_join(path, HISTORY_STORE);
	struct history_writer *w = NULL;
	struct stack_store *s = NULL;
	struct op_error e = { "" };

	CHECK(!file_make_dirs(path, 0755) && !stack_store_open(store, 0, &s, &e) &&
	      !history_writer_open(segment, &w, &e), "%s", e.text);
	add_stacks(s, hour, 0);
	CHECK(!history_writer_add(w, &slice, store, &e), "%s", e.text);
	add_stacks(s, hour, 1000);	/* of another time */
	CHECK(!history_writer_add(w, &(struct history_slice){ .begin_ns = 0, .end_ns = 1 }, store,
				  &e), "%s", e.text);
	history_writer_close(w);
	stack_store_close(s);
	unlink(store);
	free(store);
	free(segment);
	free(path);
	free(name);
}

struct sizes {
	uint64_t samples;
	uint32_t nodes, frames, images, counts;
	size_t files, keys;
};

static struct sizes read_hours(unsigned int nr)
{
	const struct time_range range = { T0, T0 + nr * HOUR };
	struct notices notices = { .nr = 0 };
	struct session_history *h = NULL;
	struct stack_snapshot s;
	struct stack_totals totals;
	struct image_ids *ids = NULL;
	struct op_error e = { "" };
	struct sizes ret = { 0 };
	size_t nr_histories = 0;

	CHECK(!histories_read(tmpdir, &range, NULL, &h, &nr_histories, &notices, &e), "%s", e.text);
	CHECK(nr_histories == 1 && h->nr == nr && h->has_callers, "%zu histories", nr_histories);
	history_filer_end(h, &ids);
	CHECK(ids && !strcmp(image_ids_find(ids, "/bin/app"), "0123"), "no build ID");
	for (size_t i = 0; i < h->nr_files; i++)
		ret.keys += h->files[i].nr;
	ret.files = h->nr_files;
	CHECK(!session_history_stacks(h, &s, &e), "%s", e.text);
	stack_snapshot_totals(&s, &totals);
	CHECK(totals.samples == h->counts.recorded, "%d samples in stacks, %d in all",
	      (int)totals.samples, (int)h->counts.recorded);
	ret.samples = totals.samples;
	ret.nodes = s.nr_nodes;
	ret.frames = s.nr_frames;
	ret.images = s.nr_images;
	ret.counts = s.nr_counts;
	stack_snapshot_free(&s);
	image_ids_free(ids);
	session_history_free(h);
	free(h);
	notices_free(&notices);
	return ret;
}

TEST(each_stack_is_kept_once)
{
	struct sizes one, all;

	tmpdir_make();
	for (unsigned int hour = 0; hour < 30; hour++)
		make_hour(hour);
	one = read_hours(1);
	all = read_hours(30);
	CHECK(one.samples == STACKS * (STACKS + 1) / 2 && all.samples == 30 * one.samples,
	      "%d and %d samples", (int)one.samples, (int)all.samples);
	CHECK(one.counts == STACKS && one.frames < 2 * STACKS, "%u stacks of %u frames", one.counts,
	      one.frames);
	CHECK(all.nodes == one.nodes && all.frames == one.frames && all.images == one.images &&
	      all.counts == one.counts, "%u nodes became %u", one.nodes, all.nodes);
	CHECK(all.files == one.files && all.keys == one.keys && one.keys == STACKS,
	      "%zu keys became %zu", one.keys, all.keys);
}

TEST_MAIN()
