// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c - a profile in memory: equal elements, merging, images by address */
#include "formats/profile/profile.h"
#include "tests/unit/tmpdir.h"

TEST(strings_are_stored_once)
{
	struct profile *p = profile_new();
	char name[32], long_text[100000];
	uint32_t ids[5000];

	CHECK(profile_string(p, "") == 0, "the empty string is 0");
	for (uint32_t i = 0; i < ARRAY_SIZE(ids); i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		ids[i] = profile_string(p, name);
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(ids); i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		CHECK(profile_string(p, name) == ids[i], "string %u", i);
		CHECK(!strcmp(profile_text(p, ids[i]), name), "%s", profile_text(p, ids[i]));
	}
	CHECK(profile_string_n(p, "function_77", 10) == ids[7], "by length");
	memset(long_text, 'x', sizeof(long_text));
	ids[0] = profile_string_n(p, long_text, sizeof(long_text));
	ids[1] = profile_string_n(p, long_text, sizeof(long_text) - 1);
	CHECK(ids[0] != ids[1], "one is the beginning of the other");
	CHECK(strlen(profile_text(p, ids[0])) == sizeof(long_text), "whole");
	CHECK(p->nr_strings == 1 + 5000 + 2, "%u", p->nr_strings);
	profile_free(p);
}

static uint32_t function(struct profile *p, const char *name)
{
	uint32_t id = profile_string(p, name);

	return profile_function(p, &(struct profile_function){ .name = id, .system_name = id });
}

TEST(places_are_equal_by_image_address_and_lines)
{
	struct profile *p = profile_new();
	uint32_t inner = function(p, "inner"), outer = function(p, "outer");
	struct profile_line inlined[] = { { inner, 3 }, { outer, 9 } };
	struct profile_line other[] = { { inner, 4 }, { outer, 9 } };
	uint32_t a = profile_place(p, 0, 0x1000, inlined, 2), b;

	CHECK(profile_place(p, 0, 0x1000, inlined, 2) == a, "again");
	CHECK(profile_place(p, 1, 0x1000, inlined, 2) != a, "other image");
	CHECK(profile_place(p, 0, 0x1001, inlined, 2) != a, "other address");
	CHECK(profile_place(p, 0, 0x1000, other, 2) != a, "other line");
	CHECK(profile_place(p, 0, 0x1000, NULL, 0) != a, "not symbolised");
	CHECK(p->nr_places == 5, "%u", p->nr_places);
	CHECK(p->lines[p->line_lists[p->places[a].lines].first + 1].line == 9, "innermost first");
	CHECK(function(p, "inner") == inner, "functions are there once");

	/* lines may be those of another place, although the array moves */
	b = p->line_lists[p->places[a].lines].first;
	for (uint32_t i = 0; i < 1000; i++)
		profile_place(p, 7, i, p->lines + b, 2);
	CHECK(p->nr_lines == 8, "and are not copied: %u", p->nr_lines);
	profile_free(p);
}

/* Many at once are the same places, whether they are new, known or twice among them. */
TEST(places_at_once_are_those_one_by_one)
{
	struct profile *p = profile_new();
	struct profile_address at[PROFILE_PLACES_MAX];
	uint32_t ids[PROFILE_PLACES_MAX], nr_before, wrong = 0;

	profile_places(p, at, 0, ids);
	for (unsigned int turn = 0; turn < 200; turn++) {
		for (unsigned int i = 0; i < PROFILE_PLACES_MAX; i++)
			at[i] = (struct profile_address){ test_random() % 3,
							  test_random() % 1000 };
		at[5] = at[60];
		profile_places(p, at, PROFILE_PLACES_MAX, ids);
		nr_before = p->nr_places;
		for (unsigned int i = 0; i < PROFILE_PLACES_MAX; i++)
			wrong += profile_place(p, at[i].image, at[i].address, NULL, 0) != ids[i] ||
				 p->places[ids[i]].image != at[i].image ||
				 p->places[ids[i]].address != at[i].address ||
				 p->places[ids[i]].lines;
		wrong += p->nr_places != nr_before;
	}
	CHECK(!wrong && p->nr_places > 2000 && p->nr_places <= 3000, "%u wrong of %u places", wrong,
	      p->nr_places);
	profile_free(p);
}

TEST(stacks_share_their_callers)
{
	struct profile *p = profile_new();
	uint32_t x = profile_place(p, PROFILE_NONE, 1, NULL, 0);
	uint32_t y = profile_place(p, PROFILE_NONE, 2, NULL, 0);
	uint32_t z = profile_place(p, PROFILE_NONE, 3, NULL, 0);
	uint32_t first = profile_stack(p, (uint32_t[]){ x, y, z }, 3);
	uint32_t second = profile_stack(p, (uint32_t[]){ y, y, z }, 3);

	CHECK(p->tree.nr == 4, "z, y, x and y again: %zu", p->tree.nr);
	CHECK(p->tree.nodes[first].parent == p->tree.nodes[second].parent, "one caller");
	CHECK(p->tree.nodes[first].key == x, "the innermost is the stack's node");
	CHECK(profile_stack(p, (uint32_t[]){ x, y, z }, 3) == first, "again");
	for (uint32_t i = 0; i < p->tree.nr; i++)
		CHECK(p->tree.nodes[i].parent == PROFILE_NONE || p->tree.nodes[i].parent < i,
		      "parents come first");
	profile_free(p);
}

