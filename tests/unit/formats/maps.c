// SPDX-License-Identifier: GPL-2.0-or-later
/* maps.c - the text after a CPU profile: mappings, $build, build IDs [GC-9..13] */
#include "tests/unit/formats/cpuprofile_bytes.h"

/* The path of the image at 0x1000, in a profile with this @text. */
static const char *path_with(const char *text, struct profile **ret)
{
	MADE m = make_bytes(LE64);
	uint32_t image;

	WORDS(&m, HEADER, 1, 1, 0x1000, TRAILER);
	strbuf_add(&m.bytes, text);
	*ret = read_made(&m, "strict");
	image = (*ret)->places[(*ret)->tree.nodes[(*ret)->samples[0].node].key].image;
	return image == PROFILE_NONE ? "none" : profile_text(*ret, (*ret)->images[image].path);
}

TEST(paths)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{ "1000-2000 r-xp 0 08:01 1 /a\n", "/a" },
		{ "1000-2000 r-xp 00000000 08:01 12845071                  /a b  c.so\n",
		  "/a b  c.so" },
		{ "1000-2000 r-xp 0 08:01 1 /a (deleted)\n", "/a" },
		{ "1000-2000 r-xp 0 08:01 1 /a\r\n", "/a" },
		{ "1000-2000 r-xp 0 08:01 1 /a", "/a" },
		{ "1000-2000 rw-p 0 08:01 1 /a\n", "/a" },
		{ "1000-2000 r-xp 0 08:01 1\n", "" },
		{ "1000-2000 r-xp 0 08:01 1           \n", "" },
		{ "1000-2000 r-xp 0 08:01 1 /a\\012b\n", "/a\nb" },
		{ " 1000-2000 r-xp 0 08:01 1 /a\n", "none" },
		{ "1000-2000 r-xp 0 08:01 x /a\n", "none" },
		{ "1000-2000 r-xq 0 08:01 1 /a\n", "none" },
		{ "11112222333344445-2000 r-xp 0 08:01 1 /a\n", "none" },
		{ "no mapping\n1000-2000 r-xp 0 08:01 1 /a\n", "/a" },
		{ "1000-2000: /lib/a.so\n", "/lib/a.so" },
		{ "  1000-2000: /lib/a.so (@20)\n", "/lib/a.so" },
		{ "1000-2000: r-xp /lib/a b.so (@20) abcdef12\n", "/lib/a b.so" },
		{ "1000-2000: abcdef12\n", "abcdef12" },
		{ "800-3000 r-xp 0 08:01 1 /old\n1000-2000 r-xp 0 08:01 1 /new\n", "/new" },
		/* the last build= before the line counts, and only for the whole word */
		{ "build=/b\n1000-2000 r-xp 0 08:01 1 $build\n", "/b" },
		{ "  build=/my dir/b\n1000-2000 r-xp 0 08:01 1 $build/x\n", "/my dir/b/x" },
		{ "build=/b\nbuild=/c\n1000-2000 r-xp 0 08:01 1 $build\n", "/c" },
		{ "build=/b\n1000-2000 r-xp 0 08:01 1 $build\nbuild=/c\n", "/b" },
		{ "1000-2000 r-xp 0 08:01 1 $build-x\nbuild=/b\n", "$build-x" },
		{ "1000-2000 r-xp 0 08:01 1 $build\n", "$build" },
		{ "build=/b\n1000-2000 r-xp 0 08:01 1 $builder\n", "$builder" },
		{ "build=/b\n1000-2000 r-xp 0 08:01 1 $build_x$build.y$build1\n",
		  "$build_x/b.y$build1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p;
		const char *path = path_with(cases[i].text, &p);

		CHECK(!strcmp(path, cases[i].path), "expected '%s', got '%s': %s", cases[i].path,
		      path, cases[i].text);
		profile_free(p);
	}
}

TEST(brief_lines_have_build_ids)
{
	struct profile *p;
	const struct profile_image *image;

	path_with("1000-2000 r-xp 20 08:01 1 /lib/a.so\n1000-2000: /lib/a.so (@20) ABCDEF12\n", &p);
	CHECK(p->nr_images == 1, "both lines describe one image: %u", p->nr_images);
	image = &p->images[0];
	CHECK(!strcmp(profile_text(p, image->build_id), "abcdef12"), "%s",
	      profile_text(p, image->build_id));
	CHECK(image->offset == 0x20 && image->limit == 0x2000, "offset");
	profile_free(p);
}

TEST(ignored_lines_are_warned_of)
{
	MADE m = make_usual(LE64);
	MADE other = make_usual(LE64);
	struct profile *p;

	for (int i = 0; i < 70000; i++)
		strbuf_add_char(&m.bytes, 'x');
	strbuf_add(&m.bytes, "\n80000000-80001000 r-xp 0 08:01 1 /lib/late.so\n");
	p = read_made(&m, "");
	CHECK(strstr(warned.text, "text line 4: ignored: 70000 bytes are too long"), "%s",
	      warned.text);
	CHECK(profile_image_at(p, 0x80000000) != PROFILE_NONE, "the lines after it count");
	profile_free(p);
	check_refused(&m, "strict", "text line 4");
	strbuf_add(&other.bytes, "2000-1000 r-xp 0 08:01 1 /a\n");
	check_refused(&other, "strict", "text line 4: ignored: the mapping ends before it begins");
}

TEST(replacing_build_has_a_limit)
{
	MADE m = make_bytes(LE64);
	struct profile *p;
	size_t sum = 0;

	WORDS(&m, HEADER, TRAILER);
	strbuf_add(&m.bytes, "build=");
	for (int i = 0; i < 60000; i++)
		strbuf_add_char(&m.bytes, 'b');
	for (int i = 0; i < 4000; i++)
		strbuf_addf(&m.bytes, "\n%x-%x: %d$build", i * 16, i * 16 + 16, i);
	p = read_made(&m, "");
	for (uint32_t i = 0; i < p->nr_strings; i++)
		sum += strlen(p->strings[i]);
	CHECK(sum < 8 << 20, "%zu bytes of text of %zu", sum, m.bytes.len);
	CHECK(p->nr_images == 4000, "%u", p->nr_images);
	profile_free(p);
}

TEST(images_without_code_are_added_on_lookup)
{
	MADE m = make_usual(LE64);
	MADE empty = make_bytes(LE64);
	struct profile *p = read_made(&m, "");

	CHECK(p->nr_images == 3, "prog, libx and prog's data: %u", p->nr_images);
	profile_free(p);
	WORDS(&empty, HEADER, TRAILER);
	strbuf_add(&empty.bytes, MAPS);
	p = read_made(&empty, "");
	CHECK(p->nr_images == 2, "%u", p->nr_images);
	profile_free(p);
}

TEST_MAIN()
