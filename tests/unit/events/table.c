/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - parse event tables; errors have positions */
#include "tests/tap.h"

#include <errno.h>
#include <sys/stat.h>

#include "events/table/table.h"
#include "events/table/unit_mask.h"
#include "libutil/file.h"
#include "tests/unit/tmpdir.h"

static const char good_events[] =
	"# comment\n"
	"\n"
	"event:0x3c counters:0,1 um:zero minimum:6000 name:CYCLES : Clock cycles : of the core\n"
	"event:0x24 counters:cpuid um:l2 minimum:500 name:L2 filter:3 : L2 requests\n"
	"event:0x24 counters:1 um:l2,more minimum:500 name:L2_MORE : L2 requests, and more\n"
	"event:0xf100 ext:ibs_op um:zero minimum:50000 name:IBS_OP_ALL : All ops\n"
	"event:0xc0 counters:0 minimum:500 name:PLAIN : No um at all\n";
static const char good_masks[] = "name:zero type:mandatory default:0x0\n"
				 "\t0x00 No unit mask\n"
				 "name:l2 type:bitmask default:0x3\n"
				 "\t0x01 Loads\n"
				 "\t0x02 Stores\n"
				 "name:more type:exclusive default:\"stalls\"\n"
				 "\t0x04 extra:inv,cmask=10 stalls Cycles without\n"
				 "\t0x08 extra: plain Just a name\n";

static const struct cpu_type *type(void)
{
	return cpu_type_by_name("i386/core_2");
}

static struct event_table *parse(const char *events, const char *masks, struct op_error *e)
{
	struct event_table *t = NULL;

	e->text[0] = '\0';
	return event_table_parse(events, masks, type(), 0, &t, e) ? NULL : t;
}

TEST(good_table)
{
	struct op_error e;
	struct event_table *t = parse(good_events, good_masks, &e);
	const struct event *cycles, *l2, *more, *ibs;

	CHECK(t, "%s", e.text);
	if (!t)
		return;
	cycles = event_table_find(t, "CYCLES");
	l2 = event_table_find(t, "L2");
	more = event_table_find(t, "L2_MORE");
	ibs = event_table_find(t, "IBS_OP_ALL");
	CHECK(t->nr == 5 && t->nr_counters == 2, "%zu events, %u counters", t->nr, t->nr_counters);
	CHECK(cycles && l2 && more && ibs, "names");
	CHECK(!strcmp(cycles->desc, "Clock cycles : of the core"), "%s", cycles->desc);
	CHECK(cycles->code == 0x3c && cycles->min_count == 6000 && cycles->counters == 3, "cycles");
	CHECK(cycles->filter == -1 && l2->filter == 3, "filter");
	CHECK(event_fits_all(t, l2) && !event_fits_all(t, more), "counters");
	CHECK(l2->masks->kind == MASKS_BITMASK && l2->masks->default_value == 3, "bitmask");
	CHECK(!l2->masks->default_mask, "the default is an OR");
	CHECK(more->masks->nr == 4 && more->masks->kind == MASKS_BITMASK, "merged");
	CHECK(more->masks->masks[2].extra == (EXTRA_NONE | EXTRA_INV | 0x10u << 24), "extra: %x",
	      more->masks->masks[2].extra);
	CHECK(more->masks->masks[3].extra == EXTRA_NONE, "only a name");
	CHECK(!strcmp(more->masks->masks[2].desc, "Cycles without"), "mask's description");
	CHECK(ibs->ext && !strcmp(ibs->ext, "ibs_op") && !ibs->counters, "extended event");
	CHECK(event_table_find(t, "PLAIN")->masks->nr == 1, "no um");
	CHECK(!event_table_find(t, "cycles"), "names are case sensitive");
	CHECK(event_table_find_code(t, 0x24, 3) == l2 && event_table_find_code(t, 0x24, 8) == more,
	      "by code and mask");
	CHECK(!event_table_find_code(t, 0x24, 0x77), "no event has that mask");
	event_table_free(t);
}

#define OK_EVENT "event:0x1 counters:0 minimum:500 name:A : a\n"
#define USES(set) "event:0x1 counters:0 um:" set " minimum:500 name:A : a\n"

