// SPDX-License-Identifier: GPL-2.0-or-later
/* hostile.c - malformed stack stores are refused and unchanged, and never crash a reader */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "libdb/stack/file.h"
#include "tests/unit/libdb/stack/stack_test.h"

static unsigned char good[4096];
static size_t length;
static uint32_t node_at, frame_at, wide_frame_at, count_at, wide_count_at, series_at;
static struct stack_ids ids;

/* A record of each kind, and its position in units of 8 bytes. */
static void make_good(void)
{
	struct stack_store_size size;
	struct stack_store *s;
	struct stack_frame f[2];
	FILE *file;

	tmpdir_make();
	s = open_stacks(tmpdir_path("good"), 0);
	CHECK(!stack_labels(s, &ids), "labels");
	f[0] = (struct stack_frame){ ids.kernel, UINT64_C(1) << 40 };
	f[1] = (struct stack_frame){ ids.app, 0x10 };
	stack_store_size(s, &size);
	CHECK(!stack_store_add(s, ids.context, ids.event, f, 2, 0, UINT64_C(1) << 33), "add");
	stack_store_close(s);
	series_at = (uint32_t)(size.bytes / 8);
	frame_at = series_at + 2;	/* the root comes before */
	node_at = frame_at + 1;
	wide_frame_at = node_at + 1;
	count_at = wide_frame_at + 3;	/* and its node */
	wide_count_at = count_at + 1;
	file = fopen(tmpdir_path("good"), "r");
	length = fread(good, 1, sizeof(good), file);
	fclose(file);
	CHECK(length == (wide_count_at + 2) * 8, "%zu bytes, %u units", length, wide_count_at + 2);
}

static void refused(const unsigned char *bytes, size_t n, const char *why, const char *what)
{
	struct stack_snapshot r = { .nr_nodes = 7 };
	char *path = tmpdir_path("bad");
	struct stack_store *s = NULL;
	struct op_error e = { "" };
	unsigned char after[sizeof(good)];
	FILE *f;
	int err;

	put_file(path, bytes, n);
	err = stack_store_read(path, &r, &e);
	CHECK(err == -EPROTO && strstr(e.text, why), "%s: read: %d %s", what, err, e.text);
	CHECK(r.nr_nodes == 7, "%s: output changed", what);
	e.text[0] = '\0';
	err = stack_store_open(path, 0, &s, &e);
	CHECK(err == -EPROTO && strstr(e.text, why), "%s: open: %d %s", what, err, e.text);
	if (!err)
		stack_store_close(s);
	f = fopen(path, "r");
	CHECK(fread(after, 1, sizeof(after), f) == n && !memcmp(after, bytes, n),
	      "%s: file changed", what);
	fclose(f);
}

/* @value instead of the 32 bits at @at. */
static void refused_with(uint32_t at, uint32_t value, const char *why, const char *what)
{
	unsigned char bytes[sizeof(good)];

	memcpy(bytes, good, length);
	memcpy(bytes + at, &value, sizeof(value));
	refused(bytes, length, why, what);
}

TEST(headers)
{
	make_good();
	refused_with(0, 0x12345678, "not a stack store", "magic");
	refused_with(8, 0x04030201, "the other byte order", "byte order");
	refused_with(8, 5, "unsupported version", "invalid byte order");
	refused_with(12, 2, "version 2", "version");
	refused_with(12, 3, "malformed packed stacks", "not packed");
	refused_with(16, 0, "malformed header", "nothing used");
	refused_with(16, 7, "malformed header", "less than a header used");
	refused_with(16, (uint32_t)length / 8 + 1, "truncated", "more used than the file has");
	refused_with(16, UINT32_MAX, "malformed header", "more used than the maximum");
	refused_with(20, 1, "malformed header", "reserved field");
	refused_with(60, 1, "malformed header", "last reserved field");
}

