// SPDX-License-Identifier: GPL-2.0-or-later
/* speedscope.c - write stacks and weights for speedscope [SP-1..4] */
#include "formats/all_formats.h"
#include "tests/unit/libdb/session/written_profile.h"

static uint32_t place(struct profile *p, uint64_t address, const char *name, const char *inlined)
{
	struct profile_function f = { .file = profile_string(p, "a.c"), .start_line = 3 };
	struct profile_line lines[2] = { { .line = 5 }, { .line = 6 } };
	uint32_t nr = 0;

	f.name = profile_string(p, inlined ? inlined : name);
	lines[nr++].function = profile_function(p, &f);
	f.name = profile_string(p, name);
	if (inlined)
		lines[nr++].function = profile_function(p, &f);
	return profile_place(p, PROFILE_NONE, address, lines, nr);
}

static void add(struct profile *p, uint32_t node, int64_t a, int64_t b)
{
	int64_t *values = profile_add_sample(p, node, 0);

	values[0] = a;
	values[1] = b;
}

static struct profile *make(void)
{
	struct profile *p = profile_new();
	struct profile_event cycles = { profile_string(p, "CYCLES"), profile_string(p, "count"),
					1000, 0 };
	struct profile_event time = { profile_string(p, "cpu"), profile_string(p, "nanoseconds"),
				      10, 0 };
	uint32_t outer, inner;

	profile_add_event(p, &cycles);
	profile_add_event(p, &time);
	outer = profile_node(p, PROFILE_NONE, place(p, 1, "main", NULL));
	inner = profile_node(p, outer, place(p, 2, "f\"\xff", "in"));
	add(p, inner, 2, 0);
	add(p, outer, 1, 5);
	add(p, inner, 3, 0);
	add(p, PROFILE_NONE, 0, INT64_MAX);
	return p;
}

TEST(stacks_and_weights)
{
	struct profile *p = make();
	char *text = written_profile(&format_speedscope, p);

	CHECK(strstr(text, "{\"name\":\"f\\\"\\ufffd\",\"file\":\"a.c\",\"line\":3}"), "%s", text);
	CHECK(strstr(text, "\"name\":\"CYCLES\",\"unit\":\"none\",\"samples\":[\n"), "%s", text);
	CHECK(strstr(text, "[0],\n    [0,2,1]],\"weights\":[1,5],\"startValue\":0,\"endValue\":6}"),
	      "outermost first, what is inlined by itself: %s", text);
	CHECK(strstr(text, "\"unit\":\"nanoseconds\""), "%s", text);
	CHECK(strstr(text, "\"weights\":[50,9223372036854775807]"), "saturated: %s", text);
	free(text);
	profile_free(p);
}

TEST_MAIN()
