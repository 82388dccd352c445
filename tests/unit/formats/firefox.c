// SPDX-License-Identifier: GPL-2.0-or-later
/* firefox.c - write threads and their tables for the Firefox Profiler [FF-1..6] */
#include "formats/all_formats.h"
#include "tests/unit/libdb/session/written_profile.h"

static uint32_t place(struct profile *p, uint32_t image, uint64_t address, const char *name)
{
	struct profile_function f = { .file = profile_string(p, "a.c"), .start_line = 3 };
	struct profile_line line = { .line = 5 };

	f.name = profile_string(p, name);
	line.function = profile_function(p, &f);
	return profile_place(p, image, address, &line, 1);
}

static uint32_t labels(struct profile *p, int64_t pid, const char *comm)
{
	struct profile_label set[2] = { { .key = profile_string(p, "pid"), .number = pid },
					{ .key = profile_string(p, "comm") } };

	set[1].text = profile_string(p, comm);
	return profile_label_set(p, set, 2);
}

static struct profile *make(void)
{
	struct profile *p = profile_new();
	struct profile_event event = { profile_string(p, "cpu"), profile_string(p, "nanoseconds"),
				       2000000, 0 };
	struct profile_image image = { .path = profile_string(p, "vmlinux"),
				       .kind = PROFILE_KERNEL };
	uint32_t outer, inner;

	profile_add_event(p, &event);
	profile_add_image(p, &image);
	outer = profile_node(p, PROFILE_NONE, place(p, PROFILE_NONE, 1, "main"));
	inner = profile_node(p, outer, place(p, 0, 2, "sys"));
	*profile_add_sample(p, inner, labels(p, 9, "nine")) = 2;
	*profile_add_sample(p, outer, labels(p, 8, "eight")) = 1;
	*profile_add_sample(p, outer, labels(p, 9, "nine")) = 4;
	*profile_add_sample(p, PROFILE_NONE, labels(p, 9, "nine")) = 1;
	*profile_add_sample(p, outer, labels(p, 7, "none")) = 0;
	return p;
}

TEST(threads_have_their_own_tables)
{
	struct profile *p = make();
	char *text = written_profile(&format_firefox, p), *nine = strstr(text, "\"name\":\"nine\"");
	char *eight = strstr(text, "\"name\":\"eight\"");

	CHECK(eight && nine && eight < nine, "by process: %s", text);
	CHECK(!strstr(text, "\"name\":\"none\""), "without samples: %s", text);
	if (!eight || !nine)
		return;
	CHECK(strstr(eight, "\"stringArray\":[\"main\",\"a.c\"]"), "%s", eight);
	CHECK(strstr(nine, "\"pid\":\"9\""), "%s", nine);
	CHECK(strstr(nine, "\"stack\":[1,0,2],\"time\":[0,4,12],\"weight\":[2,4,1]"), "%s", nine);
	CHECK(strstr(nine, "\"stackTable\":{\"frame\":[0,1,2],\"category\":[2,1,2],"
		     "\"subcategory\":[0,0,0],\"prefix\":[null,0,null],\"length\":3}"), "%s", nine);
	CHECK(strstr(nine, "\"resource\":[-1,0,-1],\"fileName\":[3,4,null]"), "%s", nine);
	CHECK(strstr(nine, "\"stringArray\":[\"main\",\"sys\",\"[unknown]\",\"a.c\",\"a.c\",\"\","
		     "\"vmlinux\"]"), "%s", nine);
	free(text);
	profile_free(p);
}

TEST_MAIN()
