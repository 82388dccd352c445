// SPDX-License-Identifier: GPL-2.0-or-later
/* name.c - parse and format names: a table and random ones */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include "libdb/session/name.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define TAIL "/E.0.0.all.all.all"

static const struct {
	const char *path;
	struct sample_name want;
} good[] = {
	{ "{root}/bin/bash/{dep}/{root}/lib/libc.so/CPU_CLK_UNHALTED.100000.0.all.all.all",
	  { .app = { IMAGE_FILE, "/bin/bash", 0, 0, 0 },
	    .image = { IMAGE_FILE, "/lib/libc.so", 0, 0, 0 },
	    .event = "CPU_CLK_UNHALTED", .count = 100000, .tgid = -1, .tid = -1, .cpu = -1 } },
	{ "{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/TIMER.0.0.all.all.3",
	  { .app = { IMAGE_KERNEL, "no-vmlinux", 0, 0, 0 },
	    .image = { IMAGE_KERNEL, "no-vmlinux", 0, 0, 0 },
	    .event = "TIMER", .tgid = -1, .tid = -1, .cpu = 3 } },
	{ "{root}/a/{dep}/{kern}/ext4/LLC_MISSES.6000.65.12.13.0",
	  { .app = { IMAGE_FILE, "/a", 0, 0, 0 }, .image = { IMAGE_KERNEL, "ext4", 0, 0, 0 },
	    .event = "LLC_MISSES", .count = 6000, .unit_mask = 65, .tgid = 12, .tid = 13 } },
	{ "{root}/a/{dep}/{anon:[heap]}/1234.0x7f00.0x7f80" TAIL,
	  { .app = { IMAGE_FILE, "/a", 0, 0, 0 },
	    .image = { IMAGE_ANON, "[heap]", 1234, 0x7f00, 0x7f80 },
	    .event = "E", .tgid = -1, .tid = -1, .cpu = -1 } },
	{ "{root}/a/{dep}/{anon:anon}/5.0x0.0x0" TAIL,
	  { .app = { IMAGE_FILE, "/a", 0, 0, 0 }, .image = { IMAGE_ANON, "anon", 5, 0, 0 },
	    .event = "E", .tgid = -1, .tid = -1, .cpu = -1 } },
	{ "{root}/a/{dep}/{anon:anon}/9727.jo" TAIL,
	  { .app = { IMAGE_FILE, "/a", 0, 0, 0 }, .image = { IMAGE_JIT, "anon", 9727, 0, 0 },
	    .event = "E", .tgid = -1, .tid = -1, .cpu = -1 } },
	{ "{root}/a/{dep}/{root}/a/{cg}/{root}/lib/libm.so" TAIL,
	  { .app = { IMAGE_FILE, "/a", 0, 0, 0 }, .image = { IMAGE_FILE, "/a", 0, 0, 0 },
	    .has_callee = true, .callee = { IMAGE_FILE, "/lib/libm.so", 0, 0, 0 },
	    .event = "E", .tgid = -1, .tid = -1, .cpu = -1 } },
	{ "{root}/a/{dep}/{anon:[vdso]}/1.0x1.0x2/{cg}/"
	  "{anon:[stack]}/4294967295.0x3.0xffffffffffffffff" TAIL,
	  { .app = { IMAGE_FILE, "/a", 0, 0, 0 }, .image = { IMAGE_ANON, "[vdso]", 1, 1, 2 },
	    .has_callee = true,
	    .callee = { IMAGE_ANON, "[stack]", UINT32_MAX, 3, UINT64_MAX },
	    .event = "E", .tgid = -1, .tid = -1, .cpu = -1 } },
	{ "{root}/with blank/{x}/a{dep}/...{dep}/..a/{dep}/{root}/\xff\n/{anon" TAIL,
	  { .app = { IMAGE_FILE, "/with blank/{x}/a{dep}/...{dep}/..a", 0, 0, 0 },
	    .image = { IMAGE_FILE, "/\xff\n/{anon", 0, 0, 0 },
	    .event = "E", .tgid = -1, .tid = -1, .cpu = -1 } },
	{ "{root}/a/{dep}/{anon:}}}/1.0x1.0x2/"
	  "perf::cycles:u {dep}.18446744073709551615.18446744073709551615.9223372036854775807.0.0",
	  { .app = { IMAGE_FILE, "/a", 0, 0, 0 }, .image = { IMAGE_ANON, "}}", 1, 1, 2 },
	    .event = "perf::cycles:u {dep}", .count = UINT64_MAX, .unit_mask = UINT64_MAX,
	    .tgid = INT64_MAX } },
};

