// SPDX-License-Identifier: GPL-2.0-or-later
/* model.c - random stacks, compared with a naive model and read while they are written */
#include "tests/unit/libdb/stack/fresh.h"

#define MODEL_ADDS	60000

/* A stack of up to 30 frames with one of a few outer halves. */
static size_t random_stack(const struct stack_ids *ids, struct stack_frame *frames)
{
	size_t nr = test_random() % 30 + 1;
	uint64_t seed = test_random() % 8;

	for (size_t i = 0; i < nr; i++) {
		uint64_t x = i > nr / 2 ? hash_mix(seed, i) : test_random();

		frames[i] = (struct stack_frame){
			x % 3 == 0 ? ids->app : x % 3 == 1 ? ids->lib : ids->kernel, x % 61,
		};
		if (x % 101 == 0)
			frames[i].offset |= x << 30;
	}
	return nr;
}

static const char *path_of(const struct stack_ids *ids, uint32_t image)
{
	return image == ids->app ? "/bin/app" : image == ids->lib ? "/lib/libm.so" : "kallsyms";
}

static void model_add(struct stack_sums *model, const struct stack_ids *ids,
		      const struct stack_frame *frames, size_t nr, unsigned int end,
		      uint64_t count)
{
	uint64_t hash = stack_hash_root(end);

	for (size_t i = nr; i-- > 0;)
		hash = stack_hash_frame(hash, path_of(ids, frames[i].image), frames[i].offset);
	hash = hash_mix(hash_mix(hash, hash_string("CPU_CLK_UNHALTED")), (uint64_t)SAMPLE_ALL);
	model->sums[model->nr++] = (struct stack_sum){ hash, count };
}

static bool same_sums(const struct stack_sums *a, const struct stack_sums *b)
{
	for (size_t i = 0; i < a->nr && i < b->nr; i++)
		if (a->sums[i].hash != b->sums[i].hash || a->sums[i].count != b->sums[i].count)
			return false;
	return a->nr == b->nr;
}

/* Random stacks, with the store closed and opened again now and then. */
TEST(like_a_naive_model)
{
	struct stack_sums model = { calloc(MODEL_ADDS, sizeof(struct stack_sum)), 0 }, have;
	struct stack_ids ids, again;
	struct stack_store *s = fresh(&ids);
	struct stack_frame frames[30];
	struct stack_store_size size, reopened;

	for (int i = 0; i < MODEL_ADDS; i++) {
		size_t nr = random_stack(&ids, frames);
		unsigned int end = (unsigned int)(test_random() % 3);
		uint64_t count = test_random() % 3 + 1;

		if (i % 9000 == 4000) {
			stack_store_size(s, &size);
			stack_store_close(s);
			s = open_stacks(path, 0);
			stack_store_size(s, &reopened);
			CHECK(size.bytes == reopened.bytes && size.nodes == reopened.nodes &&
			      size.frames == reopened.frames, "sizes after reopening");
			CHECK(!stack_labels(s, &again) && !memcmp(&ids, &again, sizeof(ids)),
			      "ids last");
		}
		CHECK(!stack_store_add(s, ids.context, ids.event, frames, nr, end, count), "add");
		model_add(&model, &ids, frames, nr, end, count);
	}
	sums_merge(&model);
	have = file_sums(path);
	CHECK(same_sums(&model, &have), "%zu stacks, model has %zu", have.nr, model.nr);
	stack_store_close(s);
	free(have.sums);
	have = file_sums(path);
	CHECK(same_sums(&model, &have), "closed");
	free(have.sums);
	free(model.sums);
}

/* A reader sees whole stacks, and more and more of them, while another process writes. */
TEST(reader_beside_writer)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	uint64_t last = 0, sum;
	int status, rounds = 0;
	pid_t pid;

	stack_store_close(s);
	pid = fork();
	if (!pid) {
		struct stack_frame frames[30];

		s = open_stacks(path, 0);
		for (int i = 0; i < 80000; i++) {
			size_t nr = random_stack(&ids, frames);

			if (stack_store_add(s, ids.context, ids.event, frames, nr, 0, 1))
				_exit(1);
		}
		stack_store_close(s);
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		sum = only_count();
		CHECK(sum >= last, "from %llu to %llu", (unsigned long long)last,
		      (unsigned long long)sum);
		last = sum;
		rounds++;
	}
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "writer: %d", status);
	CHECK(only_count() == 80000 && rounds > 1, "%llu in the end, %d rounds",
	      (unsigned long long)only_count(), rounds);
}

TEST_MAIN()
