/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec.c - profile specifications: what parses, and what matches */
#include "tests/tap.h"

#include <errno.h>
#include "pp/select/spec.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *arg;
	int err;
	enum spec_tag tag;
	size_t nr;
	const char *first;
} args[] = {
	{ "session:monday", 0, SPEC_SESSION, 1, "monday" },
	{ "session:a,b,c", 0, SPEC_SESSION, 3, "a" },
	{ "session-exclude:a", 0, SPEC_SESSION_EXCLUDE, 1, "a" },
	{ "image:/a\\,b", 0, SPEC_IMAGE, 1, "/a,b" },
	{ "image:/a\\b", 0, SPEC_IMAGE, 1, "/a\\b" },
	{ "image:all", 0, SPEC_IMAGE, 1, "all" },
	{ "image-exclude:all", 0, SPEC_IMAGE_EXCLUDE, 1, "all" },
	{ "lib-image:*libc*", 0, SPEC_LIB_IMAGE, 1, "*libc*" },
	{ "lib-image-exclude:/x", 0, SPEC_LIB_IMAGE_EXCLUDE, 1, "/x" },
	{ "event:A:B", 0, SPEC_EVENT, 1, "A:B" },
	{ "count:100", 0, SPEC_COUNT, 1, "100" },
	{ "unit-mask:0x41", 0, SPEC_UNIT_MASK, 1, "0x41" },
	{ "unit-mask:0101", 0, SPEC_UNIT_MASK, 1, "0101" },
	{ "tgid:all", 0, SPEC_TGID, 0, NULL },
	{ "cpu:0,1", 0, SPEC_CPU, 2, "0" },
	{ "/bin/no/such/file", 0, SPEC_NAME, 1, "/bin/no/such/file" },
	{ "/with:colon", 0, SPEC_NAME, 1, "/with:colon" },
	{ "No:tag", 0, SPEC_NAME, 1, "No:tag" },
	{ "*.so", 0, SPEC_NAME, 1, "*.so" },
	{ "evnt:FOO", -EINVAL, 0, 0, NULL },
	{ "event:", -EINVAL, 0, 0, NULL },
	{ "event:A,,B", -EINVAL, 0, 0, NULL },
	{ "event:A,", -EINVAL, 0, 0, NULL },
	{ "cpu:x", -EINVAL, 0, 0, NULL },
	{ "cpu:-1", -EINVAL, 0, 0, NULL },
	{ "count:99999999999999999999", -EINVAL, 0, 0, NULL },
	{ "", -EINVAL, 0, 0, NULL },
	{ ":", -0, SPEC_NAME, 1, ":" },
	{ "archive:/no/such/folder", -ENOENT, 0, 0, NULL },
	{ "{", -EINVAL, 0, 0, NULL },
	{ "{}", -EINVAL, 0, 0, NULL },
};

TEST(parsing)
{
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		struct profile_spec spec;
		struct op_error e = { "" };
		const struct spec_list *list;
		int err = profile_spec_parse(&args[i].arg, 1, &spec, &e);

		CHECK(err == args[i].err, "'%s': want %d, got %d", args[i].arg, args[i].err, err);
		CHECK(!err == !*e.text, "'%s': error text '%s'", args[i].arg, e.text);
		if (err)
			continue;
		list = &spec.list[args[i].tag];
		CHECK(list->nr == args[i].nr, "'%s': %zu items", args[i].arg, list->nr);
		CHECK(list->all == (!args[i].first || !strcmp(args[i].arg, "image:all")),
		      "'%s': all", args[i].arg);
		if (list->nr && args[i].first)
			CHECK(!strcmp(list->items[0].text ? list->items[0].text : args[i].first,
				      args[i].first), "'%s': first is '%s'", args[i].arg,
			      list->items[0].text);
		profile_spec_free(&spec);
	}
}

TEST(untouched_on_failure)
{
	const char *const bad[] = { "event:A", "nonsense:1" };
	struct profile_spec spec, before;
	struct op_error e;

	memset(&spec, 0x5a, sizeof(spec));
	before = spec;
	CHECK(profile_spec_parse(bad, 2, &spec, &e) == -EINVAL, "refused");
	CHECK(!memcmp(&spec, &before, sizeof(spec)), "untouched");
}

/* The sample file of every case: libc's samples in bash. */
static const struct spec_image bash = { "/bin/bash", "bash", NULL };
static const struct spec_image libc = { "/lib/libc.so.6", "libc.so.6", NULL };
static const struct spec_image ext4 = { "/ext4", "ext4", "/lib/modules/6.1/ext4.ko" };

