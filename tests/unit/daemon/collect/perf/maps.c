// SPDX-License-Identifier: GPL-2.0-or-later
/* maps.c - images, cookies and the mappings that hold them, compared with a simple model */
#include "tests/tap.h"

#include <stdbool.h>
#include <stdint.h>

#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/maps.h"

static struct perf_image *image(struct perf_cookies *t, const char *path, uint64_t inode)
{
	return perf_image_get(t, &(struct perf_image_key){.path = path, .inode = inode});
}

TEST(names)
{
	static const struct {
		const char *path, *anonymous, *kept;
	} cases[] = {
		{"/bin/x", NULL, "/bin/x"},
		{"/bin/x (deleted)", NULL, "/bin/x"},
		{"/memfd:jit (deleted)", NULL, "/memfd:jit"},
		{"(unreachable)/x", NULL, "/x"},
		{"//anon", "anon", "anon"},
		{"", "anon", "anon"},
		{"[heap]", "[heap]", "[heap]"},
		{"[stack:123]", "[stack]", "[stack]"},
		{"[vdso]", "[vdso]", "[vdso]"},
		{"[anon:jit]", "anon", "anon"},
		{"/dev/zero (deleted)", "anon", "anon"},
		{"/dev/zero", NULL, "/dev/zero"},
		{"/anon_hugepage (deleted)", "anon", "anon"},
		{"/SYSV00000000 (deleted)", "anon", "anon"},
		{"/SYSV/tool", NULL, "/SYSV/tool"},
		{"anon_inode:[something-with-a-long-name]",
		 "anon_inode:[something-with-a-long-name]", "anon_inode:[something-with-a-lon"},
	};
	struct perf_cookies *t = perf_cookies_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = perf_anonymous_name(cases[i].path);
		struct perf_image *got = image(t, cases[i].path, 1);

		CHECK(!name == !cases[i].anonymous && (!name || !strcmp(name, cases[i].anonymous)),
		      "\"%s\" is \"%s\"", cases[i].path, name ? name : "(a file)");
		CHECK(!strcmp(got->path, cases[i].kept), "\"%s\" kept as \"%s\"", cases[i].path,
		      got->path);
		CHECK(!perf_image_cookie(t, got) == got->anonymous, "\"%s\": cookie",
		      cases[i].path);
	}
	perf_cookies_free(t);
}

TEST(one_cookie_for_one_build)
{
	struct perf_cookies *t = perf_cookies_new();
	struct perf_image_key key = {.path = "/bin/x", .inode = 1, .generation = 1};
	struct perf_image *a = perf_image_get(t, &key), *b = perf_image_get(t, &key), *c, *d;

	CHECK(a == b, "the same file twice");
	key.generation = 2;
	c = perf_image_get(t, &key);
	CHECK(c != a, "another generation of the inode");
	key.minor = 1;
	CHECK(perf_image_get(t, &key) != c, "an inode of the same number on another device");
	key.minor = 0;
	key.build_id.len = 20;
	d = perf_image_get(t, &key);
	key.inode = 99; /* with a build-id nothing else matters */
	CHECK(d != c && perf_image_get(t, &key) == d, "known by build-id");
	CHECK(perf_image_cookie(t, a) == 1 && perf_image_cookie(t, c) == 2 &&
		      perf_image_cookie(t, a) == 1,
	      "numbered as asked for");
	CHECK(perf_cookies_find(t, 2) == c && !perf_cookies_find(t, 0) &&
		      !perf_cookies_find(t, 3) && !perf_cookies_find(t, OP_INVALID_COOKIE),
	      "found");
	perf_cookies_free(t);
}

/* Each name of an inode is an image of its own, with the name through which it was mapped. */
TEST(names_of_one_inode)
{
	static const char *const names[] = { "/bin/a", "/bin/b", "/mnt/bin/a" };
	struct perf_cookies *t = perf_cookies_new();

	for (int with_build_id = 0; with_build_id < 2; with_build_id++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			struct perf_image_key key = { .path = names[i], .major = 8, .inode = 5,
						      .build_id.len = 20 * with_build_id };
			struct perf_image *got = perf_image_get(t, &key);

			CHECK(perf_image_cookie(t, got) == i + 1 + 3 * with_build_id, "another");
			CHECK(!strcmp(got->path, names[i]), "%s: %s", names[i], got->path);
		}
	perf_cookies_free(t);
}

struct ends {
	struct perf_cookies *cookies;
	unsigned int nr;
};

static void count_end(void *context, op_word cookie)
{
	struct ends *ends = context;

	CHECK(perf_cookies_find(ends->cookies, cookie), "it is known until then");
	ends->nr++;
}