static bool same_image(const struct image_name *a, const struct image_name *b)
{
	return a->kind == b->kind && !strcmp(a->path, b->path) && a->anon_tgid == b->anon_tgid &&
	       a->anon_start == b->anon_start && a->anon_end == b->anon_end;
}

static bool same_name(const struct sample_name *a, const struct sample_name *b)
{
	return same_image(&a->app, &b->app) && same_image(&a->image, &b->image) &&
	       a->has_callee == b->has_callee &&
	       (!a->has_callee || same_image(&a->callee, &b->callee)) &&
	       !strcmp(a->event, b->event) && a->count == b->count &&
	       a->unit_mask == b->unit_mask && a->tgid == b->tgid && a->tid == b->tid &&
	       a->cpu == b->cpu;
}

TEST(both_ways)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct strbuf out = STRBUF_INIT;
		struct op_error e = { "" };
		struct sample_name got;
		int err = sample_name_parse(good[i].path, &got, &e);

		CHECK(!err, "%s: %s", good[i].path, e.text);
		if (err)
			continue;
		CHECK(same_name(&got, &good[i].want), "%s: fields differ", good[i].path);
		CHECK(!sample_name_format(&good[i].want, &out) && !strcmp(out.text, good[i].path),
		      "%s: formatted %s", good[i].path, out.text);
		strbuf_free(&out);
		sample_name_free(&got);
	}
}

/* "invalid sample file name 'PATH': why" */
static bool says_why(const char *text, const char *path)
{
	char start[512];
	int n = snprintf(start, sizeof(start), "invalid sample file name '%s': ", path);

	return !strncmp(text, start, (size_t)n) && text[n];
}

