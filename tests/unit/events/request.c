/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.c - parse NAME:count:unitmask:kernel:user, and look it up in a table */
#include "tests/tap.h"

#include <errno.h>

#include "events/counter_alloc.h"
#include "events/request.h"

static const char events[] =
	"event:0x3c counters:0,1 um:zero minimum:6000 name:CYCLES : Clock cycles\n"
	"event:0x24 counters:0 um:l2 minimum:500 name:L2 : L2 requests\n"
	"event:0x25 counters:0 um:one minimum:500 name:ONE : One of them\n"
	"event:0x2e counters:0,1 um:x41 minimum:500 name:LLC : Misses\n"
	"event:0x0d counters:1 um:twice minimum:500 name:TWICE : One value, two masks\n"
	"event:0xf100 ext:ibs_op um:zero minimum:500 name:IBS : Ops\n"
	"event:0xf101 ext:ibs_op um:zero minimum:500 name:IBS_LOADS : Loads\n";
static const char masks[] =
	"name:zero type:mandatory default:0\n\t0 None\n"
	"name:x41 type:mandatory default:0x41\n\t0x41 None\n"
	"name:l2 type:bitmask default:3\n\t1 Loads\n\t2 Stores\n\t8 Rest\n"
	"name:one type:exclusive default:2\n\t1 extra: first First\n\t2 extra: second Second\n"
	"name:twice type:exclusive default:busy\n\t1 extra: idle Idle\n\t1 extra:cmask=1 busy "
	"Busy\n";

static struct event_table *table(void)
{
	struct event_table *t = NULL;
	struct op_error e = { "" };

	event_table_parse(events, masks, cpu_type_by_name("i386/core_2"), 0, &t, &e);
	CHECK(t, "%s", e.text);
	if (!t)
		exit(1);
	return t;
}

static int ask(struct event_table *t, const char *text, unsigned int depth, struct event_choice *c,
	       struct op_error *e)
{
	struct event_request r;
	int err = event_request_parse(text, true, &r, e);

	return err ? err : event_request_resolve(t, &r, depth, c, e);
}

TEST(forms)
{
	static const struct {
		const char *text, *name, *mask;
		uint64_t count;
		int kernel, user;
	} good[] = {
		{ "CYCLES:100000", "CYCLES", "", 100000, 1, 1 },
		{ "CYCLES:0x1000:0x41", "CYCLES", "0x41", 4096, 1, 1 },
		{ "CYCLES:6000:busy:0", "CYCLES", "busy", 6000, 0, 1 },
		{ "CYCLES:6000::1:0", "CYCLES", "", 6000, 1, 0 },
		{ "CYCLES:2147483647:1:1:1", "CYCLES", "1", INT32_MAX, 1, 1 },
		{ "r01c2:6000", "r01c2", "", 6000, 1, 1 },
	};
	static const char *const bad[] = {
		"",
		"CYCLES",
		"CYCLES:",
		"CYCLES:x",
		"CYCLES:0",
		"CYCLES:-1",
		"CYCLES:2147483648",
		"CYCLES:1:1:1:1:1",
		"CYCLES:1:1:2",
		"CYCLES:1:1:1:x",
		"CYCLES:1:0:0:0",
		":1",
		"A B:1",
		"A/B:1",
		"CYCLES:1:a b",
		"ANAMETHATISLONGERTHANANYEVENTEVERWASANDSOITISREFUSEDASSUCHALWAYSX:1",
	};
	struct event_request r;
	struct op_error e;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct strbuf s = STRBUF_INIT;
		struct event_request again;

		CHECK(!event_request_parse(good[i].text, false, &r, &e), "%s: %s", good[i].text,
		      e.text);
		CHECK(!strcmp(r.name, good[i].name) && !strcmp(r.mask, good[i].mask) &&
			      r.count == good[i].count && r.kernel == good[i].kernel &&
			      r.user == good[i].user,
		      "%s", good[i].text);
		event_request_format(&r, &s);
		CHECK(!event_request_parse(s.text, false, &again, &e) && again.count == r.count &&
			      !strcmp(again.mask, r.mask) && again.kernel == r.kernel,
		      "%s again", s.text);
		strbuf_free(&s);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		e.text[0] = '\0';
		CHECK(event_request_parse(bad[i], false, &r, &e) == -EINVAL && *e.text,
		      "'%s' is taken", bad[i]);
	}
	CHECK(!event_request_parse("CYCLES", true, &r, &e) && !r.count, "without a count");
}