TEST(records)
{
	const uint32_t bad[] = { 0, STACK_HEAD(1, 0), STACK_HEAD(7, 0), STACK_HEAD(7, 1),
				 STACK_HEAD(7, STACK_LABEL_MAX + 1), STACK_HEAD(7, 0x1fffffff) };

	make_good();
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refused_with(ids.app * 8, bad[i], "offset ", "instead of a label");
	refused_with(ids.app * 8 + 4, 4, "do not fill it", "another kind of label");
	refused_with(ids.app * 8 + 4, 5, "unknown kind of label", "kind of label");
	refused_with(ids.app * 8 + 8, 4, "image with an unknown kind", "kind of image");
	refused_with(ids.app * 8 + 32, 0x41414141, "an invalid path", "relative path");
	refused_with(ids.context * 8 + 8, ids.event, "is not an image", "app is an event");
	refused_with(ids.context * 8 + 8, ids.context, "is not an image", "app is itself");
	refused_with(ids.event * 8 + 44, 0x41414141, "do not fill it",
		     "behind an event's name");
	refused_with(series_at * 8, STACK_HEAD(STACK_SERIES, ids.event), "series without context",
		     "context");
	refused_with(series_at * 8 + 4, ids.context, "series without context or event", "event");
	refused_with(series_at * 8 + 12, 0x10000, "unknown kind of root", "end");
	refused_with(frame_at * 8, STACK_HEAD(STACK_FRAME, ids.event), "frame without image",
		     "image");
	refused_with(wide_frame_at * 8 + 4, 1, "nonzero reserved field", "wide frame");
	refused_with(count_at * 8, STACK_HEAD(STACK_COUNT, node_at), "count without series",
		     "series");
	refused_with(wide_count_at * 8, STACK_HEAD(STACK_COUNT, series_at),
		     "count without series or node", "a second count of a node");
	refused_with(wide_count_at * 8 + 4, frame_at, "wide count without series", "counted node");
	refused_with(wide_count_at * 8, STACK_HEAD(STACK_LABEL, 3), "last record is truncated",
		     "truncated");
}

/* References to the record itself, ahead, outside, into the middle of a record. */
TEST(nodes)
{
	static const char orphan[] = "node without parent or frame";
	uint32_t bad[] = { 1, 8, 0, 0, UINT32_MAX >> 3, 0 };

	make_good();
	bad[2] = node_at;
	bad[3] = node_at + 1;
	bad[5] = ids.app + 1;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		refused_with(node_at * 8, STACK_HEAD(STACK_NODE, bad[i]), orphan, "parent");
		refused_with(node_at * 8 + 4, bad[i], orphan, "frame");
	}
	refused_with(node_at * 8, STACK_HEAD(STACK_NODE, node_at), orphan, "its own parent");
	refused_with(node_at * 8, STACK_HEAD(STACK_NODE, count_at - 1), orphan, "its child");
	refused_with(node_at * 8 + 4, wide_frame_at, orphan, "a later frame");
	/* 8 bytes that look like a node, in the offset of a wide frame */
	refused_with((count_at - 1) * 8, STACK_HEAD(STACK_NODE, wide_frame_at + 1), orphan,
		     "parent in the middle of a frame");
}

/* Readers may rely on the limit of the depth. */
TEST(deep)
{
	static struct stack_record records[3000];
	uint32_t used, at;

	make_good();
	memcpy(records, good, (node_at + 1) * 8);
	for (at = node_at + 1; at < ARRAY_SIZE(records); at++)
		records[at] = (struct stack_record){ STACK_HEAD(STACK_NODE, at - 1), frame_at };
	used = node_at + STACK_FRAMES_MAX;
	records[2].head = used;
	put_file(tmpdir_path("deep"), records, used * 8);
	stack_store_close(open_stacks(tmpdir_path("deep"), 0));
	records[2].head = used + 1;
	put_file(tmpdir_path("deep"), records, (used + 1) * 8);
	CHECK(stack_store_read(tmpdir_path("deep"), &(struct stack_snapshot){ .nr_nodes = 0 },
			       NULL) == -EPROTO, "too deep");
	CHECK(stack_store_open(tmpdir_path("deep"), 0, &(struct stack_store *){ NULL }, NULL) ==
	      -EPROTO, "too deep for adding");
}

TEST(truncated_at_each_length)
{
	make_good();
	for (size_t n = 1; n < length; n++)
		refused(good, n, "", "truncated");
}