TEST(refused_paths)
{
	static const char *const bad[] = {
		"", "/", "a", "{root}", "{root}/", "{dep}", TAIL,
		"/{root}/a/{dep}/{root}/a" TAIL,		/* not relative to the session */
		"{root}/a" TAIL,				/* no {dep} */
		"{root}/a/{root}/a" TAIL,
		"{root}/{dep}/{root}/a" TAIL,
		"{root}/a/{dep}" TAIL,
		"{root}/a/{dep}/" TAIL,
		"{root}/a/{dep}/a" TAIL,
		"{root}/a/{dep}/{root}/a",
		"{root}/a/{dep}/{root}/a/",
		"{root}/a//b/{dep}/{root}/a" TAIL,
		"{root}/a/./b/{dep}/{root}/a" TAIL,
		"{root}/a/../b/{dep}/{root}/a" TAIL,
		"{root}//a/{dep}/{root}/a" TAIL,
		"{root}/a/{dep}/{root}/a/{dep}/{root}/a" TAIL,
		/* a session directory profiled into itself */
		"{root}/var/lib/oprofile/samples/current/{root}/a/{dep}/{root}/a" TAIL,
		"{root}/a/{dep}/{root}/v/samples/current/{kern}/no-vmlinux" TAIL,
		"{root}/a/{dep}/{root}/a/{anon:x}" TAIL,
		"{root}/a/{dep}/{kern}" TAIL,
		"{root}/a/{dep}/{kern}/" TAIL,
		"{root}/a/{dep}/{kern}/a/b" TAIL,
		"{root}/a/{dep}/{kern}/{dep}" TAIL,
		"{root}/a/{dep}/{kern}/.." TAIL,
		"{anon:x}/1.0x1.0x2/{dep}/{root}/a" TAIL,
		"{root}/a/{dep}/{anon:}/1.0x1.0x2" TAIL,
		"{root}/a/{dep}/{anon:x/1.0x1.0x2" TAIL,
		"{root}/a/{dep}/{anon:x}" TAIL,
		"{root}/a/{dep}/{anon:x}/1.0x1" TAIL,
		"{root}/a/{dep}/{anon:x}/1.0x1.0x2.0x3" TAIL,
		"{root}/a/{dep}/{anon:x}/1.1.2" TAIL,
		"{root}/a/{dep}/{anon:x}/01.0x1.0x2" TAIL,
		"{root}/a/{dep}/{anon:x}/1.0x01.0x2" TAIL,
		"{root}/a/{dep}/{anon:x}/1.0xA.0x2" TAIL,
		"{root}/a/{dep}/{anon:x}/1.0x.0x2" TAIL,
		"{root}/a/{dep}/{anon:x}/-1.0x1.0x2" TAIL,
		"{root}/a/{dep}/{anon:x}/4294967296.0x1.0x2" TAIL,
		"{root}/a/{dep}/{anon:x}/1.0x1.0x10000000000000000" TAIL,
		"{root}/a/{dep}/{anon:x}/1.job" TAIL,
		"{root}/a/{dep}/{root}/a/{cg}" TAIL,
		"{root}/a/{dep}/{root}/a/{cg}/b" TAIL,
		"{root}/a/{dep}/{root}/a/{cg}/{root}/b/{cg}/{root}/c" TAIL,
		"{root}/a/{dep}/{root}/a/E",
		"{root}/a/{dep}/{root}/a/E.0.0.all.all",
		"{root}/a/{dep}/{root}/a/E.0.0.all.all.all.all",
		"{root}/a/{dep}/{root}/a/.0.0.all.all.all",
		"{root}/a/{dep}/{root}/a/E..0.all.all.all",
		"{root}/a/{dep}/{root}/a/E.0.0x41.all.all.all",
		"{root}/a/{dep}/{root}/a/E.00.0.all.all.all",
		"{root}/a/{dep}/{root}/a/E.0.0.-1.all.all",
		"{root}/a/{dep}/{root}/a/E.0.0.All.all.all",
		"{root}/a/{dep}/{root}/a/E.0.0.all.all.",
		"{root}/a/{dep}/{root}/a/E.0.0.all.all.allx",
		"{root}/a/{dep}/{root}/a/E.0.0.all.all.9223372036854775808",
		"{root}/a/{dep}/{root}/a/E.18446744073709551616.0.all.all.all",
		"{root}/a/{dep}/{root}/a/E.x.0.0.all.all.all",
		"{root}/a/{dep}/{root}/a/CPU_CLK_UNHALTED#0",
		"stats/session",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct sample_name got = { .count = 77 };
		struct op_error e = { "" };
		int err = sample_name_parse(bad[i], &got, &e);

		CHECK(err == -EINVAL && says_why(e.text, bad[i]) && got.count == 77, "%s: %d '%s'",
		      bad[i], err, e.text);
		if (!err)
			sample_name_free(&got);
	}
}

