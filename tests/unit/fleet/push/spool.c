// SPDX-License-Identifier: GPL-2.0-or-later
/* spool.c - slices in order, each once, whatever happens to the history meanwhile */
#include "fleet/push/spool.h"
#include <stdlib.h>
#include <string.h>
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define S	INT64_C(1000000000)
#define MINUTE	(60 * S)

static char *segment_path(unsigned int number, int64_t begin_ns)
{
	char *name = history_folder_name(number, begin_ns);
	char *path = xasprintf("%s/" HISTORY_DIR "/%s/" HISTORY_SEGMENT, tmpdir, name);

	free(name);
	return path;
}

/* @nr slices of a minute, without samples. */
static void add(unsigned int number, int64_t begin_ns, int first, int nr)
{
	char *path = segment_path(number, begin_ns);
	struct history_writer *w = NULL;
	struct op_error e = { "" };

	CHECK(!file_make_parent_dirs(path, 0755) && !history_writer_open(path, &w, &e), "%s",
	      e.text);
	for (int i = first; i < first + nr; i++) {
		const struct history_slice s = { .begin_ns = begin_ns + i * MINUTE,
						 .end_ns = begin_ns + (i + 1) * MINUTE };

		CHECK(!history_writer_add(w, &s, "/none", &e), "%s", e.text);
	}
	history_writer_close(w);
	free(path);
}

/* Take the next slice, as a sender does. 0: there is none. */
static int64_t next(struct push_cursor *c, uint64_t expected_waiting)
{
	struct push_slice s;
	struct op_error e = { "" };
	uint64_t waiting;
	int found = push_spool_next(tmpdir, c, &s, &waiting, &e);

	CHECK(found >= 0 && waiting == expected_waiting, "%d, %d waiting: %s", found,
	      (int)waiting, e.text);
	if (found <= 0)
		return 0;
	c->segment = s.segment;
	c->segment_ns = s.segment_ns;
	c->end_ns = (uint64_t)s.end_ns;
	free(s.folder);
	return s.end_ns;
}

TEST(order_is_kept_over_segments)
{
	struct push_cursor c = { .end_ns = 0 };

	tmpdir_make();
	CHECK(!next(&c, 0), "no history yet");
	add(1, 7200 * S, 0, 2);
	CHECK(next(&c, 2) == 7260 * S && next(&c, 1) == 7320 * S && !next(&c, 0), "the first");
	/* the clock was set back: earlier slices come later */
	add(2, 3600 * S, 0, 2);
	add(1, 7200 * S, 2, 1);
	CHECK(next(&c, 3) == 7380 * S && next(&c, 2) == 3660 * S && next(&c, 1) == 3720 * S &&
	      !next(&c, 0), "both");
}

TEST(dropped_merged_and_new_histories)
{
	struct push_cursor c = { .end_ns = 0 };
	char *path = segment_path(1, 3600 * S), *all = path_join(tmpdir, HISTORY_DIR);
	struct op_error e = { "" };

	tmpdir_make();
	free(path);
	free(all);
	path = segment_path(1, 3600 * S);
	all = path_join(tmpdir, HISTORY_DIR);
	add(1, 3600 * S, 0, 20);
	CHECK(next(&c, 20) == 3660 * S, "one");
	/* ten minutes become a slice: of those nine were not sent, so all of it is sent */
	CHECK(!history_segment_merge(path, 10 * MINUTE, NULL, &e), "%s", e.text);
	CHECK(next(&c, 2) == 4200 * S, "merged");
	/* the folder is dropped: the next one's slices are all that is left */
	add(3, 9000 * S, 0, 1);
	path[path_base(path) - path - 1] = '\0';
	CHECK(!file_remove_tree(path), "remove");
	CHECK(next(&c, 1) == 9060 * S && !next(&c, 0), "after a gap");
	/* removed: numbers begin again */
	CHECK(!file_remove_tree(all), "remove");
	add(1, 10000 * S, 0, 1);
	CHECK(next(&c, 1) == 10060 * S && !next(&c, 0), "a new history");
	CHECK(!file_remove_tree(all), "remove");
	add(1, 20000 * S, 0, 1);
	CHECK(next(&c, 1) == 20060 * S, "another one with that number");
	free(path);
	free(all);
}

TEST(cursors_survive_and_are_checked)
{
	const struct push_cursor c = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, UINT64_MAX };
	static const char *const bad[] = { "", "segment 1\n", "segment x\n", "other 1\n",
					   "segment 1 2\n", "segment 1" };
	struct push_cursor got;
	struct op_error e = { "" };
	char *path, text[64];

	tmpdir_make();
	path = path_join(tmpdir, "cursor");
	CHECK(push_cursor_read(path, &got, &e) == -ENOENT, "missing");
	CHECK(!push_cursor_write(path, &c, &e) && !push_cursor_read(path, &got, &e) &&
	      !memcmp(&c, &got, sizeof(c)), "%s", e.text);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		strcpy(text, bad[i]);
		CHECK(push_cursor_parse(text, strlen(text), "f", &got, &e) == -EPROTO &&
		      !memcmp(&c, &got, sizeof(c)), "'%s' was taken", bad[i]);
	}
	free(path);
}

TEST_MAIN()
