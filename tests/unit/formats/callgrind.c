// SPDX-License-Identifier: GPL-2.0-or-later
/* callgrind.c - write costs of lines and calls for callgrind's tools [CK-1..6] [PF-8] */
#include "formats/all_formats.h"
#include "tests/unit/libdb/session/written_profile.h"

static uint32_t place(struct profile *p, uint32_t image, uint64_t address, const char *name,
		      uint32_t line)
{
	struct profile_function f = { .file = profile_string(p, "/src/a.c"), .start_line = 1 };
	struct profile_line l = { .line = line };

	if (!name)
		return profile_place(p, image, address, NULL, 0);
	f.name = f.system_name = profile_string(p, name);
	l.function = profile_function(p, &f);
	return profile_place(p, image, address, &l, 1);
}

static struct profile *new_profile(uint32_t *ret_image)
{
	struct profile *p = profile_new();
	struct profile_event event = { .name = profile_string(p, "CPU cycles") };
	struct profile_image image = { .path = profile_string(p, "/bin/prog") };

	profile_add_event(p, &event);
	event.name = profile_string(p, "misses");
	profile_add_event(p, &event);
	*ret_image = profile_add_image(p, &image);
	p->main_image = *ret_image;
	return p;
}

static void add(struct profile *p, const uint32_t *places, size_t nr, int64_t a, int64_t b)
{
	uint32_t node = nr ? profile_stack(p, places, nr) : PROFILE_NONE;
	int64_t *values = profile_add_sample(p, node, 0);

	values[0] = a;
	values[1] = b;
}

TEST(calls_and_lines)
{
	uint32_t image;
	struct profile *p = new_profile(&image);
	uint32_t main_5 = place(p, image, 0x10, "main", 5);
	uint32_t main_6 = place(p, image, 0x20, "main", 6);
	uint32_t work_9 = place(p, image, 0x30, "work", 9);
	uint32_t other = place(p, image, 0x40, NULL, 0);
	char *text;

	add(p, (uint32_t[]){ main_5 }, 1, 1, 0);
	add(p, (uint32_t[]){ work_9, main_6 }, 2, 10, 2);
	add(p, (uint32_t[]){ work_9, main_6 }, 2, 5, 1);
	add(p, (uint32_t[]){ other, work_9, main_6 }, 3, 100, 0);
	add(p, NULL, 0, 1000, 0);
	text = written_profile(&format_callgrind, p);
	CHECK(!strcmp(text, "# callgrind format\nversion: 1\ncreator: oprofile " OP_VERSION "\n"
		"cmd: /bin/prog\npositions: line\nevents: CPU_cycles misses\nsummary: 1116 3\n"
		"\nob=(1) /bin/prog\nfl=(5) /src/a.c\nfn=(1) main\n5 1 0\n"
		"cob=(1)\ncfi=(5)\ncfn=(2) work\ncalls=115 1\n6 115 3\n"
		"\nob=(1)\nfl=(5)\nfn=(2)\n9 15 3\n"
		"cob=(1)\ncfi=(1) ???\ncfn=(3) [prog]\ncalls=100 0\n9 100 0\n"
		"\nob=(1)\nfl=(1)\nfn=(3)\n0 100 0\n"
		"\nob=(2) ???\nfl=(1)\nfn=(4) [unknown]\n0 1000 0\n"
		"\ntotals: 1116 3\n"), "%s", text);
	free(text);
	profile_free(p);
}

TEST(recursion_counts_once)
{
	uint32_t image;
	struct profile *p = new_profile(&image);
	uint32_t f = place(p, image, 0x10, "f", 3), g = place(p, image, 0x20, "g", 4);
	char *text;

	add(p, (uint32_t[]){ g, f, f, f, g, f }, 6, 7, 0);
	add(p, (uint32_t[]){ f, f }, 2, 1, 0);
	text = written_profile(&format_callgrind, p);
	CHECK(strstr(text, "cfn=(1)\ncalls=8 1\n3 8 0\n"), "f called itself: %s", text);
	CHECK(strstr(text, "calls=7 1\n3 7 0\n"), "and g: %s", text);
	CHECK(strstr(text, "summary: 8 0\n"), "%s", text);
	free(text);
	profile_free(p);
}

TEST(inlined_functions_are_called)
{
	uint32_t image;
	struct profile *p = new_profile(&image);
	struct profile_function f = { .name = profile_string(p, "in"), .start_line = 30 };
	struct profile_line lines[2] = { { profile_function(p, &f), 31 } };
	uint32_t at;
	char *text;

	f.name = profile_string(p, "out\nfn=(1)");
	lines[1] = (struct profile_line){ profile_function(p, &f), 7 };
	at = profile_place(p, image, 0x10, lines, 2);
	add(p, &at, 1, 4, 4);
	text = written_profile(&format_callgrind, p);
	CHECK(strstr(text, "cfn=(1)\ncalls=4 30\n7 4 4\n"), "%s", text);
	CHECK(strstr(text, "fn=(2) out?fn=(1)\n"), "a line feed in a name: %s", text);
	free(text);
	profile_free(p);
}

TEST_MAIN()