/* A store with a flipped bit is refused or read, without harm. */
TEST(flipped_bits)
{
	int readable = 0;

	make_good();
	for (size_t i = 0; i < length * 8; i += 3) {
		unsigned char bytes[sizeof(good)];
		struct stack_snapshot r;
		struct stack_totals t;

		memcpy(bytes, good, length);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		put_file(tmpdir_path("bad"), bytes, length);
		if (stack_store_read(tmpdir_path("bad"), &r, NULL))
			continue;
		stack_snapshot_totals(&r, &t);
		for (uint32_t k = 0; k < r.nr_nodes; k++)
			CHECK(r.nodes[k].parent == STACK_NONE || r.nodes[k].parent < k, "parent");
		stack_snapshot_free(&r);
		readable++;
	}
	CHECK(readable > 50, "%d", readable);	/* names, counts, offsets */
}

/* A writer that is killed while it creates the file leaves zeros and parts of a header [ST-3]. */
TEST(unfinished)
{
	static unsigned char bytes[65536];

	make_good();
	for (size_t n = 0; n <= sizeof(bytes); n += n < 64 ? 8 : 9000) {
		struct stack_snapshot r;
		struct op_error e = { "" };
		struct stack_store *s = NULL;
		int err;

		memset(bytes, 0, 64);
		memcpy(bytes + 8, good + 8, 16);
		put_file(tmpdir_path("young"), bytes, n);
		err = stack_store_read(tmpdir_path("young"), &r, &e);
		CHECK(err == -ENODATA, "%zu bytes: %d %s", n, err, e.text);
		err = stack_store_open(tmpdir_path("young"), 0, &s, &e);
		CHECK(!err && !stack_labels(s, &ids), "%zu bytes: %d %s", n, err, e.text);
		stack_store_close(s);
	}
	bytes[5000] = 1;	/* not our file */
	put_file(tmpdir_path("bad"), bytes, sizeof(bytes));
	CHECK(stack_store_open(tmpdir_path("bad"), 0, &(struct stack_store *){ NULL }, NULL) ==
	      -EPROTO, "zeros and something");
}

/* The header claims 4 GiB and the file has them, all holes: refused at the first hole. */
TEST(sparse)
{
	struct rlimit limit = { UINT64_C(256) << 20, UINT64_C(256) << 20 };
	const uint32_t used = STACK_POSITIONS;
	struct stack_snapshot r;
	struct op_error e = { "" };
	int fd;

	make_good();
	fd = open(tmpdir_path("good"), O_WRONLY);
	CHECK(pwrite(fd, &used, sizeof(used), 16) == sizeof(used), "write");
	if (ftruncate(fd, (off_t)STACK_STORE_MAX))
		SKIP("no sparse files here");
	close(fd);
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &limit);
#endif
	(void)limit;
	CHECK(stack_store_read(tmpdir_path("good"), &r, &e) == -EPROTO && strstr(e.text, "invalid"),
	      "%s", e.text);
}

TEST(links_and_others)
{
	struct stack_store *s;
	struct stack_snapshot r;
	struct op_error e = { "" };

	tmpdir_make();
	put_text(tmpdir_path("a"), "");
	CHECK(!symlink(tmpdir_path("a"), tmpdir_path("link")), "symlink");
	CHECK(stack_store_open(tmpdir_path("link"), 0, &s, &e) == -ELOOP, "%s", e.text);
	CHECK(!mkfifo(tmpdir_path("fifo"), 0600), "mkfifo");
	CHECK(stack_store_open(tmpdir_path("fifo"), 0, &s, &e) == -EPROTO, "%s", e.text);
	CHECK(stack_store_read(tmpdir_path("fifo"), &r, &e) == -EPROTO, "%s", e.text);
	CHECK(stack_store_read(tmpdir_path("none"), &r, &e) == -ENOENT, "%s", e.text);
	CHECK(stack_store_read(tmpdir_path("a"), &r, &e) == -ENODATA, "%s", e.text);
	CHECK(stack_store_read(tmpdir, &r, &e) == -EPROTO, "%s", e.text);
}

TEST_MAIN()