static const struct {
	const char *args[3];
	bool want;
} matches[] = {
	{ { NULL }, true },
	{ { "image:/bin/bash" }, true },
	{ { "image:bash" }, true },
	{ { "image:/bin/*" }, true },
	{ { "image:b*" }, false },		/* globs match full names only */
	{ { "image:/lib/libc.so.6" }, false },
	{ { "lib-image:/lib/libc.so.6" }, true },
	{ { "lib-image:bash" }, false },
	{ { "image:bash", "lib-image:libc.so.6" }, true },
	{ { "image:dash", "lib-image:libc.so.6" }, false },
	{ { "image:dash,bash" }, true },
	{ { "image:all", "lib-image:libc.so.6" }, true },
	{ { "/bin/bash" }, true },
	{ { "/lib/*" }, true },
	{ { "libc.so.6" }, true },
	{ { "nothing" }, false },
	{ { "nothing", "image:bash" }, true },
	{ { "bash", "image-exclude:libc.so.6" }, false },
	{ { "image-exclude:bash" }, false },
	{ { "image-exclude:*libc*" }, false },
	{ { "lib-image-exclude:libc.so.6" }, false },
	{ { "lib-image-exclude:bash" }, true },
	{ { "event:CYCLES" }, true },
	{ { "event:CYC*" }, true },
	{ { "event:cycles" }, false },
	{ { "event:all" }, true },
	{ { "count:100" }, true },
	{ { "count:0x64" }, true },
	{ { "count:200,100" }, true },
	{ { "count:200" }, false },
	{ { "unit-mask:65" }, true },
	{ { "unit-mask:0x41" }, true },
	{ { "tgid:12" }, true },
	{ { "tgid:13" }, false },
	{ { "tid:12" }, false },		/* the file says "all" */
	{ { "tid:all" }, true },
	{ { "cpu:0" }, false },
};

TEST(matching)
{
	struct sample_name name = {
		.event = "CYCLES", .count = 100, .unit_mask = 0x41, .tgid = 12,
		.tid = SAMPLE_ALL, .cpu = SAMPLE_ALL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
		struct profile_spec spec;
		struct op_error e;
		size_t nr = 0;

		while (nr < 3 && matches[i].args[nr])
			nr++;
		CHECK(!profile_spec_parse(matches[i].args, nr, &spec, &e), "%s", e.text);
		CHECK(profile_spec_matches(&spec, &name, "", &bash, &libc, NULL) == matches[i].want,
		      "%s %s: want %d", matches[i].args[0], nr > 1 ? matches[i].args[1] : "",
		      matches[i].want);
		profile_spec_free(&spec);
	}
}

TEST(modules_by_file)
{
	static const char *const ways[] = { "image:*ext4.ko", "ext4", "/ext4", "image:*/ext4" };
	struct sample_name name = { .event = "A", .tgid = -1, .tid = -1, .cpu = -1 };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct profile_spec spec;

		CHECK(!profile_spec_parse(&ways[i], 1, &spec, NULL), "%s", ways[i]);
		CHECK(profile_spec_matches(&spec, &name, "", &ext4, &ext4, NULL), "%s", ways[i]);
		profile_spec_free(&spec);
	}
}

TEST(control_groups)
{
	static const struct {
		const char *arg, *cgroup;
		bool want;
	} rows[] = {
		{ "cgroup:/a", "/a", true }, { "cgroup:/a", "/a/b", true },
		{ "cgroup:/a", "/ab", false }, { "cgroup:/", "/a", true },
		{ "cgroup:/*/b", "/a/b", true }, { "cgroup:/*/b", "/a/c", false },
		{ "cgroup:/x,/a", "/a", true }, { "cgroup:/a", "", false },
		{ "cgroup:all", "", true }, { "cgroup:all", "/a", true }, { "bash", "/a", true },
	};
	struct sample_name name = { .event = "A", .tgid = -1, .tid = -1, .cpu = -1 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct profile_spec spec;

		CHECK(!profile_spec_parse(&rows[i].arg, 1, &spec, NULL), "%s", rows[i].arg);
		CHECK(profile_spec_matches(&spec, &name, rows[i].cgroup, &bash, &bash, NULL) ==
		      rows[i].want, "%s of %s: want %d", rows[i].arg, rows[i].cgroup, rows[i].want);
		profile_spec_free(&spec);
	}
}

TEST(sessions)
{
	static const struct {
		const char *args[2], *name;
		bool want;
	} cases[] = {
		{{NULL}, "current", true},
		{{NULL}, "monday", false},
		{{"session:monday"}, "monday", true},
		{{"session:monday"}, "current", false},
		{{"session:mon*"}, "monday", true},
		{{"session:*", "session-exclude:cur*"}, "current", false},
		{{"session-exclude:current"}, "current", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile_spec spec;
		size_t nr = !cases[i].args[0] ? 0 : cases[i].args[1] ? 2 : 1;

		CHECK(!profile_spec_parse(cases[i].args, nr, &spec, NULL), "%zu", i);
		CHECK(profile_spec_wants_session(&spec, cases[i].name) == cases[i].want, "%zu", i);
		profile_spec_free(&spec);
	}
}

TEST_MAIN()