TEST(a_million_binaries)
{
	enum { NR = 1000000, PER_DRAIN = 500, MOST = PERF_COOKIES_IDLE_MAX + PER_DRAIN + 1 };
	struct perf_cookies *t = perf_cookies_new();
	struct perf_image *mapped = image(t, "/bin/long", 1);
	op_word cookie, last[MOST + 1] = { 0 }, first = 0, long_one = perf_image_cookie(t, mapped);
	struct ends ends = { .cookies = t };
	unsigned int bad = 0;

	for (int i = 1; i <= NR; i++) {
		struct perf_image *a = image(t, "/tmp/x", i + 1);
		struct perf_image *often = image(t, "/bin/often", 1);

		cookie = perf_image_cookie(t, a);
		first = first ?: cookie;
		/* a slot's numbers rise, so none is ever repeated */
		bad += (uint32_t)cookie > MOST || cookie <= last[(uint32_t)cookie % (MOST + 1)];
		last[(uint32_t)cookie % (MOST + 1)] = cookie;
		bad += perf_cookies_find(t, cookie) != a;
		if (i == 1)
			perf_image_cookie(t, often);
		perf_image_put(t, often);
		perf_image_put(t, a);
		if (i % PER_DRAIN == 0)
			perf_cookies_recycle(t, count_end, &ends);
		bad += perf_cookies_count(t) > MOST;
	}
	CHECK(!bad, "%u cookies lost, repeated or too many", bad);
	CHECK(ends.nr > NR - MOST, "%u ended", ends.nr);
	CHECK(!perf_cookies_find(t, first), "the first one is unknown now");
	CHECK(perf_cookies_find(t, long_one) == mapped, "what is mapped stays");
	CHECK(image(t, "/bin/often", 1)->cookie, "and what runs again and again");
	perf_cookies_free(t);
}

TEST(only_sampled_images_stay)
{
	struct perf_cookies *t = perf_cookies_new();
	char path[32];

	for (int i = 0; i < 10000; i++) {
		struct perf_image *a;

		snprintf(path, sizeof(path), "/tmp/%d", i);
		a = image(t, path, 1);
		if (i % 100 == 0)
			perf_image_cookie(t, a);
		perf_image_put(t, a);
	}
	CHECK(perf_cookies_count(t) == 100, "%zu stay", perf_cookies_count(t));
	CHECK(!strcmp(perf_cookies_find(t, 100)->path, "/tmp/9900"), "the last");
	perf_cookies_free(t);
}

/* Every overlap of one mapping with another, then random ones, checked byte by byte. */
#define SPACE 64

struct model {
	int image[SPACE]; /* -1: none */
	uint64_t offset[SPACE];
};

static void model_add(struct model *m, uint64_t start, uint64_t end, uint64_t offset, int image)
{
	for (uint64_t at = start; at < end; at++) {
		m->image[at] = image;
		m->offset[at] = offset + at - start;
	}
}

static bool same(const struct perf_maps *maps, const struct model *m, struct perf_image **images)
{
	for (uint64_t at = 0; at < SPACE; at++) {
		const struct perf_mapping *found = perf_maps_find(maps, at);

		if (!found != (m->image[at] < 0))
			return false;
		if (found && (found->image != images[m->image[at]] ||
			      found->offset + at - found->start != m->offset[at]))
			return false;
	}
	for (size_t i = 1; maps && i < maps->nr; i++)
		if (maps->mappings[i - 1].end > maps->mappings[i].start)
			return false;
	return true;
}

TEST(mappings_replace_what_they_overlap)
{
	struct perf_cookies *t = perf_cookies_new();
	struct perf_image *images[3] = {image(t, "/a", 1), image(t, "/b", 2), image(t, "/c", 3)};
	unsigned int seed = 7;

	for (int round = 0; round < 2000; round++) {
		struct perf_maps *maps = NULL, *shared = NULL;
		struct model m, before;

		memset(m.image, -1, sizeof(m.image));
		before = m;
		for (int step = 0; step < 12; step++) {
			uint64_t start = (uint64_t)rand_r(&seed) % (SPACE - 1);
			uint64_t end = start + 1 + (uint64_t)rand_r(&seed) % (SPACE - start - 1);
			uint64_t offset = (uint64_t)rand_r(&seed);
			int which = rand_r(&seed) % 3;

			perf_maps_add(t, &maps, &(struct perf_mapping){start, end, offset, 0,
									images[which]});
			model_add(&m, start, end, offset, which);
			CHECK(same(maps, &m, images), "round %d step %d", round, step);
			if (step == 5) { /* a fork: what it sees must not change */
				shared = perf_maps_share(maps);
				before = m;
			}
		}
		CHECK(same(shared, &before, images), "round %d: the other process", round);
		perf_maps_put(t, maps);
		perf_maps_put(t, shared);
	}
	for (int i = 0; i < 3; i++) {
		CHECK(images[i]->refs == 1, "image %d has %u references", i, images[i]->refs);
		perf_image_put(t, images[i]);
	}
	CHECK(perf_cookies_count(t) == 0, "images left");
	perf_cookies_free(t);
}

TEST_MAIN()