TEST(masks_of_an_event)
{
	static const struct {
		const char *text;
		int err;
		uint32_t value, extra;
	} cases[] = {
		{ "CYCLES:6000", 0, 0, 0 },
		{ "CYCLES:6000:0", 0, 0, 0 },
		{ "CYCLES:6000:1", -EINVAL, 0, 0 },
		{ "LLC:500", 0, 0x41, 0 },
		{ "LLC:500:0x41", 0, 0x41, 0 },
		{ "LLC:500:0", -EINVAL, 0, 0 },
		{ "L2:500", 0, 3, 0 },
		{ "L2:500:0xb", 0, 0xb, 0 },
		{ "L2:500:0", -EINVAL, 0, 0 },
		{ "L2:500:0x77", -EINVAL, 0, 0 },
		{ "ONE:500", 0, 2, EXTRA_NONE },
		{ "ONE:500:3", -EINVAL, 0, 0 },
		{ "ONE:500:first", 0, 1, EXTRA_NONE },
		{ "ONE:500:third", -EINVAL, 0, 0 },
		{ "TWICE:500:1", -ENOTUNIQ, 0, 0 },
		{ "TWICE:500:idle", 0, 1, EXTRA_NONE },
		{ "TWICE:500", 0, 1, EXTRA_NONE | 1u << 24 },
		{ "CYCLES:5999", -ERANGE, 0, 0 },
		{ "NONE:6000", -ENOENT, 0, 0 },
		{ "r14100c0:6000", 0, 0, EXTRA_NONE | 1u << 24 },
		{ "r1000000000000c0:6000", -EINVAL, 0, 0 },
	};
	struct event_table *t = table();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct op_error e = { "" };
		struct event_choice c = { 0 };
		int err = ask(t, cases[i].text, 0, &c, &e);

		CHECK(err == cases[i].err, "%s: %d, %s", cases[i].text, err, e.text);
		CHECK(!err == !*e.text, "%s: a sentence for each error", cases[i].text);
		CHECK(c.mask.value == cases[i].value && c.mask.extra == cases[i].extra,
		      "%s: 0x%x 0x%x", cases[i].text, c.mask.value, c.mask.extra);
	}
	event_table_free(t);
}

TEST(minimum_count_with_call_graphs)
{
	struct event_table *t = table();
	struct event_choice c;
	struct op_error e;

	CHECK(ask(t, "CYCLES:6000", 1, &c, &e) == -ERANGE && strstr(e.text, "90000"), "%s", e.text);
	CHECK(!ask(t, "CYCLES:90000", 1, &c, &e), "15 times the minimum");
	CHECK(!ask(t, "CYCLES", 1, &c, &e), "no count is not judged");
	event_table_free(t);
}

static int alloc(struct event_table *t, const char *const *texts, size_t nr, uint64_t available,
		 struct event_choice *c, struct op_error *e)
{
	for (size_t i = 0; i < nr; i++)
		CHECK(!ask(t, texts[i], 0, &c[i], e), "%s: %s", texts[i], e->text);
	return event_requests_alloc(c, nr, available, e);
}

