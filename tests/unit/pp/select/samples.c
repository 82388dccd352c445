/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.c - sorting of few and many, by every digit; scaled counts and their sums */
#include "tests/tap.h"

#include "libutil/xalloc.h"
#include "pp/select/event_scale.h"
#include "pp/select/samples.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void check_sort(size_t nr, uint64_t mask)
{
	struct sample_list list = { xcalloc(nr, sizeof(struct sample)), nr, nr };
	uint64_t sum = 0, sorted_sum = 0;

	for (size_t i = 0; i < nr; i++) {
		list.samples[i] = (struct sample){ next_random() & mask, (uint32_t)i, 0 };
		sum += list.samples[i].offset * (i + 1);
	}
	samples_sort(&list);
	for (size_t i = 0; i < nr; i++) {
		CHECK(!i || list.samples[i - 1].offset <= list.samples[i].offset,
		      "%zu of %zu, mask %llx", i, nr, (unsigned long long)mask);
		sorted_sum += list.samples[i].offset * (list.samples[i].count + 1);
	}
	CHECK(sum == sorted_sum, "each offset still has its count");
	samples_free(&list);
}

TEST(sorting)
{
	static const uint64_t masks[] = {0,    1, 0xffff, 0xffffffff00000000, 0x7ff0000000000000,
					 ~0ull};

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		check_sort(1, masks[i]);
		check_sort(999, masks[i]);
		check_sort(1000, masks[i]);
		check_sort(54321, masks[i]);
	}
}

TEST(scaled_sums_are_exact)
{
	for (int round = 0; round < 200; round++) {
		uint64_t running = 1 + next_random() % 1000000;
		struct event_scale scale = {
			.enabled = running + next_random() % 9000000, .running = running,
		};
		double factor = (double)scale.enabled / (double)running;
		uint64_t sum = 0, scaled = 0;

		for (int i = 0; i < 1000; i++) {
			uint64_t count = next_random() % (i % 3 ? 3 : 1000);
			uint64_t got = event_scale_next(&scale, count);

			CHECK((double)got >= (double)count * factor - 1 &&
			      (double)got <= (double)count * factor + 1, "each within one");
			sum += count;
			scaled += got;
		}
		CHECK(scaled == (sum * scale.enabled + running / 2) / running, "round %d", round);
	}
}

TEST(scaling_saturates)
{
	struct event_scale scale = { .enabled = UINT64_MAX, .running = 1 };
	struct event_scale none = { 0 };

	CHECK(event_scale_next(&scale, 1) == UINT64_MAX, "the largest");
	CHECK(event_scale_next(&scale, 5) == 0, "and no more");
	CHECK(event_scale_next(&none, 5) == 5, "nothing to scale");
}

TEST_MAIN()
