// SPDX-License-Identifier: GPL-2.0-or-later
/* event_times.c - times of events: added, written and read, refused */
#include <errno.h>
#include "libdb/session/event_times.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(write_and_read)
{
	static const struct event_time some[] = {
		{ "CYC", 1000, 0, 5, 5 },
		{ "MISS", 500, 65, UINT64_MAX, 1 },
		{ "CYC", 1000, 1, 10, 2 },
		{ "CYC", 1000, 0, 95, 94 },
		{ "MISS", 500, 65, 9, 1 },
	};
	struct event_times times = { NULL, 0 }, got = { NULL, 7 };
	const struct event_time *t;

	tmpdir_make();
	CHECK(event_times_read(tmpdir, &got, NULL) == -ENOENT && !got.nr, "none");
	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		event_times_add(&times, &some[i]);
	CHECK(times.nr == 3, "%zu events", times.nr);
	CHECK(!event_times_write(tmpdir, &times), "write");
	CHECK(!event_times_read(tmpdir, &got, NULL) && got.nr == 3, "read");
	t = event_times_find(&got, "CYC", 1000, 0);
	CHECK(t && t->enabled_ns == 100 && t->running_ns == 99 && !event_time_is_partial(t),
	      "sum");
	t = event_times_find(&got, "MISS", 500, 65);
	CHECK(t && t->enabled_ns == UINT64_MAX && t->running_ns == 2 && event_time_is_partial(t),
	      "sums stay at the end");
	t = event_times_find(&got, "CYC", 1000, 1);
	CHECK(t && event_time_is_partial(t), "another unit mask");
	CHECK(!event_times_find(&got, "CYC", 1001, 0) && !event_times_find(&got, "CY", 1000, 0),
	      "others");
	CHECK(!event_time_is_partial(&(struct event_time){ "", 0, 0, 0, 0 }), "not yet counted");
	event_times_free(&got);
	event_times_free(&times);
	for (uint64_t i = 0; i < EVENT_TIMES_MAX + 2; i++)
		event_times_add(&times, &(struct event_time){ "A", i, 0, 1, 1 });
	CHECK(times.nr == EVENT_TIMES_MAX, "%zu", times.nr);
	CHECK(!event_times_write(tmpdir, &times) && !event_times_read(tmpdir, &got, NULL), "all");
	event_times_free(&got);
	event_times_free(&times);
}

TEST(refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "\n", ":1: expected an event name" },
		{ "A 1 2 4 3\n 1 2 4 3\n", ":2: expected an event name" },
		{ "\\9 1 2 4 3\n", ":1: expected an event name" },
		{ "A123456789012345678901234567890123456789012345678901234567890123 1 2 4 3\n",
		  ":1: event name is too long" },
		{ "A\n", ":1: expected 'NAME" },
		{ "A 1 2 4\n", ":1: expected 'NAME" },
		{ "A 1 2 4 \n", ":1: expected 'NAME" },
		{ "A 1 2 -4 3\n", ":1: expected 'NAME" },
		{ "A 1 2 18446744073709551616 3\n", ":1: expected 'NAME" },
		{ "A 1 2 4 3 5\n", ":1: trailing text after" },
		{ "A 1 2 4 3 \n", ":1: trailing text after" },
		{ "A 1 2 3 4\n", ":1: running time exceeds" },
		{ "A 1 2 4 3\nA 1 2 4 3\n", ":2: duplicate event" },
		{ "A 1 2 4 3\nB 1 2 4 3", ":2: the last line is truncated" },
	};
	struct event_times got = { NULL, 77 };
	struct op_error e;

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_text(tmpdir_path("event-times"), rows[i].text);
		CHECK(event_times_read(tmpdir, &got, &e) == -EPROTO &&
		      strstr(e.text, rows[i].says) && got.nr == 77, "'%s': %s", rows[i].text,
		      e.text);
	}
	put_text(tmpdir_path("event-times"), "");
	CHECK(!event_times_read(tmpdir, &got, &e) && !got.nr, "an empty one");
}

TEST_MAIN()