TEST(counters_of_several_events)
{
	struct event_table *t = table();
	struct event_choice c[3];
	struct op_error e;

	CHECK(!alloc(t, (const char *[]){ "CYCLES:6000", "L2:500" }, 2, 3, c, &e) &&
		      c[0].counter == 1 && c[1].counter == 0,
	      "the only place goes to who needs it");
	CHECK(!alloc(t, (const char *[]){ "IBS:500", "L2:500" }, 2, 3, c, &e) &&
		      c[0].counter == COUNTER_NONE && c[1].counter == 0,
	      "extended events need none");
	CHECK(!alloc(t, (const char *[]){ "IBS:500", "IBS_LOADS:500" }, 2, 3, c, &e), "%s", e.text);
	CHECK(alloc(t, (const char *[]){ "IBS:500", "IBS_LOADS:600" }, 2, 3, c, &e) == -EINVAL &&
		      strstr(e.text, "from the same samples"),
	      "one sample, two counts: %s", e.text);
	CHECK(alloc(t, (const char *[]){ "ONE:500", "L2:500" }, 2, 3, c, &e) == -ENOSPC &&
		      strstr(e.text, "cannot be counted at once"),
	      "%s", e.text);
	CHECK(alloc(t, (const char *[]){ "CYCLES:6000", "L2:500", "LLC:500" }, 3, 3, c, &e) ==
			      -ENOSPC &&
		      strstr(e.text, "need 3, have 2"),
	      "%s", e.text);
	CHECK(alloc(t, (const char *[]){ "L2:500:1", "L2:600:1" }, 2, 3, c, &e) == -EINVAL &&
		      strstr(e.text, "distinct"),
	      "%s", e.text);
	CHECK(alloc(t, (const char *[]){ "CYCLES:6000" }, 1, 0, c, &e) == -ENOSPC &&
		      strstr(e.text, "need 1, have 0"),
	      "%s", e.text);
	event_table_free(t);
}

/* Counters 0 and 1; in the next sets 2 and 3, 4 and 5, ... */
TEST(counters_that_take_turns)
{
	static const struct {
		const char *texts[4];
		size_t nr;
		uint64_t there;
		int err, counters[4];
		unsigned int sets;
	} cases[] = {
		{ { "CYCLES:6000", "L2:500" }, 2, 0xff, 0, { 1, 0 }, 1 },
		{ { "CYCLES:6000", "L2:500", "LLC:500" }, 3, 0xff, 0, { 0, 2, 1 }, 2 },
		{ { "L2:500", "ONE:500", "L2:500:1" }, 3, 0xff, 0, { 0, 2, 4 }, 3 },
		{ { "L2:500", "IBS:500", "ONE:500" }, 3, 0xff, 0, { 0, COUNTER_NONE, 2 }, 2 },
		{ { "L2:500", "ONE:500", "L2:500:1" }, 3, 0xf, -ENOSPC, { 0 }, 0 },
		{ { "CYCLES:6000", "L2:500", "LLC:500" }, 3, 3, -ENOSPC, { 0 }, 0 },
		{ { "L2:500", "L2:600" }, 2, 0xff, -EINVAL, { 0 }, 0 },
		{ { "TWICE:500" }, 1, 1, -ENOSPC, { 0 }, 0 },
	};
	struct event_table *t = table();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct op_error e = { "" };
		struct event_choice c[4];
		unsigned int sets = 0;
		int err;

		for (size_t j = 0; j < cases[i].nr; j++)
			CHECK(!ask(t, cases[i].texts[j], 0, &c[j], &e), "%s", e.text);
		err = event_requests_alloc_sets(c, cases[i].nr, 2, cases[i].there, &sets, &e);
		CHECK(err == cases[i].err && sets == cases[i].sets, "case %zu: %d, %u sets, %s", i,
		      err, sets, e.text);
		CHECK(!err == !*e.text, "case %zu: a sentence for each error", i);
		for (size_t j = 0; j < cases[i].nr && !err; j++)
			CHECK(c[j].counter == cases[i].counters[j], "case %zu: %s on %d", i,
			      cases[i].texts[j], c[j].counter);
	}
	event_table_free(t);
}

TEST_MAIN()