TEST(label_sets_have_no_order)
{
	struct profile *p = profile_new();
	struct profile_label pid = { .key = profile_string(p, "pid"), .number = 7 };
	struct profile_label comm = { .key = profile_string(p, "comm"),
				      .text = profile_string(p, "sh") };
	struct profile_label other = { .key = pid.key, .number = 8 };
	uint32_t a = profile_label_set(p, (struct profile_label[]){ pid, comm }, 2);

	CHECK(profile_label_set(p, NULL, 0) == 0, "the empty set is 0");
	CHECK(a != 0, "a set");
	CHECK(profile_label_set(p, (struct profile_label[]){ comm, pid }, 2) == a, "other order");
	CHECK(profile_label_set(p, &pid, 1) != a, "a part of it");
	CHECK(profile_label_set(p, (struct profile_label[]){ other, comm }, 2) != a, "a number");
	CHECK(profile_is_of_process(p, a, "7") && !profile_is_of_process(p, a, "8"), "pid 7");
	CHECK(profile_is_of_process(p, 0, "") && !profile_is_of_process(p, 0, "7"), "no pid");
	CHECK(p->nr_label_sets == 4 && p->nr_labels == 5, "%u sets of %u labels",
	      p->nr_label_sets, p->nr_labels);
	profile_free(p);
}

TEST(samples_are_merged)
{
	struct profile *p = profile_new();
	struct profile_event event = { .name = profile_string(p, "cpu") };
	uint32_t node, other;
	int64_t *values;

	profile_add_event(p, &event);
	profile_add_event(p, &event);
	node = profile_node(p, PROFILE_NONE, profile_place(p, PROFILE_NONE, 1, NULL, 0));
	other = profile_node(p, node, p->tree.nodes[node].key);
	for (int i = 0; i < 3; i++) {
		values = profile_add_sample(p, i == 1 ? other : node, 0);
		values[0] = 10 + i;
		values[1] = INT64_MAX - 1;
	}
	CHECK(p->nr_samples == 3, "as they were added");
	CHECK(profile_total(p, 0) == 33, "%lld", (long long)profile_total(p, 0));
	CHECK(profile_total(p, 1) == INT64_MAX, "saturated");
	profile_merge_samples(p);
	CHECK(p->nr_samples == 2, "%u", p->nr_samples);
	CHECK(p->samples[0].node == node && p->samples[1].node == other, "where the first was");
	CHECK(profile_values(p, 0)[0] == 22 && profile_values(p, 1)[0] == 11, "sums");
	CHECK(profile_values(p, 0)[1] == INT64_MAX, "sums saturate");
	CHECK(profile_total(p, 0) == 33, "%lld", (long long)profile_total(p, 0));
	profile_free(p);
}

TEST(the_newest_image_has_the_address)
{
	struct profile *p = profile_new();
	struct profile_image images[] = {
		{ .start = 0x1000, .limit = 0x5000 },
		{ .start = 0x8000, .limit = 0x9000 },
		{ .start = 0x2000, .limit = 0x3000 },
		{ .start = 0, .limit = 0 },
		{ .start = 0x4000, .limit = 0x8800 },
	};

	CHECK(profile_image_at(p, 0x1000) == PROFILE_NONE, "no image at all");
	for (uint32_t i = 0; i < ARRAY_SIZE(images); i++)
		profile_add_image(p, &images[i]);
	CHECK(profile_image_at(p, 0xfff) == PROFILE_NONE, "before the first");
	CHECK(profile_image_at(p, 0x1000) == 0, "start");
	CHECK(profile_image_at(p, 0x2000) == 2, "hidden");
	CHECK(profile_image_at(p, 0x3000) == 0, "behind what hides it");
	CHECK(profile_image_at(p, 0x4000) == 4, "half hidden");
	CHECK(profile_image_at(p, 0x87ff) == 4, "across a gap");
	CHECK(profile_image_at(p, 0x8800) == 1, "the rest");
	CHECK(profile_image_at(p, 0x9000) == PROFILE_NONE, "limit");
	profile_add_image(p, &(struct profile_image){ .start = 0, .limit = UINT64_MAX });
	CHECK(profile_image_at(p, 0x2000) == 5, "one more, after the first question");
	profile_free(p);
}

/* Every address of a small space, compared with a linear search. */
TEST(images_by_address_agree_with_a_linear_search)
{
	struct profile *p = profile_new();

	for (int round = 0; round < 200; round++) {
		struct profile_image image = { .start = test_random() % 300 };

		image.limit = image.start + test_random() % 40;
		profile_add_image(p, &image);
		for (uint64_t at = 0; at < 350; at++) {
			uint32_t truth = PROFILE_NONE;

			for (uint32_t i = 0; i < p->nr_images; i++)
				if (p->images[i].start <= at && at < p->images[i].limit)
					truth = i;
			CHECK(profile_image_at(p, at) == truth, "round %d address %d: %u not %u",
			      round, (int)at, profile_image_at(p, at), truth);
		}
	}
	profile_free(p);
}

TEST_MAIN()
