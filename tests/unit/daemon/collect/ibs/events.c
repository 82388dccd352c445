// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - parsing requests for IBS, and deriving events from its registers */
#include "daemon/collect/ibs/config.h"
#include "daemon/collect/ibs/events.h"
#include "daemon/record/ext_feature.h"
#include "events/data.h"
#include "libutil/hash.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/ibs/reference.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t weight(const char *name, const struct ibs_raw *r)
{
	struct ibs_registers regs = { { r->data1, r->data2, r->data3 } };

	return ibs_event_weight(ibs_event_find(name), &regs);
}

TEST(every_row_matches_and_mismatches)
{
	for (size_t i = 0; i < NR_IBS_CASES; i++) {
		const struct ibs_case *c = &ibs_cases[i];
		const struct ibs_event *event = ibs_event_find(c->name);

		CHECK(event && event->code == c->code, "%s", c->name);
		if (!event)
			continue;
		CHECK(weight(c->name, &c->yes) == ibs_reference(c->code, &c->yes) &&
		      weight(c->name, &c->yes), "%s: %u", c->name, weight(c->name, &c->yes));
		for (size_t n = 0; !ibs_case_ends(c, n); n++)
			CHECK(!weight(c->name, &c->no[n]) && !ibs_reference(c->code, &c->no[n]),
			      "%s, number %zu that is not", c->name, n);
	}
}

TEST(every_event_has_a_case)
{
	size_t nr;
	const struct ibs_event *table = ibs_event_table(&nr);

	for (size_t i = 0; i < nr; i++) {
		bool found = false;

		for (size_t c = 0; c < NR_IBS_CASES; c++)
			found |= ibs_cases[c].code == table[i].code &&
				 !strcmp(ibs_cases[c].name, table[i].name);
		CHECK(found, "%s %x", table[i].name, table[i].code);
		CHECK(!i || table[i].code >= table[i - 1].code, "%s: order", table[i].name);
	}
}

/* Any registers: few bits set, half of them, most. */
TEST(derivation_agrees_with_the_reference)
{
	uint64_t seed = 1;
	size_t nr;
	const struct ibs_event *table = ibs_event_table(&nr);

	for (int turn = 0; turn < 20000; turn++) {
		uint64_t at[NR_IBS_REGISTERS];
		struct ibs_raw raw;

		for (int i = 0; i < NR_IBS_REGISTERS; i++) {
			uint64_t a = hash_u64(seed++), b = hash_u64(seed++);

			at[i] = turn % 3 == 0 ? a & b : turn % 3 == 1 ? a : a | b;
		}
		raw = (struct ibs_raw){ at[0], at[1], at[2] };
		for (size_t i = 0; i < nr; i++)
			CHECK(weight(table[i].name, &raw) == ibs_reference(table[i].code, &raw),
			      "%s of %lx %lx %lx", table[i].name, at[0], at[1], at[2]);
	}
}

static bool has(const char *cpu_type, const char *name, uint32_t code)
{
	static const char *loaded;
	static struct event_table *t;
	const struct event *event;
	struct op_error e;

	if (loaded != cpu_type) {
		event_table_free(t);
		t = NULL;
		CHECK(!event_table_open(cpu_type_by_name(cpu_type), &t, &e), "%s", e.text);
		loaded = cpu_type;
	}
	event = t ? event_table_find(t, name) : NULL;
	return event && event->code == code && event->ext &&
	       !strcmp(event->ext, code < 0xf100 ? "ibs_fetch" : "ibs_op");
}

/* Whether the family has all bits that the event, or a further row of it, needs. */
static bool can_occur(const struct ibs_event *event, const struct ibs_event *end,
		      unsigned int family)
{
	const struct ibs_event *row = event;
	bool can = false;

	if (family == 0x10 && event->code == 0xf00c)	/* pages of 1 GiB: no reserved bit */
		return false;
	for (; row < end && row->code == event->code && !can; row++) {
		struct ibs_registers regs;

		for (int i = 0; i < NR_IBS_REGISTERS; i++)
			regs.at[i] = row->bits[i].on;
		ibs_mask_reserved(family, &regs);
		can = true;
		for (int i = 0; i < NR_IBS_REGISTERS; i++)
			can &= regs.at[i] == row->bits[i].on;
	}
	return can;
}