static const struct {
	const char *events, *masks, *error;
} bad[] = {
	{ "event:0x1 counters:0 minimum:500 name:A\n", "",
	  "events:1:1: missing description" },
	{ "event:0x1 counters:0 minimum:500 name:A : \n", "", "events:1:43: missing description" },
	{ "# c\n\nevent:1 counters:0 minimum:500 name:A : a\n", "",
	  "events:3:7: invalid event code '1'" },
	{ "event:0x1 counters:0 minimum:500 : a\n", "", "events:1:1: missing 'name:'" },
	{ "counters:0 minimum:500 name:A : a\n", "", "events:1:1: missing 'event:'" },
	{ "event:0x1 minimum:500 name:A : a\n", "", "events:1:1: missing 'counters:'" },
	{ "event:0x1 counters:0 name:A : a\n", "", "events:1:1: missing 'minimum:'" },
	{ "event:0x1 counters:0 minimum:0 name:A : a\n", "", "events:1:30: invalid count '0'" },
	{ "event:0x1 counters:2 minimum:9 name:A : a\n", "", "events:1:20: invalid counter '2'" },
	{ "event:0x1 counters:, minimum:9 name:A : a\n", "", "events:1:20: missing counter" },
	{ "event:0x1 counters:0 minimum:9 name:A/B : a\n", "",
	  "events:1:37: invalid event name 'A/B'" },
	{ "event:0x1 counters:0 minimum:9 name:A.B : a\n", "",
	  "events:1:37: invalid event name 'A.B'" },
	{ "event:0x1 counters:0 event:0x1 : a\n", "", "events:1:22: duplicate 'event:'" },
	{ "event:0x1 counter:0 : a\n", "", "events:1:11: unknown key 'counter'" },
	{ "event:0x1 nonsense : a\n", "", "events:1:11: unknown key 'nonsense'" },
	{ "event:0x1 counters:0 ext:ibs_op minimum:9 name:A : a\n", "",
	  "events:1:20: counters: and ext:" },
	{ "event:0x1 counters:0 minimum:9 name:A filter:32 : a\n", "",
	  "events:1:46: invalid bit '32'" },
	{ OK_EVENT OK_EVENT, "", "events:2:39: duplicate event 'A': already defined at events:1" },
	{ USES("none"), "", "events:1:25: unit masks 'none' are not defined" },
	{ USES(""), "", "events:1:25: missing name of unit masks" },
	{ USES(","), "", "events:1:25: missing name of unit masks" },
	{ "include:i386/other\n", "", "events:1:9: cannot include 'i386/other'" },
	{ "include:\n", "", "events:1:1: expected one CPU type" },
	{ OK_EVENT "\x80\n", "", "events:2:1: invalid UTF-8: byte 0x80" },
	{ OK_EVENT "a\xc0\xaf\n", "", "events:2:2: invalid UTF-8: byte 0xc0" },
	{ OK_EVENT "\xed\xa0\x80\n", "", "events:2:1: invalid UTF-8: byte 0xed" },
	{ OK_EVENT, "name:m type:mandatory default:0\n\t0 x\n",
	  "unit_masks:1:6: unused unit masks 'm'" },
	{ USES("m"), "\t0x1 x\n", "unit_masks:1:1: unit mask outside a set" },
	{ USES("m"), "name:m type:mandatory default:0\n",
	  "unit_masks:1:6: unit masks 'm' are empty" },
	{ USES("m"), "name:m type:mandatory default:0\n\t0 x\n\t1 y\n",
	  "unit_masks:1:6: unit masks 'm' are mandatory: expected one mask, got 2" },
	{ USES("m"), "name:m type:mandatory default:1\n\t0 x\n",
	  "unit_masks:1:31: default 0x1 is not one of the masks of 'm'" },
	{ USES("m"), "name:m type:exclusive default:3\n\t1 x\n\t2 y\n",
	  "unit_masks:1:31: default 0x3" },
	{ USES("m"), "name:m type:bitmask default:4\n\t1 x\n\t2 y\n",
	  "unit_masks:1:29: default 0x4 is not a combination" },
	{ USES("m"), "name:m type:exclusive default:z\n\t1 extra: x y\n",
	  "unit_masks:1:31: default 'z' is not the name of a mask" },
	{ USES("m"), "name:m type:exclusive default:\"\"\n\t1 extra: x y\n",
	  "unit_masks:1:31: invalid default ''" },
	{ USES("m"), "name:m type:weird default:0\n\t0 x\n",
	  "unit_masks:1:13: invalid type 'weird'" },
	{ USES("m"), "name:m type:bitmask\n\t0 x\n", "unit_masks:1:1: missing 'default:'" },
	{ USES("m"), "name:m name:n type:bitmask default:0\n\t0 x\n",
	  "unit_masks:1:8: duplicate 'name:'" },
	{ USES("m"), "name:m kind:x\n\t0 x\n", "unit_masks:1:8: unknown key 'kind'" },
	{ USES("m"), "name:m type:bitmask default:1\n\tx y\n",
	  "unit_masks:2:2: invalid unit mask 'x'" },
	{ USES("m"), "name:m type:bitmask default:1\n\t1\n",
	  "unit_masks:2:3: missing description" },
	{ USES("m"), "name:m type:bitmask default:1\n\t1 extra:odd x y\n",
	  "unit_masks:2:10: invalid extra bit 'odd'" },
	{ USES("m"), "name:m type:bitmask default:1\n\t1 extra:cmask=100 x y\n",
	  "unit_masks:2:10: invalid extra bit 'cmask=100'" },
	{ USES("m"), "name:m type:bitmask default:1\n\t1 extra:\n",
	  "unit_masks:2:1: missing name of the mask after extra:" },
	{ USES("m"), "name:m type:bitmask default:1\n\t1 x\n\t1 y\n",
	  "unit_masks:1:6: unit masks 'm': duplicate value 0x1" },
	{ USES("m"), "name:m type:bitmask default:1\n\t1 x\nname:m type:bitmask default:1\n\t1 x\n",
	  "duplicate unit masks 'm': already defined at unit_masks:1" },
};

