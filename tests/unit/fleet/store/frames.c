// SPDX-License-Identifier: GPL-2.0-or-later
/* frames.c - stacks come back from texts, and are the same wherever their images are mapped */
#include "fleet/store/frames.h"

#include "tests/tap.h"

static uint32_t function(struct profile *p, const char *name)
{
	const uint32_t text = profile_string(p, name);

	return profile_function(p, &(struct profile_function){ .name = text, .system_name = text });
}

/* inlined() in leaf(), called by an address without an image; mapped at @start. */
static uint32_t make(struct profile *p, uint64_t start)
{
	struct profile_line lines[] = {
		{ function(p, "in\nlined"), 7 }, { function(p, "leaf"), 3 },
	};
	uint32_t image = profile_add_image(p, &(struct profile_image){
		.path = profile_string(p, "/usr/bin/a b"), .build_id = profile_string(p, "00ff"),
		.start = start, .limit = start + 0x1000, .offset = 0x2000, .kind = PROFILE_FILE });
	uint32_t places[] = {
		profile_place(p, image, start + 0x10, lines, 2),
		profile_place(p, PROFILE_NONE, 0x99, NULL, 0),
	};

	return profile_stack(p, places, 2);
}

static void expect_texts(const struct store_frames *f)
{
	static const char functions[] = "in?lined\0leaf\0\0";
	static const char images[] = "\0000 00ff /usr/bin/a b\0-\0";

	CHECK(f->nr == 3 && f->offsets[0] == 0x2010 && f->offsets[1] == 0x2010 &&
	      f->offsets[2] == 0x99, "%zu", f->nr);
	CHECK(f->functions.len == sizeof(functions) - 1 &&
	      !memcmp(f->functions.text, functions, sizeof(functions) - 1), "functions");
	CHECK(f->images.len == sizeof(images) - 1 &&
	      !memcmp(f->images.text, images, sizeof(images) - 1), "images");
}

TEST(there_and_back)
{
	static struct store_frames f = STORE_FRAMES_INIT, again = STORE_FRAMES_INIT;
	char functions[] = "in?lined\nleaf\n", images[] = "\n0 00ff /usr/bin/a b\n-";
	char offsets[] = "8208 8208 153";
	struct profile *p = profile_new(), *back = profile_new();
	uint32_t node = make(p, 0x7f0000000000), other;

	store_frames_of(p, node, &f);
	expect_texts(&f);
	other = store_frames_add(back, functions, images, offsets);
	CHECK(other != PROFILE_NONE, "malformed");
	store_frames_of(back, other, &again);
	expect_texts(&again);
	CHECK(store_frames_hash(&f) == store_frames_hash(&again), "the hashes differ");
	store_frames_of(p, make(p, 0x5500000000), &again);
	CHECK(store_frames_hash(&f) == store_frames_hash(&again), "mapped elsewhere");
	again.offsets[2]++;
	CHECK(store_frames_hash(&f) != store_frames_hash(&again), "another offset");
	store_frames_free(&f);
	store_frames_free(&again);
	profile_free(p);
	profile_free(back);
}

TEST(what_a_server_makes_up)
{
	static const char *const images[] = { "9 00 /x", "0", "0 00", "x", "0 00 /x\n?", "" };

	for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++) {
		struct profile *p = profile_new();
		char text[16], functions[] = "f\ng", offsets[] = "1 2";
		uint32_t node;

		strcpy(text, images[i]);
		node = store_frames_add(p, functions, text, offsets);
		CHECK(node == PROFILE_NONE, "%s", images[i]);
		profile_free(p);
	}
}

TEST_MAIN()
