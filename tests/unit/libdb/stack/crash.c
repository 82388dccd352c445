// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crash.c - after kill -9 at any moment the store holds every stack that was added
 *
 * A child adds stacks that follow from their number and counts the adds that have returned in
 * shared memory. It is killed at a random moment. Then the file must hold each of them once, and at
 * most the one in progress besides, before and after a writer has opened it.
 */
#include <errno.h>
#include "tests/unit/crash_test.h"
#include "tests/unit/libdb/stack/stack_test.h"

#define ROUNDS	60

/* The stack of sample @i: of various depths, with a new innermost frame each. */
static size_t stack_of(uint64_t i, const struct stack_ids *ids, struct stack_frame *frames)
{
	size_t nr = hash_u64(i) % 20 + 1;

	frames[0] = (struct stack_frame){ ids->kernel, i % 3 ? i : i << 32 };
	for (size_t k = 1; k < nr; k++)
		frames[k] = (struct stack_frame){ ids->app, hash_mix(i / 50, k) % 1000 };
	return nr;
}

static uint64_t hash_of(uint64_t i)
{
	const struct stack_ids ids = { .app = 1, .kernel = 2 };
	struct stack_frame frames[20];
	size_t nr = stack_of(i, &ids, frames);
	uint64_t hash = stack_hash_root((unsigned int)(i % 4));

	while (nr-- > 0)
		hash = stack_hash_frame(hash, frames[nr].image == 1 ? "/bin/app" : "kallsyms",
					frames[nr].offset);
	return hash_mix(hash_mix(hash, hash_string("CPU_CLK_UNHALTED")), (uint64_t)SAMPLE_ALL);
}

static void child(const char *path, uint64_t i)
{
	struct stack_frame frames[20];
	struct stack_store *s;
	struct stack_ids ids;

	if (stack_store_open(path, 0, &s, NULL) || stack_labels(s, &ids))
		_exit(1);
	for (;; i++) {
		size_t nr = stack_of(i, &ids, frames);

		if (stack_store_add(s, ids.context, ids.event, frames, nr,
				    (unsigned int)(i % 4), 1))
			_exit(1);
		crash_tell(i + 1);
	}
}

/* The number of samples in the file, which must be the first @added or one more, each once. */
static uint64_t holds(const char *path, uint64_t added, int round)
{
	struct stack_sums have = { NULL, 0 }, want;
	struct stack_snapshot s;
	int err = stack_store_read(path, &s, NULL);
	bool same = true;

	if ((err == -ENOENT || err == -ENODATA) && !added)
		return 0;		/* killed before the file was created */
	CHECK(!err, "round %d: read: %d", round, err);
	if (err)
		exit(1);
	have = snapshot_sums(&s);
	stack_snapshot_free(&s);
	want.nr = have.nr;
	want.sums = calloc(want.nr + 1, sizeof(*want.sums));
	for (uint64_t i = 0; i < want.nr; i++)
		want.sums[i] = (struct stack_sum){ hash_of(i), 1 };
	sums_merge(&want);
	for (size_t i = 0; i < have.nr; i++)
		same &= have.sums[i].hash == want.sums[i].hash && have.sums[i].count == 1;
	CHECK(have.nr >= added && have.nr <= added + 1, "round %d: %llu added, %zu there", round,
	      (unsigned long long)added, have.nr);
	CHECK(same, "round %d: other stacks than were added", round);
	free(have.sums);
	free(want.sums);
	return have.nr;
}

TEST(kill_9)
{
	uint64_t from = 0, longest = 0;
	char *path;

	tmpdir_make();
	path = strdup(tmpdir_path("stacks"));
	crash_share();
	for (int round = 0; round < ROUNDS && !tap_failures; round++) {
		if (round % 20 == 0) {
			unlink(path);		/* short files are created and grown more often */
			shared->added = from = 0;
		}
		crash_run(child, path, from);
		from = holds(path, shared->added, round);
		stack_store_close(open_stacks(path, 0));
		CHECK(holds(path, from, round) == from, "round %d: opening changed it", round);
		shared->added = from;
		if (from > longest)
			longest = from;
	}
	CHECK(longest > 3000, "only %llu samples were added", (unsigned long long)longest);
	free(path);
}

TEST_MAIN()
