// SPDX-License-Identifier: GPL-2.0-or-later
/* buffer_sync.c - samples of a process that cannot be looked at: what happens to those behind */
#include "tests/tap.h"
#include "tests/unit/module/files/fake.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "module/buffer_sync.c"
#pragma GCC diagnostic pop

struct op_cpu_buffer op_cpu_buffers;
struct op_stats op_stats;

/* The process STUCK has its mmap_lock taken; a final look finds nothing. */
enum { STUCK = 1, OTHER = 2, CALLED = 3 };
static bool is_stuck;

void op_walk_begin(struct op_walk *w, u64 mm)
{
	w->start = mm;
}

void op_walk_end(struct op_walk *w)
{
	w->start = 0;
}

op_word op_walk_app(struct op_walk *w)
{
	return w->start;
}

int op_walk_user(struct op_walk *w, unsigned long pc, u32 sequence, bool final,
		 struct op_place *ret)
{
	(void)sequence;
	ret->address = pc;
	if (w->start != STUCK || !is_stuck)
		return 0;
	return final ? -ENOENT : -EAGAIN;
}

int op_walk_caller(struct op_walk *w, unsigned long address, u32 sequence, bool final,
		   struct op_place *ret)
{
	return op_walk_user(w, address, sequence, final, ret);
}

/* The event buffer: addresses in their order, with the process. */
static struct {
	u64 address, tid, nr_callers;
} events[100];
static u32 nr_events;

void op_event_stack_begin(const struct op_context *c, u64 address, u32 event)
{
	(void)event;
	CHECK(c->tid == c->app, "the owner is the process that was looked at");
	events[nr_events].address = address;
	events[nr_events].tid = c->tid;
	events[nr_events].nr_callers = 0;
}

void op_event_stack_begin_ibs(const struct op_context *c, u64 address, u32 code, const u64 *data,
			      u32 nr)
{
	(void)code, (void)data, (void)nr;
	op_event_stack_begin(c, address, 0);
}

void op_event_stack_caller(const struct op_context *c, u64 address)
{
	(void)c, (void)address;
	events[nr_events].nr_callers++;
}

bool op_event_stack_end(u32 end)
{
	(void)end;
	nr_events++;
	return true;
}

bool op_event_sample(const struct op_context *c, u64 address, u32 event)
{
	op_event_stack_begin(c, address, event);
	return op_event_stack_end(0);
}

bool op_event_ibs(const struct op_context *c, u64 address, u32 code, const u64 *data, u32 nr)
{
	(void)code, (void)data, (void)nr;
	return op_event_sample(c, address, 0);
}

static u32 dropped_upto;

void op_pins_drop(u32 upto)
{
	dropped_upto = upto;
}

/* What a pass also does, and this test does not look at. */
void op_event_reset_context(void) {}
void op_event_flush(void) {}
void op_event_wake_if_full(void) {}
void op_cookies_begin_pass(void) {}
void op_event_module(bool came, u64 start, u64 size, const char *name)
{
	(void)came, (void)start, (void)size, (void)name;
}
bool op_event_want_table(op_word cookie) { return cookie; }
bool op_cookie_is_known(op_word cookie) { return cookie; }
bool op_image_release(op_word cookie) { return cookie; }
bool op_cookies_end_pass(bool (*release)(op_word number)) { return !release; }
unsigned int op_images_report_missed(bool (*report)(op_word cookie)) { return !report; }

static struct op_entry entries[64], aside[8];

static void begin(void)
{
	memset(&op_stats, 0, sizeof(op_stats));
	op_ring_init(&op_cpu_buffers.ring, entries, 64);
	op_ring_init(&op_cpu_buffers.aside, aside, 8);
	op_cpu_buffers.reader = op_cpu_buffers.aside_reader = (struct op_owner){ 0 };
	nr_events = 0;
	is_stuck = true;
}

/* A sample of @process at @pc; with two callers, if it is CALLED. */
static void take(u32 process, u64 pc)
{
	u64 callers[] = { 1, 2 };
	struct op_stack stack = { .callers = callers, .nr = 2 };
	struct op_owner o = { .mm = process, .tid = process, .tgid = process, .user = true,
			      .generation = op_generation };
	struct op_ring *r = &op_cpu_buffers.ring;

	CHECK(op_ring_enter(r) && (process == CALLED ? op_ring_log_stack(r, &o, pc, 0, 0, &stack) :
				   op_ring_log(r, &o, pc, 0, 0)), "logged");
	op_ring_leave(r);
}

static unsigned long lost(void)
{
	return op_stats.n[OP_STAT_LOST_NO_MAPPING];
}

TEST(a_stuck_process_delays_no_other)
{
	u32 taken;

	begin();
	taken = op_generation;
	take(STUCK, 10);
	take(OTHER, 20);
	take(STUCK, 11);
	take(CALLED, 30);
	CHECK(!sync_pass(false), "some are left");
	CHECK(nr_events == 2 && events[0].address == 20 && events[0].tid == OTHER &&
	      events[1].address == 30 && events[1].nr_callers == 2, "the others are delivered");
	CHECK(dropped_upto == taken - 1, "what the others need is kept");
	CHECK(!sync_pass(false) && nr_events == 2 && dropped_upto == taken - 1, "again");
	is_stuck = false;
	take(OTHER, 21);
	CHECK(sync_pass(false), "none is left");
	CHECK(nr_events == 5 && events[2].address == 10 && events[2].tid == STUCK &&
	      events[3].address == 11 && events[4].address == 21, "those set aside come first");
	CHECK(dropped_upto == op_generation - 1 && !lost(), "nothing is needed any more");
}

TEST(no_sample_is_set_aside_for_long)
{
	begin();
	take(STUCK, 10);
	CHECK(!sync_pass(false) && !lost(), "set aside");
	jiffies += PATIENCE;
	CHECK(!sync_pass(false) && !lost(), "still");
	jiffies++;
	CHECK(sync_pass(false) && lost() == 1 && !nr_events, "lost under its reason");
	take(STUCK, 10);
	for (int i = 0; i < NR_TIMES; i++)
		CHECK(!sync_pass(false), "pass %d", i);
	CHECK(sync_pass(false) && lost() == 2, "after that many passes");
	take(STUCK, 10);
	CHECK(sync_pass(true) && lost() == 3, "at once, in the last pass");
}

TEST(where_samples_are_set_aside_is_full)
{
	begin();
	for (int i = 0; i < 20; i++)
		take(STUCK, i);
	take(OTHER, 20);
	CHECK(!sync_pass(false) && lost() > 10 && lost() < 20, "%lu lost", lost());
	CHECK(nr_events == 1 && events[0].address == 20, "the other is delivered");
	is_stuck = false;
	CHECK(sync_pass(false) && nr_events + lost() == 21, "each is delivered or counted");
	CHECK(nr_events == op_stats.n[OP_STAT_DELIVERED], "as delivered");
}

TEST_MAIN()
