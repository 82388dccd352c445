// SPDX-License-Identifier: GPL-2.0-or-later
/* full.c - no room: the call that needs it fails, the samples are counted, nothing else is lost */
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "tests/unit/libdb/stack/stack_test.h"
#include "tests/unit/small_disk.h"

static char *path;

static void on_small_disk(const char *options)
{
	tmpdir_make();
	small_disk_mount(options);
	path = strdup(tmpdir_path("stacks"));
}

static int add_nth(struct stack_store *s, const struct stack_ids *ids, uint64_t n)
{
	const struct stack_frame frames[] = {
		{ ids->lib, n }, { ids->lib, n / 9 }, { ids->app, 1 },
	};

	return stack_store_add(s, ids->context, ids->event, frames, ARRAY_SIZE(frames), 0, 1);
}

/* Add distinct stacks until that fails; returns how many were added. */
static uint64_t add_until(struct stack_store *s, const struct stack_ids *ids, int want_err)
{
	uint64_t n = 0;
	int err;

	while (!(err = add_nth(s, ids, n)))
		n++;
	CHECK(err == want_err, "%d", err);
	return n;
}

/* The store has @nr stacks with @total samples, and reports @lost samples. */
static void still_whole(uint32_t nr, uint64_t total, uint64_t lost)
{
	struct op_error e = { "" };
	struct stack_snapshot r;
	struct stack_totals t;

	CHECK(!stack_store_read(path, &r, &e), "%s", e.text);
	stack_snapshot_totals(&r, &t);
	CHECK(r.nr_counts == nr && t.samples == total && r.lost == lost,
	      "%u stacks, %llu samples, %llu lost", r.nr_counts, (unsigned long long)t.samples,
	      (unsigned long long)r.lost);
	stack_snapshot_free(&r);
}

TEST(full_disk)
{
	struct stack_store *s;
	struct stack_ids ids;
	struct stat st;
	uint64_t n;

	on_small_disk("size=400k");
	s = open_stacks(path, 0);
	CHECK(!stack_labels(s, &ids), "labels");
	n = add_until(s, &ids, -ENOSPC);
	/* the last pages are used, too, although they are fewer than a usual step */
	CHECK(!stat(path, &st) && st.st_size == 400 << 10, "%lld bytes", (long long)st.st_size);
	CHECK(n > 10000, "%llu stacks", (unsigned long long)n);
	still_whole((uint32_t)n, n, 1);
	/* known stacks still count, new ones keep failing */
	CHECK(!add_nth(s, &ids, 5) && add_nth(s, &ids, n) == -ENOSPC, "after");
	still_whole((uint32_t)n, n + 1, 2);
	stack_store_close(s);
	still_whole((uint32_t)n, n + 1, 2);
}

TEST(room_is_freed)
{
	struct stack_store *s;
	struct stack_ids ids;
	uint64_t n;

	on_small_disk("size=400k");
	s = open_stacks(path, 0);
	CHECK(!stack_labels(s, &ids), "labels");
	small_disk_fill(tmpdir_path("filler"));
	n = add_until(s, &ids, -ENOSPC);
	unlink(tmpdir_path("filler"));
	CHECK(!add_nth(s, &ids, n) && !add_nth(s, &ids, n + 1), "grows again");
	still_whole((uint32_t)n + 2, n + 2, 1);
	stack_store_close(s);
}

TEST(no_room_to_create)
{
	struct op_error e = { "" };
	struct stack_store *s;

	on_small_disk("size=128k");
	small_disk_fill(tmpdir_path("filler"));
	CHECK(stack_store_open(path, 0, &s, &e) == -ENOSPC && strstr(e.text, "No space"), "%s",
	      e.text);
	unlink(tmpdir_path("filler"));
	stack_store_close(open_stacks(path, 0));
}

/* The limit given to stack_store_open(). */
TEST(bounded)
{
	struct stack_store *s;
	struct stack_ids ids;
	struct stat st;
	uint64_t n;

	tmpdir_make();
	path = strdup(tmpdir_path("stacks"));
	s = open_stacks(path, 100001);
	CHECK(!stack_labels(s, &ids), "labels");
	n = add_until(s, &ids, -EFBIG);
	CHECK(!add_nth(s, &ids, 5) && add_nth(s, &ids, n) == -EFBIG, "after");
	still_whole((uint32_t)n, n + 1, 2);
	CHECK(!stat(path, &st) && st.st_size == 100000, "%lld bytes", (long long)st.st_size);
	stack_store_close(s);
	/* without the limit there is room again */
	s = open_stacks(path, 0);
	CHECK(!add_nth(s, &ids, n), "more");
	stack_store_close(s);
}

TEST(file_size_limit)
{
	struct rlimit limit = { 100000, 100000 };
	struct stack_store *s;
	struct stack_ids ids;
	uint64_t n;

	tmpdir_make();
	path = strdup(tmpdir_path("stacks"));
	signal(SIGXFSZ, SIG_IGN);
	s = open_stacks(path, 0);
	CHECK(!stack_labels(s, &ids) && !setrlimit(RLIMIT_FSIZE, &limit), "setrlimit");
	n = add_until(s, &ids, -EFBIG);
	still_whole((uint32_t)n, n, 1);
	stack_store_close(s);
}

/* The holes of a sparse copy are filled when it is opened, so that none can fail later. */
TEST(holes_are_filled)
{
	struct stack_store *s;
	struct stack_ids ids;
	struct stat st;

	on_small_disk("size=256k");
	s = open_stacks(path, 0);
	CHECK(!stack_labels(s, &ids), "labels");
	stack_store_close(s);
	CHECK(!truncate(path, 200 << 10), "truncate");
	s = open_stacks(path, 0);
	CHECK(!stat(path, &st) && st.st_blocks * 512 >= 200 << 10, "%lld blocks",
	      (long long)st.st_blocks);
	stack_store_close(s);
	CHECK(!truncate(path, 10 << 20), "truncate");
	CHECK(stack_store_open(path, 0, &s, NULL) == -ENOSPC, "more than there is");
}

TEST_MAIN()
