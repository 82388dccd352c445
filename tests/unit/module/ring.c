// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - the per-CPU ring: when context is written, overflow, nesting, and two threads using it
 *
 * Run it under -fsanitize=thread too (make SAN=thread O=...), which checks the barriers.
 */
#include <pthread.h>
#include <sched.h>
#include "module/ring.h"
#include "tests/tap.h"

static struct op_entry entries[64];
static struct op_ring ring;

static struct op_owner owner(u32 tid, bool user, u32 generation)
{
	return (struct op_owner){ .mm = tid * 16, .tid = tid, .tgid = tid, .user = user,
				  .generation = generation };
}

static bool log_one(const struct op_owner *o, u64 pc)
{
	bool logged;

	if (!op_ring_enter(&ring))
		return false;
	logged = op_ring_log(&ring, o, pc, 0, 0);
	op_ring_leave(&ring);
	return logged;
}

TEST(owner_is_written_only_when_it_changes)
{
	struct op_owner o = owner(1, true, 1);

	op_ring_init(&ring, entries, 64);
	CHECK(log_one(&o, 1) && op_ring_filled(&ring) == 4, "%u", op_ring_filled(&ring));
	CHECK(log_one(&o, 2) && op_ring_filled(&ring) == 5, "%u", op_ring_filled(&ring));
	o.user = false;
	CHECK(log_one(&o, 3) && op_ring_filled(&ring) == 7, "%u", op_ring_filled(&ring));
	o = owner(2, false, 1);
	CHECK(log_one(&o, 4) && op_ring_filled(&ring) == 10, "%u", op_ring_filled(&ring));
	o.generation = 2;	/* a reader may begin here: everything is repeated */
	CHECK(log_one(&o, 5) && op_ring_filled(&ring) == 14, "%u", op_ring_filled(&ring));
}

TEST(context_that_did_not_fit_is_repeated)
{
	struct op_owner a = owner(1, true, 1), b = owner(2, true, 1);

	op_ring_init(&ring, entries, 8);
	for (int i = 0; i < 3; i++)
		CHECK(log_one(&a, i), "%d", i);
	CHECK(op_ring_filled(&ring) == 6, "%u", op_ring_filled(&ring));
	CHECK(!log_one(&b, 10), "two entries hold no task note and sample");
	CHECK(op_ring_filled(&ring) == 6, "%u", op_ring_filled(&ring));
	op_ring_consume(&ring, 6);
	CHECK(log_one(&b, 11), "room again");
	CHECK(op_ring_filled(&ring) == 3, "the task must be logged now: %u", op_ring_filled(&ring));
	CHECK(op_ring_peek(&ring, 0)->kind == OP_ENTRY_TASK && op_ring_peek(&ring, 0)->small == 2,
	      "kind %d", op_ring_peek(&ring, 0)->kind);
}

static bool log_record(const struct op_owner *o, u64 pc, const u64 *data, u32 nr)
{
	bool logged;

	if (!op_ring_enter(&ring))
		return false;
	logged = op_ring_log_record(&ring, o, pc, 77, 14, data, nr, NULL);
	op_ring_leave(&ring);
	return logged;
}

/* Samples of all kinds are moved from one ring to another, and within it, until it is full. */
TEST(copies_are_what_they_were)
{
	static const u64 data[] = { 21, 22, 23 };
	static struct op_entry more[32];
	struct op_owner a = owner(1, true, 1), b = owner(2, false, 1);
	u64 callers[] = { 31, 32, 33 };
	struct op_stack stack = { .callers = callers, .nr = 3, .nr_kernel = 1, .end = 5 };
	struct op_ring to;

	op_ring_init(&ring, entries, 64);
	op_ring_init(&to, more, 32);
	op_ring_log(&ring, &a, 10, 7, 1);
	op_ring_log_record(&ring, &b, 20, 8, 14, data, 3, NULL);
	op_ring_log_stack(&ring, &b, 30, 9, 2, &stack);
	op_ring_log_record(&ring, &b, 40, 9, 14, data, 3, &stack);
	op_ring_consume(&ring, 3);
	CHECK(op_ring_copy(&to, &ring, &a) && op_ring_filled(&to) == 4, "a sample");
	op_ring_consume(&ring, 1 + 3);
	CHECK(op_ring_copy(&to, &ring, &b) && op_ring_filled(&to) == 4 + 3 + 4, "a record");
	op_ring_consume(&ring, 4);
	CHECK(op_ring_copy(&to, &ring, &b) && op_ring_filled(&to) == 11 + 4, "a stack");
	op_ring_consume(&to, 3);
	CHECK(op_ring_peek(&to, 0)->value == 10 && op_ring_peek(&to, 0)->small == 7, "first");
	CHECK(op_ring_copy(&to, &to, &a) && op_ring_filled(&to) == 12 + 4, "to its own end");
	op_ring_consume(&to, 1 + 3);
	CHECK(op_ring_sample_entries(&to) == 4 && op_ring_peek(&to, 3)->value == 23, "second");
	op_ring_consume(&to, 4);
	stack = op_ring_stack(&to);
	CHECK(stack.nr == 3 && stack.nr_kernel == 1 && stack.end == 5, "third");
	for (u32 i = 0; i < 3; i++)
		CHECK(op_ring_caller(&to, i) == 31 + i, "caller %u", i);
	op_ring_consume(&ring, 4);
	op_ring_consume(&to, 4);
	CHECK(op_ring_copy(&to, &ring, &b) && op_ring_sample_entries(&ring) == 1 + 3 + 3 &&
	      op_ring_filled(&ring) == 7, "a record with a stack");
	op_ring_consume(&to, 4 + 3);		/* the first again, and the next task and mode */
	stack = op_ring_stack(&to);
	CHECK(op_ring_sample_entries(&to) == 7 && op_ring_peek(&to, 3)->value == 23 &&
	      stack.nr == 3 && stack.nr_kernel == 1 && stack.end == 5, "its data and stack");
	for (u32 i = 0; i < 3; i++)
		CHECK(op_ring_caller(&to, i) == 31 + i, "its caller %u", i);
	while (op_ring_copy(&to, &to, &b))
		;
	CHECK(op_ring_filled(&to) <= 32 && op_ring_peek(&to, 0)->value == 40, "full");
}

