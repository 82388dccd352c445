// SPDX-License-Identifier: GPL-2.0-or-later
/* tail.c - a store is followed while it grows, and what is no store is refused */
#include "libdb/stack/tail.h"

#include <errno.h>
#include <fcntl.h>

#include "tests/unit/libdb/stack/stack_test.h"

static void count_label(void *context, uint32_t pos)
{
	(void)pos;
	++*(unsigned int *)context;
}

static uint64_t samples_of(const struct stack_tail *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nr_counts; i++)
		sum += t->counts[i].samples;
	return sum;
}

/* As many stacks as take several pieces of the file. */
#define STACKS	30000u

static void add(struct stack_store *s, const struct stack_ids *ids, uint64_t i, uint64_t count)
{
	const struct stack_frame frames[] = { { ids->app, i }, { ids->app, i % 100 } };

	if (stack_store_add(s, ids->context, ids->event, frames, 2, STACK_COMPLETE, count))
		CHECK(0, "cannot add");
}

TEST(follows)
{
	const char *path;
	struct stack_store *s;
	struct stack_tail t;
	struct stack_ids ids;
	unsigned int nr_labels = 0, known, end = 99;
	struct stack_frame frame;
	uint32_t node;

	tmpdir_make();
	path = tmpdir_path("stacks");
	CHECK(!stack_store_open(path, 0, &s, NULL) && !stack_labels(s, &ids), "new store");
	CHECK(!stack_tail_open(path, &t, NULL), "open");
	CHECK(!stack_tail_read(&t, count_label, &nr_labels, NULL) && !t.nr_counts, "no stacks");
	known = nr_labels;
	CHECK(known >= 3, "image, event and context: %u", known);
	for (uint64_t i = 0; i < STACKS; i++)
		add(s, &ids, i, 1);
	CHECK(!stack_tail_read(&t, count_label, &nr_labels, NULL), "read");
	CHECK(t.nr_counts == STACKS && samples_of(&t) == STACKS, "%zu stacks, %llu samples",
	      t.nr_counts, (unsigned long long)samples_of(&t));
	CHECK(nr_labels == known, "labels come once");
	/* the first and the last again; one that needs a wide count */
	add(s, &ids, 0, 5);
	add(s, &ids, STACKS - 1, 7);
	add(s, &ids, STACKS / 2, UINT64_C(1) << 33);
	add(s, &ids, STACKS, 1);
	CHECK(!stack_tail_read(&t, count_label, &nr_labels, NULL), "read again");
	CHECK(samples_of(&t) == STACKS + 13 + (UINT64_C(1) << 33), "%llu samples",
	      (unsigned long long)samples_of(&t));
	add(s, &ids, STACKS / 2, 3);
	CHECK(!stack_tail_read(&t, count_label, &nr_labels, NULL) &&
	      samples_of(&t) == STACKS + 16 + (UINT64_C(1) << 33), "a wide count grew");
	node = t.counts[1].node;
	frame = stack_tail_frame(&t, node);
	CHECK(frame.offset == 1, "frame %llu", (unsigned long long)frame.offset);
	node = stack_tail_caller(&t, node, &end);
	CHECK(node && stack_tail_frame(&t, node).offset == 1, "its caller");
	node = stack_tail_caller(&t, node, &end);
	CHECK(node && !stack_tail_caller(&t, node, &end) && end == STACK_COMPLETE, "its root");
	stack_tail_close(&t);
	stack_store_close(s);
}

/* Who may write the file can change it at any time: nothing outside of it may be read. */
TEST(hostile)
{
	const char *path;
	struct stack_store *s;
	struct stack_tail t;
	struct stack_ids ids;
	unsigned int nr_labels = 0;
	struct op_error e = { "" };
	uint32_t used = 0;
	int fd;

	tmpdir_make();
	path = tmpdir_path("stacks");
	CHECK(!stack_store_open(path, 0, &s, NULL) && !stack_labels(s, &ids), "new store");
	for (uint64_t i = 0; i < 100; i++)
		add(s, &ids, i, 1);
	stack_store_close(s);
	CHECK(!stack_tail_open(path, &t, NULL) &&
	      !stack_tail_read(&t, count_label, &nr_labels, NULL), "read");
	fd = open(path, O_RDWR);
	CHECK(pread(fd, &used, 4, 16) == 4, "used");
	/* records that were checked become garbage: only counts change */
	for (uint32_t pos = STACK_FIRST; pos < used; pos++)
		CHECK(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, pos * 8) == 8, "write");
	CHECK(!stack_tail_read(&t, count_label, &nr_labels, NULL), "still read");
	CHECK(t.nr_counts == 100 && t.counts[0].samples == UINT32_MAX, "counts of garbage");
	/* a record that refers to nothing */
	used++;
	CHECK(pwrite(fd, "\xff\xff\xff\x3f\xff\xff\xff\xff", 8, (used - 1) * 8) == 8 &&
	      pwrite(fd, &used, 4, 16) == 4, "append");
	CHECK(stack_tail_read(&t, count_label, &nr_labels, &e) == -EPROTO, "refused: %s", e.text);
	CHECK(!ftruncate(fd, 100), "truncate");
	CHECK(stack_tail_read(&t, count_label, &nr_labels, &e) < 0, "truncated");
	stack_tail_close(&t);
	CHECK(stack_tail_open("/dev/null", &t, &e) == -EPROTO, "%s", e.text);
	CHECK(stack_tail_open("/nonexistent", &t, &e) == -ENOENT, "%s", e.text);
	close(fd);
}

TEST_MAIN()