/* ophelp lists exactly the events that the daemon can derive on that CPU. */
TEST(events_are_in_the_event_tables)
{
	static const struct {
		const char *name;
		unsigned int family;
	} types[] = {
		{ "x86-64/family10", 0x10 }, { "x86-64/family12h", 0x12 },
		{ "x86-64/family14h", 0x14 }, { "x86-64/family15h", 0x15 },
		{ "x86-64/family16h", 0x16 }, { "x86-64/zen1", 0x17 }, { "x86-64/zen2", 0x17 },
		{ "x86-64/zen3", 0x19 }, { "x86-64/zen4", 0x19 }, { "x86-64/zen5", 0x1a },
		{ "x86-64/zen6", 0x1a }, { "x86-64/generic", 0x17 },
	};
	size_t nr, missing = 0;
	const struct ibs_event *table = ibs_event_table(&nr);

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (size_t n = 0; n < nr; n++) {
			bool can;

			if (n && table[n].code == table[n - 1].code)
				continue;
			can = can_occur(&table[n], table + nr, types[i].family);
			missing += !can;
			CHECK(has(types[i].name, table[n].name, table[n].code) == can, "%s %s",
			      types[i].name, table[n].name);
		}
	CHECK(missing == 1 + 6 + 11 + 7 * 5, "%zu", missing);
	CHECK(!has("x86-64/family11h", "IBS_OP_ALL", 0xf100), "11h has none");
}

TEST(event_tables_have_no_further_events)
{
	struct event_table *t = NULL;
	struct op_error e;

	CHECK(!event_table_open(cpu_type_by_name("x86-64/zen5"), &t, &e), "%s", e.text);
	for (size_t i = 0; t && i < t->nr; i++)
		CHECK(!t->events[i].ext || ibs_event_find(t->events[i].name), "%s",
		      t->events[i].name);
	event_table_free(t);
}