TEST(records_are_whole_and_wrap)
{
	static const u64 data[OP_RING_DATA] = { ~0ull, 2, 3, 4, 5, 6, 7 };
	struct op_owner o = owner(1, true, 1);

	op_ring_init(&ring, entries, 16);
	CHECK(log_record(&o, 100, data, 7) && op_ring_filled(&ring) == 11, "%u",
	      op_ring_filled(&ring));
	CHECK(!log_record(&o, 101, data, 5) && op_ring_filled(&ring) == 11,
	      "a record of six entries needs more than five");
	op_ring_consume(&ring, 11);
	CHECK(log_record(&o, 102, data, 7) && op_ring_filled(&ring) == 8, "it wraps");
	const struct op_entry *e = op_ring_peek(&ring, 0);

	CHECK(e->kind == OP_ENTRY_RECORD && e->value == 102 && e->small == 77, "kind %d", e->kind);
	CHECK(op_record_code(e) == 14 && op_record_data(e) == 7, "0x%x", e->event);
	for (u32 i = 0; i < 7; i++)
		CHECK(op_ring_peek(&ring, 1 + i)->kind == OP_ENTRY_DATA &&
		      op_ring_peek(&ring, 1 + i)->value == data[i], "word %u", i);
}

static bool log_stack(const struct op_owner *o, u64 pc, const struct op_stack *c)
{
	bool logged;

	if (!op_ring_enter(&ring))
		return false;
	logged = op_ring_log_stack(&ring, o, pc, 77, 3, c);
	op_ring_leave(&ring);
	return logged;
}

TEST(stacks_are_whole_and_wrap)
{
	static u64 callers[] = { ~0ull, 2, 3, 4, 5, 6, 7 };
	struct op_stack c = { .callers = callers, .nr = 7, .nr_kernel = 3, .end = 0x102 };
	struct op_owner o = owner(1, true, 1);

	op_ring_init(&ring, entries, 16);
	CHECK(log_stack(&o, 100, &c) && op_ring_filled(&ring) == 3 + 1 + OP_RING_CALLERS(7),
	      "%u", op_ring_filled(&ring));
	CHECK(log_one(&o, 101) && log_one(&o, 102), "two more");
	CHECK(!log_stack(&o, 103, &c) && op_ring_filled(&ring) == 11, "five are too few for six");
	op_ring_consume(&ring, 3);
	CHECK(op_ring_sample_entries(&ring) == 6, "%u", op_ring_sample_entries(&ring));
	op_ring_consume(&ring, 6);
	CHECK(op_ring_sample_entries(&ring) == 1, "a plain one");
	op_ring_consume(&ring, 2);
	CHECK(log_stack(&o, 104, &c) && log_stack(&o, 105, &c), "it wraps");
	op_ring_consume(&ring, op_ring_sample_entries(&ring));
	const struct op_entry *e = op_ring_peek(&ring, 0);
	struct op_stack got = op_ring_stack(&ring);

	CHECK(e->kind == OP_ENTRY_STACK && e->value == 105 && e->small == 77 && e->event == 3,
	      "kind %d", e->kind);
	CHECK(got.nr == 7 && got.nr_kernel == 3 && got.end == 0x102, "%u of %u", got.nr_kernel,
	      got.nr);
	for (u32 i = 0; i < 7; i++)
		CHECK(op_ring_caller(&ring, i) == callers[i], "caller %u", i);
}

