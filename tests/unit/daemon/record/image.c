// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c - which build of a path samples are counted for */
#include "tests/tap.h"

#include "daemon/record/image.h"
#include "tests/unit/tmpdir.h"

static struct images *images;

static struct image *file(const char *path, const char *build_id)
{
	return image_get(images, IMAGE_FILE, path, build_id);
}

static void begin_session(void)
{
	images = images_new(NULL);
	images_set_session(images, tmpdir);
}

static void sample(struct image *image)
{
	(void)image_is_first(images, image);
	image_mark_sampled(images, image);
}

TEST(an_unknown_build_becomes_a_known_one)
{
	struct image *unknown;

	tmpdir_make();
	begin_session();
	unknown = file("/bin/x", "");
	CHECK(file("/bin/x", "aa") == unknown && !strcmp(unknown->build_id, "aa"), "the same");
	CHECK(image_is_first(images, unknown), "the first");
	CHECK(file("/bin/x", "bb") != unknown, "another build");
	images_free(images);
}

/* Any of several builds may have been what could not be read. */
TEST(an_unknown_build_among_others_is_none_of_them)
{
	struct image *known;

	tmpdir_make();
	begin_session();
	known = file("/bin/x", "aa");
	CHECK(!file("/bin/x", ""), "taken for the build that is known");
	CHECK(file("/bin/y", ""), "another path");
	CHECK(image_get(images, IMAGE_KERNEL, "/bin/x", ""), "another kind");
	sample(known);
	images_free(images);

	begin_session();
	CHECK(!file("/bin/x", ""), "taken for the build of the last daemon");
	images_free(images);
}

/* Samples of an unknown build are not those of a build that is seen later. */
TEST(an_unknown_build_with_samples_stays_unknown)
{
	struct image *unknown, *known;

	tmpdir_make();
	begin_session();
	unknown = file("/bin/x", "");
	sample(unknown);
	known = file("/bin/x", "aa");
	CHECK(known != unknown && !*unknown->build_id, "became the known one");
	CHECK(image_is_first(images, unknown) && !image_is_first(images, known), "mixed with it");
	CHECK(image_first(images, known) == unknown, "the first");
	CHECK(file("/bin/x", "") == unknown, "found again");
	images_free(images);
}

static struct image *numbered(unsigned int i, const char *build_id)
{
	char path[32];

	snprintf(path, sizeof(path), "/tmp/program-%u", i);
	return file(path, build_id);
}

/* A path's first build stays the first when its image was freed, and one not known stays that. */
TEST(what_was_first_outlives_its_image)
{
	struct image *other;
	const unsigned int nr = 20000;

	tmpdir_make();
	begin_session();
	for (unsigned int i = 0; i < nr; i++) {
		sample(numbered(i, i % 2 ? "aa" : ""));
		if (images_are_many(images))
			images_sweep(images);
	}
	images_sweep(images);
	for (unsigned int i = 0; i < nr; i++) {
		other = numbered(i, "bb");
		CHECK(!image_is_first(images, other), "%u: another build is the first", i);
		CHECK(!strcmp(image_first(images, other)->build_id, i % 2 ? "aa" : ""),
		      "%u: the first", i);
		other = numbered(i, "");
		CHECK(i % 2 ? !other : image_is_first(images, other), "%u: not known", i);
		if (other)
			CHECK(image_has_samples(other), "%u: may become another build", i);
	}
	images_free(images);

	begin_session();	/* as the next daemon reads it */
	CHECK(image_is_first(images, numbered(1, "aa")), "the first");
	CHECK(!image_is_first(images, numbered(1, "bb")), "another");
	images_free(images);
}

TEST(only_what_is_not_in_use_is_freed)
{
	struct image *head, *later;

	tmpdir_make();
	begin_session();
	head = file("/bin/x", "aa");
	later = file("/bin/x", "bb");
	file("/bin/x", "cc");
	image_keep(later);
	image_keep(NULL);
	images_sweep(images);
	CHECK(file("/bin/x", "aa") == head && file("/bin/x", "bb") == later, "in use");
	CHECK(later->head == head, "the path's first struct");
	images_free(images);
}

TEST_MAIN()