TEST(refused_fields)
{
	static const struct sample_name fine = {
		.app = { IMAGE_FILE, "/a", 0, 0, 0 }, .image = { IMAGE_KERNEL, "k", 0, 0, 0 },
		.event = "E", .tgid = -1, .tid = -1, .cpu = -1,
	};
	static const char *const paths[] = {
		"", "a", "a/b", "/", "/a/", "//a", "/a//b", "/a/.", "/../a", "/a/{dep}/b", "/{cg}",
		"/x/{root}", "/{kern}/x", "/{anon:x}/y", "/{anon:",
	};
	static const char *const names[] = { "", "a/b", ".", "..", "{dep}", "{root}", "{anon:x}" };
	static const char *const events[] = { "", "a.b", "a/b", "." };
	struct strbuf out = STRBUF_INIT;
	struct sample_name n;

	CHECK(!sample_name_format(&fine, &out), "fine");
	strbuf_reset(&out);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		n = fine;
		n.app.path = paths[i];
		CHECK(sample_name_format(&n, &out) == -EINVAL, "path '%s'", paths[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		n = fine;
		n.image.path = names[i];
		CHECK(sample_name_format(&n, &out) == -EINVAL, "name '%s'", names[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		n = fine;
		n.event = events[i];
		CHECK(sample_name_format(&n, &out) == -EINVAL, "event '%s'", events[i]);
	}
	n = fine;
	n.tid = -2;
	CHECK(sample_name_format(&n, &out) == -EINVAL, "tid");
	n = fine;
	n.app.kind = IMAGE_ANON;
	CHECK(sample_name_format(&n, &out) == -EINVAL, "an anonymous application");
	n = fine;
	n.has_callee = true;
	CHECK(sample_name_format(&n, &out) == -EINVAL, "a callee without a name");
	CHECK(out.len == 0, "nothing was appended");
	strbuf_free(&out);
}

/* --- random names --- */

static const char *const pieces[] = {
	"a", "{", "}", "{dep}", "{root}", "{cg}", "{kern}", "{anon:", "]", "[", "/", "/", "/", ".",
	"..", " ", "\n", "0", "0x", "12", "all", "-", "\xc3\xa4", "bin", ".jo", "E.0.0.all.all.all",
};

static void random_text(char *buf, size_t size, bool slashes)
{
	size_t n = test_random() % 8;

	*buf = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *piece = pieces[test_random() % ARRAY_SIZE(pieces)];

		if ((slashes || !strchr(piece, '/')) && strlen(buf) + strlen(piece) + 1 < size)
			strcat(buf, piece);
	}
}

static void random_image(struct image_name *image, char *buf, size_t size)
{
	memset(image, 0, sizeof(*image));
	image->kind = (enum image_kind)(test_random() % 4);
	buf[0] = '/';
	random_text(buf + 1, size - 1, image->kind == IMAGE_FILE);
	image->path = image->kind == IMAGE_FILE ? buf : buf + 1;
	if (image->kind >= IMAGE_ANON)
		image->anon_tgid = (uint32_t)test_random();
	if (image->kind == IMAGE_ANON) {
		image->anon_start = test_random() >> test_random() % 64;
		image->anon_end = test_random() >> test_random() % 64;
	}
}

TEST(random_fields)
{
	struct strbuf out = STRBUF_INIT;
	int formatted = 0;

	for (int i = 0; i < 200000; i++) {
		char app[64], image[64], callee[64], event[64];
		struct sample_name n, got;
		struct op_error e = { "" };
		int err;

		memset(&n, 0, sizeof(n));
		random_image(&n.app, app, sizeof(app));
		random_image(&n.image, image, sizeof(image));
		random_image(&n.callee, callee, sizeof(callee));
		n.has_callee = test_random() % 2;
		random_text(event, sizeof(event), false);
		n.event = event;
		n.count = test_random() >> test_random() % 64;
		n.unit_mask = test_random() >> test_random() % 64;
		n.tgid = test_random() % 2 ? -1 : (int64_t)(test_random() >> 1);
		n.tid = test_random() % 2 ? -1 : (int64_t)(test_random() >> 40);
		n.cpu = test_random() % 2 ? -1 : (int64_t)(test_random() % 8);
		strbuf_reset(&out);
		if (sample_name_format(&n, &out))
			continue;
		formatted++;
		err = sample_name_parse(out.text, &got, &e);
		CHECK(!err, "%s: %s", out.text, e.text);
		if (err)
			break;
		CHECK(same_name(&n, &got), "%s: fields differ", out.text);
		sample_name_free(&got);
	}
	strbuf_free(&out);
	CHECK(formatted > 1000, "only %d names were valid", formatted);
}

TEST(random_paths)
{
	static const char *const starts[] = { "", "{root}/a/{dep}/",
					      "{kern}/k/{dep}/{anon:x}/1.0x1.0x2/{cg}/" };
	struct strbuf out = STRBUF_INIT;
	int parsed = 0;

	for (int i = 0; i < 300000; i++) {
		char path[400], more[200];
		struct sample_name got;

		strcpy(path, starts[test_random() % 3]);
		random_text(more, sizeof(more), true);
		strcat(path, more);
		random_text(more, sizeof(more), true);
		strcat(path, more);
		if (test_random() % 2)
			strcat(path, TAIL);
		if (sample_name_parse(path, &got, NULL))
			continue;
		parsed++;
		strbuf_reset(&out);
		CHECK(!sample_name_format(&got, &out) && !strcmp(out.text, path), "%s gave %s",
		      path, out.text);
		sample_name_free(&got);
	}
	strbuf_free(&out);
	CHECK(parsed > 300, "only %d paths were valid", parsed);
}

TEST_MAIN()