TEST(stacks_of_any_length_have_the_computed_size)
{
	static u64 callers[1024];
	static struct op_entry room[1024];
	struct op_owner o = owner(1, true, 1);

	op_ring_init(&ring, room, 1024);
	for (u32 nr = 0; nr <= 1024; nr++) {
		struct op_stack c = { .callers = callers, .nr = nr, .nr_kernel = nr / 2 };
		u32 used = op_ring_filled(&ring), switch_entries = nr ? 0 : 3;

		CHECK(log_stack(&o, nr, &c), "%u callers", nr);
		used = op_ring_filled(&ring) - used - switch_entries;
		op_ring_consume(&ring, switch_entries);
		CHECK(used == op_ring_sample_entries(&ring) && used <= 1 + OP_RING_CALLERS(nr),
		      "%u callers, %u entries", nr, used);
		CHECK(op_ring_stack(&ring).nr == nr, "%u", nr);
		op_ring_consume(&ring, used);
	}
}

TEST(nested_writer_drops_its_sample)
{
	struct op_owner o = owner(1, true, 1);
	u32 turn;

	op_ring_init(&ring, entries, 64);
	CHECK(op_ring_enter(&ring), "free");
	turn = op_ring_turn(&ring);
	CHECK(!op_ring_quiet(&ring, turn), "at work");
	CHECK(!log_one(&o, 1), "an NMI finds it taken");
	op_ring_leave(&ring);
	CHECK(op_ring_quiet(&ring, turn), "done");
	CHECK(log_one(&o, 2), "free again");
}

/* ---- a writer and a reader, as the interrupt and the sync ---- */

#define SAMPLES 400000u

static u32 generation = 1;
static u32 written, overflowed, finished;

/* Every third sample has callers, whose addresses and number follow from its pc. */
static bool log_any(const struct op_owner *o, u32 i)
{
	u64 callers[8];
	struct op_stack c = { .callers = callers, .nr = i % 8, .nr_kernel = i % 3, .end = i };

	if (i % 3)
		return op_ring_log(&ring, o, i, o->generation, 0);
	for (u32 n = 0; n < c.nr; n++)
		callers[n] = i + n;
	return op_ring_log_stack(&ring, o, i, o->generation, 0, &c);
}

static bool stack_is_right(u32 i)
{
	struct op_stack c = op_ring_stack(&ring);
	u32 n = 0;

	while (n < c.nr && op_ring_caller(&ring, n) == i + n)
		n++;
	return n == i % 8 && c.nr == n && c.nr_kernel == i % 3 && c.end == i;
}

static void *writer(void *unused)
{
	for (u32 i = 0; i < SAMPLES; i++) {
		struct op_owner o;

		if (!op_ring_enter(&ring))
			abort();
		o = owner(1 + i / 7 % 5, i / 3 % 2, READ_ONCE(generation));
		if (log_any(&o, i))
			written++;
		else
			overflowed++;
		op_ring_leave(&ring);
		if (i % 64 == 0)
			sched_yield();
	}
	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	return unused;
}

struct reading {
	u32 read, wrong, late;
	u64 last_pc;
	struct op_owner o;
};

/* A pass like buffer_sync's; a sample's pc implies its owner, its sequence the generation. */
static void pass(struct reading *s)
{
	u32 old = generation, left, used;

	smp_store_mb(generation, old + 1);
	for (u32 turn = op_ring_turn(&ring); !op_ring_quiet(&ring, turn);)
		sched_yield();
	for (left = op_ring_filled(&ring); left; left -= used) {
		const struct op_entry *e = op_ring_peek(&ring, 0);

		used = 1;
		if (e->kind == OP_ENTRY_TASK) {
			const struct op_entry *more = op_ring_peek(&ring, 1);

			if (more->value > old)
				break;
			used = 2;
			s->o.tid = e->small;
			s->o.generation = more->value;
		} else if (e->kind == OP_ENTRY_MODE) {
			s->o.user = e->value;
		} else {
			s->read++;
			s->wrong += s->o.tid != 1 + e->value / 7 % 5 ||
				    s->o.user != e->value / 3 % 2 ||
				    s->o.generation != e->small ||
				    (s->read > 1 && e->value <= s->last_pc) ||
				    (e->kind == OP_ENTRY_STACK) != (e->value % 3 == 0) ||
				    (e->value % 3 == 0 && !stack_is_right(e->value));
			used = op_ring_sample_entries(&ring);
			s->late += e->small < old;	/* an older pass should have had it */
			s->last_pc = e->value;
		}
		op_ring_consume(&ring, used);
	}
}

TEST(no_sample_is_lost_between_threads)
{
	struct reading s = { 0 };
	pthread_t thread;
	bool last;

	op_ring_init(&ring, entries, 64);
	pthread_create(&thread, NULL, writer, NULL);
	do {
		last = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
		pass(&s);
		sched_yield();
	} while (!last);
	pthread_join(thread, NULL);
	CHECK(s.read == written && written + overflowed == SAMPLES,
	      "read %u, written %u, overflowed %u", s.read, written, overflowed);
	CHECK(!s.wrong, "%u samples under a wrong owner", s.wrong);
	CHECK(!s.late, "%u samples came a generation late", s.late);
}

TEST_MAIN()