/* [IB-4] Families reserve different bits; no others may be cleared. */
TEST(reserved_bits)
{
	static const struct {
		unsigned int family;
		uint64_t data1, data2, data3;
	} cases[] = {
		{ 0, 0, 0, 0 },
		{ 0x10, H(6), L(6) | L(7), 0 },
		{ 0x12, 0, L(4) | L(5) | L(6) | L(7), 0 },
		{ 0x14, 0, L(4) | L(5) | L(6) | L(7), L(5) | L(9) | L(10) | L(12) | L(19) },
		{ 0x15, 0, L(6) | L(7), 0 },
		{ 0x17, H(0) | H(1), L(6) | L(7), L(9) | L(10) | L(11) | L(12) },
		{ 0x18, H(0) | H(1), L(6) | L(7), L(9) | L(10) | L(11) | L(12) },
		{ 0x19, H(0) | H(1), 0, L(9) | L(10) | L(11) | L(12) },
		{ 0x1a, H(0) | H(1), 0, L(9) | L(10) | L(11) | L(12) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ibs_registers regs = { { ~0ul, ~0ul, ~0ul } };

		ibs_mask_reserved(cases[i].family, &regs);
		CHECK(regs.at[0] == ~cases[i].data1 && regs.at[1] == ~cases[i].data2 &&
		      regs.at[2] == ~cases[i].data3, "family %x: %lx %lx %lx", cases[i].family,
		      regs.at[0], regs.at[1], regs.at[2]);
	}
}

TEST(requests)
{
	struct ibs_config c;
	struct op_error e;

	CHECK(!ibs_config_parse("fetch:IBS_FETCH_ALL,IBS_FETCH_LATENCY:250000:0x0|"
				"op:IBS_OP_LOAD:100000:7", &c, &e), "%s", e.text);
	CHECK(c.fetch.on && c.fetch.max_count == 250000 && !c.fetch.unit_mask && c.fetch.kernel &&
	      c.fetch.user, "fetch %u", c.fetch.max_count);
	CHECK(c.op.on && c.op.max_count == 100000 && c.op.unit_mask == 7, "op %u", c.op.unit_mask);
	CHECK(c.nr_events == 3 && c.events[1]->code == 0xf00e && c.events[2]->code == 0xf201, "%u",
	      c.nr_events);
	CHECK(!ibs_config_parse("op:IBS_OP_ALL:134217727:0x1:0:1", &c, &e), "%s", e.text);
	CHECK(!c.fetch.on && c.op.max_count == 134217727 && !c.op.kernel && c.op.user, "one side");
	CHECK(!ibs_config_parse("op:IBS_OP_ALL,:144:0|fetch:IBS_FETCH_ALL:1048575:00", &c, &e),
	      "%s", e.text);
}

TEST(refused_requests)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "unknown feature" },
		{ "ibm:x", "unknown feature 'ibm' for --ext-feature: expected ibs:fetch:" },
		{ "ibs", "ibs:fetch:" },
		{ "ibs:", "ibs:fetch:EVENT" },
		{ "ibs:fetch", "ibs:fetch:EVENT" },
		{ "ibs:fetch:IBS_FETCH_ALL", "ibs:fetch:EVENT" },
		{ "ibs:fetch:IBS_FETCH_ALL:100000", "ibs:fetch:EVENT" },
		{ "ibs:fetch:IBS_FETCH_ALL:100000:0:1", "ibs:fetch:EVENT" },
		{ "ibs:fetch:IBS_FETCH_ALL:100000:0:1:1:1", "ibs:fetch:EVENT" },
		{ "ibs:data:IBS_FETCH_ALL:100000:0", "ibs:fetch:EVENT" },
		{ "ibs:fetch::100000:0", "no events given for 'fetch:'" },
		{ "ibs:fetch:,,:100000:0", "no events given for 'fetch:'" },
		{ "ibs:fetch:IBS_FETCH_SOME:100000:0", "unknown event 'IBS_FETCH_SOME'" },
		{ "ibs:fetch:IBS_OP_ALL:100000:0", "event IBS_OP_ALL belongs to 'op:'" },
		{ "ibs:op:IBS_FETCH_ALL:100000:0", "event IBS_FETCH_ALL belongs to 'fetch:'" },
		{ "ibs:op:IBS_OP_ALL,IBS_OP_ALL:100000:0", "given twice" },
		{ "ibs:op:IBS_OP_ALL:100000:0|op:IBS_OP_LOAD:100000:0", "'op:' is given twice" },
		{ "ibs:op:IBS_OP_ALL:143:0", "invalid count '143': expected 144 to 134217727" },
		{ "ibs:fetch:IBS_FETCH_ALL:15:0", "expected 16 to 1048575" },
		{ "ibs:op:IBS_OP_ALL:134217728:0", "count" },
		{ "ibs:op:IBS_OP_ALL:-1:0", "count" },
		{ "ibs:fetch:IBS_FETCH_ALL:1048576:0", "expected 16 to 1048575" },
		{ "ibs:fetch:IBS_FETCH_ALL:100000:1", "unit mask '1'" },
		{ "ibs:op:IBS_OP_ALL:100000:8", "unit mask '8': expected 0 to 0x7" },
		{ "ibs:op:IBS_OP_ALL:100000:x", "unit mask" },
		{ "ibs:op:IBS_OP_ALL:100000:", "unit mask" },
		{ "ibs:op:IBS_OP_ALL:100000:1:2:1", "kernel" },
		{ "ibs:op:IBS_OP_ALL:100000:1:0:0", "neither kernel nor user" },
		{ "ibs:op:IBS_OP_ALL:100000:1|", "ibs:fetch:EVENT" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct op_error e = { "" };
		struct ext *x = NULL;
		int err = ext_parse(cases[i].text, &x, &e);

		CHECK(err && !x && strstr(e.text, cases[i].error) && !strchr(e.text, '\n'),
		      "'%s': %d %s", cases[i].text, err, e.text);
	}
}

TEST_MAIN()
