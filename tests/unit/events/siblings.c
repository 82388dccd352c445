// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * siblings.c - an event has the same code in all tables of a line of CPUs
 *
 * libpfm4 does not know the newest CPUs, but vendors keep the number of an event from one design to
 * the next. A table with another number is listed here, or wrong.
 */
#include "tests/tap.h"

#include "events/data.h"
#include "events/encode.h"

#define MAX_TABLES 64

/* Events that changed their number within a line, and the types with the later one. */
static const struct {
	const char *name, *since;
} renumbered[] = {
	{ "UOPS_DISPATCHED", "i386/icelake i386/icelake-x i386/rocketlake i386/tigerlake" },
	{ "MISC_RETIRED", "i386/arrowlake-p i386/lunarlake-p i386/pantherlake-p" },
	{ "TOPDOWN_RETIRING", "i386/tremont i386/alderlake-e i386/pantherlake-e" },
	{ "L1D_CACHE_REFILL_HWPRF", "arm/armv8-a64fx" },
	{ "L1D_CACHE_REFILL_PRF", "arm/armv8-a64fx" },
	{ "L2D_CACHE_REFILL_HWPRF", "arm/armv8-a64fx" },
	{ "L2D_CACHE_REFILL_PRF", "arm/armv8-a64fx" },
	{ "STALL_BACKEND_ILOCK", "arm/armv8-ca55 arm/armv8-ca510" },
	{ "STALL_BACKEND_ST", "arm/armv8-ca55 arm/armv8-ca510" },
	{ "STALL_BACKEND_TLB", "arm/armv8-ampereone" },
	{ "STALL_FRONTEND_CACHE", "arm/armv8-ampereone" },
	{ "STALL_FRONTEND_TLB", "arm/armv8-ca55 arm/armv8-ca510" },
	{ "STALL_FRONTEND_TLB", "arm/armv8-ampereone" },
};

/* Which of its numbers the type has: 0, or 1 and up if listed. */
static size_t numbering(const struct cpu_type *type, const char *name)
{
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(renumbered) / sizeof(renumbered[0]); i++) {
		const char *at = strstr(renumbered[i].since, type->name);

		if (!strcmp(renumbered[i].name, name) && at &&
		    (!at[strlen(type->name)] || at[strlen(type->name)] == ' '))
			nr = i + 1;
	}
	return nr;
}

static const struct event *find(const struct event_table *t, const char *name)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->events[i].name, name))
			return &t->events[i];
	return NULL;
}

/* Whether any other table has the event; its code must be the same. */
static int compare(const struct event_table *t, const struct event *event,
		   struct event_table *const *all, size_t nr)
{
	int found = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct event *other = all[i] == t ? NULL : find(all[i], event->name);

		if (!other || numbering(t->type, event->name) !=
			      numbering(all[i]->type, event->name))
			continue;
		found = 1;
		CHECK(event->code == other->code, "%s: %s is 0x%llx, in %s it is 0x%llx",
		      t->type->name, event->name, (unsigned long long)event->code,
		      all[i]->type->name, (unsigned long long)other->code);
		if (event->code != other->code)
			break;
	}
	return found;
}

static void check_line(const char *const *types, size_t nr)
{
	struct event_table *tables[MAX_TABLES] = { NULL };
	struct op_error e = { "" };

	for (size_t i = 0; i < nr; i++)
		if (event_table_open(cpu_type_by_name(types[i]), &tables[i], &e)) {
			CHECK(0, "%s: %s", types[i], e.text);
			return;
		}
	for (size_t i = 0; i < nr; i++) {
		size_t alone = 0;

		for (size_t n = 0; n < tables[i]->nr; n++)
			alone += !compare(tables[i], &tables[i]->events[n], tables, nr);
		printf("# %s: %zu of %zu events are in no other table of its line\n", types[i],
		       alone, tables[i]->nr);
		CHECK(alone < tables[i]->nr, "%s: nothing to compare", types[i]);
	}
	for (size_t i = 0; i < nr; i++)
		event_table_free(tables[i]);
}

#define I(name) "i386/" name
#define X(name) "x86-64/" name
#define A(name) "arm/armv8-" name

static const char *const lines[][MAX_TABLES] = {
	{ I("nehalem"), I("westmere"), I("core_i7") },
	{ I("sandybridge"), I("ivybridge"), I("haswell"), I("broadwell"), I("skylake"),
	  I("skylake-x"), I("cascadelake"), I("icelake"), I("icelake-x"), I("rocketlake"),
	  I("tigerlake") },
	{ I("sapphirerapids"), I("emeraldrapids"), I("graniterapids"), I("alderlake-p"),
	  I("meteorlake-p"), I("arrowlake-p"), I("lunarlake-p"), I("pantherlake-p") },
	{ I("silvermont"), I("knightslanding") },
	{ I("goldmont"), I("goldmontplus"), I("tremont"), I("alderlake-e"), I("meteorlake-e"),
	  I("arrowlake-e"), I("lunarlake-e"), I("pantherlake-e"), I("sierraforest"),
	  I("grandridge") },
	{ X("hammer"), X("family10"), X("family11h"), X("family12h"), X("family14h") },
	{ X("family15h"), X("family16h"), X("generic") },
	{ X("zen1"), X("zen2"), X("zen3"), X("zen4"), X("zen5"), X("zen6") },
	{ A("pmuv3"), A("ca35"), A("ca53"), A("ca55"), A("ca57"), A("ca72"), A("ca73"), A("ca75"),
	  A("ca76"), A("ca77"), A("ca78"), A("ca510"), A("ca520"), A("ca710"), A("ca715"),
	  A("ca720"), A("ca725"), A("x1"), A("x2"), A("x3"), A("x4"), A("x925"),
	  A("neoverse-n1"), A("neoverse-n2"), A("neoverse-n3"), A("neoverse-v1"),
	  A("neoverse-v2"), A("neoverse-v3"), A("a64fx"), A("ampereone"), A("hip08"),
	  A("thunderx2") },
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static size_t length(const char *const *line)
{
	size_t nr = 0;

	while (nr < MAX_TABLES && line[nr])
		nr++;
	return nr;
}

TEST(same_name_same_code)
{
	for (size_t i = 0; i < NR_LINES; i++)
		check_line(lines[i], length(lines[i]));
}

static int is_in_a_line(const char *type)
{
	for (size_t i = 0; i < NR_LINES; i++)
		for (size_t n = 0; n < length(lines[i]); n++)
			if (!strcmp(lines[i][n], type))
				return 1;
	return 0;
}

/* New types must be added to a line, or to the types without one. */
TEST(every_table_is_in_a_line)
{
	static const char alone[] = " i386/arch_perfmon i386/atom i386/core_2 ";
	const struct cpu_type *type;

	for (size_t i = 0; (type = cpu_type_at(i)); i++) {
		struct event_table *t = NULL;
		struct op_error e = { "" };
		char word[64];

		if (!type->clock_event || event_table_open(type, &t, &e))
			continue;
		snprintf(word, sizeof(word), " %s ", type->name);
		if (!is_in_a_line(type->name)) {
			CHECK(strstr(alone, word), "%s is in no line", type->name);
			printf("# %s: not compared with other tables\n", type->name);
		}
		event_table_free(t);
	}
}

TEST_MAIN()
