/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.c - the installed tables are found and valid, and describe events of old profiles */
#include "tests/tap.h"

#include <unistd.h>

#include "events/data.h"
#include "libutil/file.h"

static struct event_table *open_type(const char *name)
{
	struct event_table *t = NULL;
	struct op_error e = { "" };

	event_table_open(cpu_type_by_name(name), &t, &e);
	CHECK(t, "%s: %s", name, e.text);
	return t;
}

TEST(data_dir)
{
	char *dir = event_data_dir(), *path = path_join(dir, "i386/core_2/events");

	CHECK(file_exists(path), "%s", path);
	free(path);
	free(dir);
	setenv("OPROFILE_EVENTS_DIR", "/some/where", 1);
	dir = event_data_dir();
	CHECK(!strcmp(dir, "/some/where"), "%s", dir);
	free(dir);
}

TEST(every_table_loads)
{
	unsigned int nr = 0;

	for (size_t i = 0; cpu_type_at(i); i++) {
		const struct cpu_type *type = cpu_type_at(i);
		char *dir = event_data_dir(), *path = path_join(dir, type->name);
		struct event_table *t;

		free(dir);
		if (file_is_dir(path)) {
			t = open_type(type->name);
			CHECK(t && event_table_find(t, CPU_CLOCK_EVENT), "%s: no clock",
			      type->name);
			event_table_free(t);
			nr++;
		}
		free(path);
	}
	CHECK(nr > 50, "only %u tables", nr);
}

/* Descriptions of events in profiles of OProfile. */
TEST(descriptions)
{
	struct event_table *t = open_type("i386/core_2");
	struct event_description d;

	event_describe(t, "CPU_CLK_UNHALTED", 0x3c, 0, false, &d);
	CHECK(!strcmp(d.desc, "Clock cycles when not halted"), "%s", d.desc);
	CHECK(!strcmp(d.mask_desc, "Unhalted core cycles"), "%s", d.mask_desc);
	event_describe(t, "LLC_MISSES", 0x2e, 0x41, false, &d);
	CHECK(*d.desc && !strcmp(d.mask_desc, "No unit mask"), "%s (%s)", d.desc, d.mask_desc);
	event_describe(t, "INST_RETIRED", 0xc0, 0, true, &d);
	CHECK(!strcmp(d.name, "INST_RETIRED_ANY_P"), "by code, the first of two names: %s", d.name);
	event_describe(t, "INST_RETIRED", 0xc0, 0, false, &d);
	CHECK(!strcmp(d.name, "INST_RETIRED"), "by name: %s", d.name);
	event_describe(t, "L2_RQSTS", 0x2e, 0x43, true, &d);
	CHECK(!strcmp(d.mask_desc, "multiple flags"), "%s", d.mask_desc);
	event_describe(t, "L2_RQSTS", 0x2e, 0x100, false, &d);
	CHECK(!strcmp(d.mask_desc, "multiple flags"), "no such bit: %s", d.mask_desc);
	event_describe(t, "llc_misses", 0x2e, 0x41, false, &d);
	CHECK(!strcmp(d.name, "LLC_MISSES"), "either case: %s", d.name);
	event_describe(t, "NO_SUCH", 0xfff, 0, false, &d);
	CHECK(!strcmp(d.name, "NO_SUCH") && !*d.desc && !*d.mask_desc, "unknown");
	event_describe(NULL, "NO_TABLE", 0x3c, 0, true, &d);
	CHECK(!strcmp(d.name, "NO_TABLE") && !*d.desc, "no table");
	event_table_free(t);
}

/* Masks that are bits: their combinations have the names of the bits. */
TEST(combinations)
{
	static const char name[] = "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE";
	struct event_table *t = open_type("x86-64/family10");
	struct event_description d;

	event_describe(t, name, 0x42, 0x1e, false, &d);
	CHECK(!strcmp(d.mask_desc, "L2 shared, L2 exclusive, L2 owned, L2 modified"), "%s",
	      d.mask_desc);
	event_describe(t, name, 0x42, 0x3, false, &d);
	CHECK(!strcmp(d.mask_desc, "System, L2 shared"), "%s", d.mask_desc);
	event_describe(t, name, 0x42, 0x3, true, &d);
	CHECK(!strcmp(d.mask_desc, "multiple flags"), "as OProfile does: %s", d.mask_desc);
	event_table_free(t);
}

TEST_MAIN()