TEST(bad_tables)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct op_error e;
		struct event_table *t = parse(bad[i].events, bad[i].masks, &e);

		CHECK(!t, "case %zu was accepted, expected: %s", i, bad[i].error);
		CHECK(strstr(e.text, bad[i].error), "case %zu: '%s', not '%s'", i, e.text,
		      bad[i].error);
		event_table_free(t);
	}
}

static void write_type(const char *dir, const char *name, const char *events, const char *masks)
{
	char path[TMPDIR_SIZE + 100];

	snprintf(path, sizeof(path), "%s/%s/events", dir, name);
	file_make_parent_dirs(path, 0755);
	file_write_atomic(path, events, strlen(events), 0644);
	snprintf(path, sizeof(path), "%s/%s/unit_masks", dir, name);
	file_write_atomic(path, masks, strlen(masks), 0644);
}

TEST(includes)
{
	const char *dir = tmpdir;
	struct event_table *t = NULL;
	struct op_error e;

	tmpdir_make();
	write_type(dir, "i386/core_2", "include:i386/base\n" USES("m"),
		   "include:i386/base\nname:m type:mandatory default:0\n\t0 x\n");
	write_type(dir, "i386/base", "event:0x2 counters:1 um:n minimum:500 name:B : b\n",
		   "name:n type:mandatory default:0\n\t0 x\n");
	CHECK(!event_table_load(dir, type(), 0, &t, &e), "%s", e.text);
	CHECK(t && t->nr == 2 && !strcmp(t->events[0].name, "B"),
	      "included events come where they are");
	t = event_table_free(t);

	write_type(dir, "i386/base", "include:i386/core_2\n", "");
	CHECK(event_table_load(dir, type(), 0, &t, &e) == -EINVAL, "a circle");
	CHECK(strstr(e.text, "i386/base/events:1:9: i386/core_2 is already included"), "%s",
	      e.text);
	write_type(dir, "i386/core_2", "include:i386/base\ninclude:../etc\n", "");
	write_type(dir, "i386/base", OK_EVENT, "");
	CHECK(event_table_load(dir, type(), 0, &t, &e) == -EINVAL, "outside");
	CHECK(strstr(e.text, "events:2:9: invalid CPU type '../etc'"), "%s", e.text);
	write_type(dir, "i386/core_2", "include:i386/absent\n", "");
	CHECK(event_table_load(dir, type(), 0, &t, &e) == -EINVAL, "absent");
	CHECK(strstr(e.text, "events:1:9: cannot read"), "%s", e.text);
	CHECK(event_table_load(dir, cpu_type_by_name("i386/p4"), 0, &t, &e) == -ENOENT, "no table");
	CHECK(strstr(e.text, "no event table for CPU type 'i386/p4'"), "%s", e.text);
	CHECK(!t, "outputs are untouched");
}

TEST(clock_has_every_name)
{
	struct event_table *t = NULL;
	struct op_error e;

	CHECK(!event_table_parse("event:0x11 counters:0 minimum:500 name:CPU_CYCLES : c\n", "",
				 cpu_type_by_name("arm/armv8-ca53"), 0, &t, &e),
	      "%s", e.text);
	CHECK(t && event_table_find(t, "CPU_CLK_UNHALTED") == &t->events[0],
	      "cycles of an Arm CPU");
	event_table_free(t);
}

TEST_MAIN()
