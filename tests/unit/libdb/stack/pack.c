// SPDX-License-Identifier: GPL-2.0-or-later
/* pack.c - a packed store holds the same, is continued, and may be damaged */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libutil/file.h"
#include "tests/unit/libdb/stack/fresh.h"

static void add_some(struct stack_store *s, const struct stack_ids *ids, unsigned int nr)
{
	struct stack_frame frames[20];

	for (unsigned int i = 0; i < nr; i++) {
		size_t n = test_random() % 20 + 1;

		for (size_t k = 0; k < n; k++) {
			uint64_t x = k > n / 2 ? k : test_random();

			frames[k] = (struct stack_frame){ x % 2 ? ids->app : ids->kernel, x % 61 };
			if (x % 101 == 0)
				frames[k].offset |= x << 30;
		}
		CHECK(!stack_store_add(s, ids->context, ids->event, frames, n, i % 3, i + 1),
		      "add");
	}
}

static char *read_file(size_t *ret_len)
{
	char *bytes = NULL;

	CHECK(!file_read_all(path, 1 << 26, &bytes, ret_len), "read");
	return bytes;
}

static void pack(void)
{
	struct op_error e = { "" };

	CHECK(!stack_store_pack(path, &e), "%s", e.text);
}

/* The very same bytes come back, so ids stay valid. */
TEST(same_bytes)
{
	struct stack_ids ids, again;
	struct stack_store *s = fresh(&ids);
	size_t before_len, packed_len, after_len;
	char *before, *packed, *after;

	add_some(s, &ids, 5000);
	stack_store_close(s);
	before = read_file(&before_len);
	pack();
	packed = read_file(&packed_len);
	CHECK(packed_len < before_len / 2, "%zu of %zu bytes", packed_len, before_len);
	CHECK(only_count() == 5000 * 5001 / 2, "counts");
	pack();				/* nothing left to do */
	s = open_stacks(path, 0);
	CHECK(!stack_labels(s, &again) && !memcmp(&ids, &again, sizeof(ids)), "ids");
	stack_store_close(s);
	after = read_file(&after_len);
	CHECK(after_len == before_len && !memcmp(before, after, after_len), "other bytes");
	free(before);
	free(packed);
	free(after);
}

TEST(goes_on)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	uint64_t want = 0;

	for (unsigned int i = 1; i <= 5; i++) {
		add_some(s, &ids, i * 100);
		want += (uint64_t)i * 100 * (i * 100 + 1) / 2;
		stack_store_close(s);
		pack();
		s = open_stacks(path, 0);
	}
	stack_store_close(s);
	CHECK(only_count() == want, "%d", (int)only_count());
}

/* One that is shorter by too much could not be told from a hostile one, and stays as it is. */
TEST(stays)
{
	static struct stack_frame frames[STACK_FRAMES_MAX];
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	size_t len;
	char *bytes;

	for (size_t i = 0; i < STACK_FRAMES_MAX; i++)
		frames[i].image = ids.app;
	for (unsigned int i = 0; i < 50; i++) {
		frames[STACK_FRAMES_MAX - 1].offset = i;
		CHECK(!stack_store_add(s, ids.context, ids.event, frames, STACK_FRAMES_MAX, 0, 1),
		      "add");
	}
	stack_store_close(s);
	pack();
	bytes = read_file(&len);
	CHECK(len > 8 * 50 * STACK_FRAMES_MAX, "%zu bytes", len);
	CHECK(only_count() == 50, "counts");
	free(bytes);
	CHECK(stack_store_pack(tmpdir_path("none"), &(struct op_error){ "" }) == -ENOENT, "none");
}

/* Whatever is changed, a reader gets an error or a snapshot. */
TEST(damaged)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	struct stack_snapshot r;
	size_t len;
	char *good;

	add_some(s, &ids, 100);
	stack_store_close(s);
	pack();
	good = read_file(&len);
	for (size_t i = 0; i < len; i++) {
		struct op_error e = { "" };
		int err;

		good[i] ^= 1 << i % 8;
		CHECK(!file_write_atomic(path, good, len, 0644), "write");
		good[i] ^= 1 << i % 8;
		err = stack_store_read(path, &r, &e);
		CHECK(!err || err == -EPROTO || err == -ENODATA, "%zu: %s", i, e.text);
		if (!err)
			stack_snapshot_free(&r);
	}
	for (size_t i = 65; i < len; i += 7) {
		CHECK(!file_write_atomic(path, good, i, 0644), "write");
		CHECK(stack_store_read(path, &r, NULL) == -EPROTO, "%zu bytes", i);
		CHECK(stack_store_open(path, 0, &s, NULL) == -EPROTO, "%zu bytes", i);
	}
	free(good);
}

TEST_MAIN()
