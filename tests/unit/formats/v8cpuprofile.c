// SPDX-License-Identifier: GPL-2.0-or-later
/* v8cpuprofile.c - read what V8 writes, write what V8's readers take [V8-1..10] */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/all_formats.h"
#include "tests/tap.h"
#include "tests/unit/libdb/session/written_profile.h"

static struct profile *read_text(const char *text)
{
	struct format_read_options options = { .strict = true };
	struct profile *p = profile_new();
	struct op_error e = { "" };

	CHECK(format_v8cpuprofile.detect((const unsigned char *)text, strlen(text)), "%s", text);
	CHECK(!format_v8cpuprofile.read((const unsigned char *)text, strlen(text), &options, p, &e),
	      "%s", e.text);
	return p;
}

/* "b<a 2;": stacks, innermost first, with lines and values. */
static const char *stacks(const struct profile *p)
{
	static char text[1000];
	size_t n = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node;

		for (; node != PROFILE_NONE; node = p->tree.nodes[node].parent) {
			const struct profile_place *at = &p->places[p->tree.nodes[node].key];
			const struct profile_line *l = &p->lines[p->line_lists[at->lines].first];

			n += (size_t)sprintf(text + n, "%s", profile_text(p,
					     p->functions[l->function].name));
			if (l->line)
				n += (size_t)sprintf(text + n, ":%u", l->line);
			text[n++] = p->tree.nodes[node].parent == PROFILE_NONE ? ' ' : '<';
		}
		n += (size_t)sprintf(text + n, "%" PRId64 ";", profile_values(p, i)[0]);
	}
	text[n] = '\0';
	return text;
}

#define FRAME(name, url, line, column)                                                         \
	"\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"1\",\"url\":\"" url           \
	"\",\"lineNumber\":" line ",\"columnNumber\":" column "}"
#define ROOT(more) "{\"id\":1," FRAME("(root)", "", "-1", "-1") more "}"

/* As node --cpu-prof writes it: hits, and their lines. */
TEST(hits_and_lines)
{
	struct profile *p = read_text("{\"nodes\":["
		ROOT(",\"hitCount\":1,\"children\":[2,7]")
		",{\"id\":2," FRAME("", "file:///w/a.js", "3", "10")
		",\"hitCount\":0,\"children\":[3]}"
		",{\"id\":3," FRAME("f", "file:///w/a.js", "7", "2") ",\"hitCount\":6,"
		"\"positionTicks\":[{\"line\":9,\"ticks\":4},{\"line\":8,\"ticks\":1}]}"
		",{\"id\":7," FRAME("(program)", "", "-1", "-1") ",\"hitCount\":3}],"
		"\"startTime\":1000,\"endTime\":11000,\"samples\":[3,3,7],\"timeDeltas\":[1,2,3]}");
	const struct profile_event *event = &p->events[0];
	const struct profile_place *f = &p->places[p->tree.nodes[p->samples[1].node].key];
	const struct profile_line *line = &p->lines[p->line_lists[f->lines].first];

	CHECK(!strcmp(stacks(p), "(root) 1;f:9<(anonymous) 4;f:8<(anonymous) 1;f<(anonymous) 1;"
				 "(program) 3;"), "%s", stacks(p));
	CHECK(!strcmp(profile_text(p, event->name), "wall") && event->period == 1000000,
	      "a sample is 1 ms, not %" PRIu64 " ns", event->period);
	CHECK(p->duration_ns == 10000000, "%" PRId64, p->duration_ns);
	CHECK(!strcmp(profile_text(p, p->images[f->image].path), "/w/a.js"), "no URL");
	CHECK(f->address == (8 << 16 | 2) && p->symbolic_addresses, "0x%" PRIx64, f->address);
	CHECK(p->functions[line->function].start_line == 8, "from 1");
	profile_free(p);
}

/* As converters write it: nodes name their parents, and only time is known. */
TEST(times_and_parents)
{
	struct profile *p = read_text("{\"nodes\":["
		"{\"id\":5," FRAME("b", "b.js", "0", "0") ",\"parent\":9},"
		ROOT("") ",{\"id\":9," FRAME("a", "b.js", "4", "0") ",\"parent\":1}],"
		"\"startTime\":0,\"endTime\":100,\"samples\":[5,9,5],\"timeDeltas\":[10,20,30]}");

	CHECK(!strcmp(stacks(p), "b<a 20000;a 30000;b<a 40000;"), "%s", stacks(p));
	CHECK(!strcmp(profile_text(p, p->events[0].name), "time") && !p->events[0].period, "time");
	profile_free(p);
}

static uint32_t place(struct profile *p, uint64_t address, const char *name)
{
	struct profile_function f = { .name = profile_string(p, name),
				      .file = profile_string(p, "a.c"), .start_line = 3 };
	struct profile_line line = { profile_function(p, &f), 5 };

	return profile_place(p, PROFILE_NONE, address, &line, 1);
}

/* Two places of f are one node; the event without samples leaves no nodes. */
static struct profile *make(uint64_t period)
{
	struct profile *p = profile_new();
	struct profile_event time = { profile_string(p, "cpu"), profile_string(p, "nanoseconds"),
				      period, 0 };
	uint32_t outer;

	profile_add_event(p, &time);
	profile_add_event(p, &time);
	outer = profile_node(p, PROFILE_NONE, place(p, 1, "main"));
	profile_add_sample(p, profile_node(p, outer, place(p, 2, "f")), 0)[0] = 2;
	profile_add_sample(p, profile_node(p, outer, place(p, 3, "f")), 0)[0] = 1;
	profile_add_sample(p, profile_node(p, outer, place(p, 4, "none")), 0)[1] = 1;
	profile_add_sample(p, outer, 0)[0] = 1;
	return p;
}

TEST(a_sample_is_written_for_each_one)
{
	struct profile *p = make(1500), *again;
	char *text = written_profile(&format_v8cpuprofile, p);

	CHECK(strstr(text, "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\","
			   "\"scriptId\":\"0\",\"url\":\"\",\"lineNumber\":-1,"
			   "\"columnNumber\":-1},\"hitCount\":0,\"children\":[2]}"), "%s", text);
	CHECK(strstr(text, "{\"id\":3,\"callFrame\":{\"functionName\":\"f\",\"scriptId\":\"0\","
			   "\"url\":\"a.c\",\"lineNumber\":2,\"columnNumber\":0},"
			   "\"hitCount\":3}"), "%s", text);
	CHECK(!strstr(text, "none"), "%s", text);
	CHECK(strstr(text, "\"samples\":[2,3,3,3,1]"), "callers first, then the root: %s", text);
	CHECK(strstr(text, "\"timeDeltas\":[0,1,2,1,2]"), "no fraction is lost: %s", text);
	CHECK(strstr(text, "\"startTime\":1,\"endTime\":7,"), "%s", text);
	again = read_text(text);
	CHECK(!strcmp(stacks(again), "main 1;f<main 3;"), "%s", stacks(again));
	CHECK(again->events[0].period == 1500, "%" PRIu64, again->events[0].period);
	profile_free(again);
	profile_free(p);
	free(text);
}

TEST(amounts_are_written_for_each_stack)
{
	struct profile *p = make(0);
	char *text;

	profile_values(p, 0)[0] = 5000000000;
	text = written_profile(&format_v8cpuprofile, p);
	CHECK(strstr(text, "\"samples\":[2,3,1]"), "%s", text);
	CHECK(strstr(text, "\"timeDeltas\":[0,0,5000000]"), "%s", text);
	profile_free(p);
	free(text);
}

TEST_MAIN()
