/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - one CPU's ring of samples: written by its interrupts, read by buffer_sync
 *
 * No locks: the CPU's interrupt is the only writer and moves only head, the sync is the only reader
 * and moves only tail. An NMI may hit while a lower interrupt writes; it finds the ring taken and
 * drops its sample (the caller counts it).
 *
 * A sample's task and mode are written before it, but only if they differ from the last ones in the
 * ring. A new generation repeats them, so that a reader that begins with one has the whole context.
 *
 *	writer (this CPU's interrupt)		reader (the sync, any CPU)
 *
 *	turn = odd		   A		generation = new	 B
 *	mb				   	mb
 *	read generation				read turn
 *	read tail, acquire	   D		wait while it is odd and the same
 *	write entries				read head, acquire	 C
 *	head = ..., release	   C		read entries
 *	turn = even, release			tail = ..., release	 D
 *
 * A pairs with B: either the writer sees the new generation, or the reader sees it writing and
 * waits for it. So once op_ring_quiet() is true, all samples taken under an older generation lie
 * below head. C publishes entries, D frees them.
 */
#ifndef MODULE_RING_H
#define MODULE_RING_H

#include "module/portable.h"

enum op_entry_kind {
	OP_ENTRY_SAMPLE,	/* value: pc; small: unmap sequence; event */
	OP_ENTRY_TASK,		/* value: mm as a number; small: tid */
	OP_ENTRY_TASK_MORE,	/* value: generation; small: tgid */
	OP_ENTRY_MODE,		/* value: 1 user, 0 kernel */
	OP_ENTRY_RECORD,	/* as a sample, but event is op_record(); then OP_ENTRY_DATA */
	OP_ENTRY_DATA,		/* value: a register that the CPU recorded */
	OP_ENTRY_STACK,		/* as a sample; then OP_ENTRY_CALLERS */
	OP_ENTRY_RECORD_STACK,	/* as a record; OP_ENTRY_CALLERS after its data */
	OP_ENTRY_CALLERS,	/* value: nr of callers, kernel's in the upper half; small: end; */
				/* then entries with two callers each, value and more */
};

struct op_entry {
	u64 value;
	union {
		struct {
			u32 small;
			u16 kind;
			u16 event;
		};
		u64 more;
	};
};

/* The callers of a sample, innermost first: kernel functions, then user ones. */
struct op_stack {
	u64 *callers;
	u32 nr, nr_kernel;
	u32 end;		/* the word of OP_STACK_END */
};

/* The task and mode of a sample. */
struct op_owner {
	u64 mm;			/* as a number, not to be followed; 0: none */
	u32 tid, tgid;
	u32 generation;
	bool user;
};

struct op_ring {
	struct op_entry *entries;
	u32 mask;		/* entries - 1, which are a power of two */

	/* changed by the writer */
	u32 head ____cacheline_aligned;
	u32 turn;		/* odd while an interrupt writes */
	bool has_last;		/* last is valid: it is in the ring */
	struct op_owner last;

	/* changed by the reader */
	u32 tail ____cacheline_aligned;
};

/* Most entries of a sample without data; most entries of data; further ones for @nr callers. */
#define OP_RING_RECORD		4
#define OP_RING_DATA		7
#define OP_RING_CALLERS(nr)	(1 + ((nr) + 1) / 2)

/* The event of a record's entry: its note in the event buffer, and its number of data entries. */
static inline u16 op_record(u32 code, u32 nr)
{
	return code << 8 | nr;
}

static inline u32 op_record_code(const struct op_entry *e)
{
	return e->event >> 8;
}

static inline u32 op_record_data(const struct op_entry *e)
{
	return e->event & 0xff;
}

/* @nr: a power of two, at least OP_RING_RECORD + OP_RING_DATA; the caller owns @entries. */
static inline void op_ring_init(struct op_ring *r, struct op_entry *entries, u32 nr)
{
	memset(r, 0, sizeof(*r));
	r->entries = entries;
	r->mask = nr - 1;
}

/* ---- the writer's side							[nmi] */

/* false: an interrupt below this one is writing. Otherwise op_ring_leave() must follow. */
static inline bool op_ring_enter(struct op_ring *r)
{
	u32 turn = READ_ONCE(r->turn);

	if (turn & 1)
		return false;
	smp_store_mb(r->turn, turn + 1);		/* A, pairs with B in op_ring_quiet() */
	return true;
}

static inline void op_ring_leave(struct op_ring *r)
{
	smp_store_release(&r->turn, r->turn + 1);
}

/* Entries in use as seen by the writer: an upper bound. */
static inline u32 op_ring_used(struct op_ring *r)
{
	return r->head - smp_load_acquire(&r->tail);	/* D, pairs with op_ring_consume() */
}

/*
 * Write the context @o as far as it changed, then @sample, to be followed by @more entries. false:
 * no room. Nothing is in the ring before op_ring_end().
 */
static __always_inline bool op_ring_begin(struct op_ring *r, const struct op_owner *o,
					  struct op_entry sample, u32 more, u32 *ret_at)
{
	bool task = !r->has_last || r->last.mm != o->mm || r->last.tid != o->tid ||
		    r->last.tgid != o->tgid || r->last.generation != o->generation;
	bool mode = !r->has_last || r->last.user != o->user ||
		    r->last.generation != o->generation;
	u32 need = 1 + more + 2 * task + mode, at = r->head;

	if (r->mask + 1 - op_ring_used(r) < need)
		return false;
	if (task) {
		r->entries[at++ & r->mask] = (struct op_entry){
			.kind = OP_ENTRY_TASK, .value = o->mm, .small = o->tid };
		r->entries[at++ & r->mask] = (struct op_entry){
			.kind = OP_ENTRY_TASK_MORE, .value = o->generation, .small = o->tgid };
	}
	if (mode)
		r->entries[at++ & r->mask] = (struct op_entry){
			.kind = OP_ENTRY_MODE, .value = o->user };
	r->entries[at++ & r->mask] = sample;
	*ret_at = at;
	return true;
}

/* Publish all entries up to @at. */
static __always_inline void op_ring_end(struct op_ring *r, const struct op_owner *o, u32 at)
{
	smp_store_release(&r->head, at);		/* C, pairs with op_ring_filled() */
	r->last = *o;
	r->has_last = true;
}

/* Log one sample, between enter and leave. false: no room, nothing changed. */
static inline bool op_ring_log(struct op_ring *r, const struct op_owner *o, u64 pc, u32 sequence,
			       u16 event)
{
	struct op_entry e = {
		.kind = OP_ENTRY_SAMPLE, .value = pc, .small = sequence, .event = event };
	u32 at;

	if (!op_ring_begin(r, o, e, 0, &at))
		return false;
	op_ring_end(r, o, at);
	return true;
}

/* Write the OP_RING_CALLERS() entries of @c at @at. Returns the end. */
static inline u32 op_ring_put_callers(struct op_ring *r, u32 at, const struct op_stack *c)
{
	u32 i;

	r->entries[at++ & r->mask] = (struct op_entry){
		.kind = OP_ENTRY_CALLERS, .value = (u64)c->nr_kernel << 32 | c->nr,
		.small = c->end };
	for (i = 0; i < c->nr; i += 2)
		r->entries[at++ & r->mask] = (struct op_entry){
			.value = c->callers[i], .more = i + 1 < c->nr ? c->callers[i + 1] : 0 };
	return at;
}

/*
 * Log a sample with @nr words of data, at most OP_RING_DATA, for a note of @code, and with its
 * callers unless @c is NULL.
 */
static inline bool op_ring_log_record(struct op_ring *r, const struct op_owner *o, u64 pc,
				      u32 sequence, u32 code, const u64 *data, u32 nr,
				      const struct op_stack *c)
{
	struct op_entry e = { .kind = c ? OP_ENTRY_RECORD_STACK : OP_ENTRY_RECORD, .value = pc,
			      .small = sequence, .event = op_record(code, nr) };
	u32 at, i;

	if (!op_ring_begin(r, o, e, nr + (c ? OP_RING_CALLERS(c->nr) : 0), &at))
		return false;
	for (i = 0; i < nr; i++)
		r->entries[at++ & r->mask] = (struct op_entry){
			.kind = OP_ENTRY_DATA, .value = data[i] };
	if (c)
		at = op_ring_put_callers(r, at, c);
	op_ring_end(r, o, at);
	return true;
}

/* Log a sample with its callers. */
static inline bool op_ring_log_stack(struct op_ring *r, const struct op_owner *o, u64 pc,
				     u32 sequence, u16 event, const struct op_stack *c)
{
	struct op_entry e = {
		.kind = OP_ENTRY_STACK, .value = pc, .small = sequence, .event = event };
	u32 at;

	if (!op_ring_begin(r, o, e, OP_RING_CALLERS(c->nr), &at))
		return false;
	op_ring_end(r, o, op_ring_put_callers(r, at, c));
	return true;
}

/* ---- the reader's side							[task] */

/*
 * op_ring_turn() reads the turn after the generation was changed and a full barrier (B);
 * op_ring_quiet() is true once a writer that was active in @turn has finished.
 */
static inline u32 op_ring_turn(struct op_ring *r)
{
	return smp_load_acquire(&r->turn);
}

static inline bool op_ring_quiet(struct op_ring *r, u32 turn)
{
	return !(turn & 1) || smp_load_acquire(&r->turn) != turn;
}

static inline u32 op_ring_filled(struct op_ring *r)
{
	return smp_load_acquire(&r->head) - r->tail;	/* C, pairs with op_ring_log() */
}

/* The @i-th unread entry; @i is below op_ring_filled(). */
static inline const struct op_entry *op_ring_peek(const struct op_ring *r, u32 i)
{
	return &r->entries[(r->tail + i) & r->mask];
}

static inline bool op_entry_is_record(const struct op_entry *e)
{
	return e->kind == OP_ENTRY_RECORD || e->kind == OP_ENTRY_RECORD_STACK;
}

static inline bool op_entry_has_stack(const struct op_entry *e)
{
	return e->kind == OP_ENTRY_STACK || e->kind == OP_ENTRY_RECORD_STACK;
}

/* Where the callers of the sample next to be read begin, if it has any. */
static inline u32 op_ring_callers_at(const struct op_ring *r)
{
	const struct op_entry *e = op_ring_peek(r, 0);

	return 1 + (op_entry_is_record(e) ? op_record_data(e) : 0);
}

/* The stack next to be read; op_ring_caller() has its addresses. */
static inline struct op_stack op_ring_stack(const struct op_ring *r)
{
	const struct op_entry *e = op_ring_peek(r, op_ring_callers_at(r));

	return (struct op_stack){ .nr = e->value, .nr_kernel = e->value >> 32, .end = e->small };
}

static inline u64 op_ring_caller(const struct op_ring *r, u32 i)
{
	const struct op_entry *e = op_ring_peek(r, op_ring_callers_at(r) + 1 + i / 2);

	return i % 2 ? e->more : e->value;
}

/* The number of entries of the sample next to be read. */
static inline u32 op_ring_sample_entries(const struct op_ring *r)
{
	u32 nr = op_ring_callers_at(r);

	if (op_entry_has_stack(op_ring_peek(r, 0)))
		nr += OP_RING_CALLERS(op_ring_stack(r).nr);
	return nr;
}

/*
 * Append the sample next to be read in @from, of the owner @o, to @to, which has no other writer;
 * both may be the same. false: no room, nothing changed.
 */
static inline bool op_ring_copy(struct op_ring *to, const struct op_ring *from,
				const struct op_owner *o)
{
	u32 at, i, nr = op_ring_sample_entries(from);

	if (!op_ring_begin(to, o, *op_ring_peek(from, 0), nr - 1, &at))
		return false;
	for (i = 1; i < nr; i++)
		to->entries[at++ & to->mask] = *op_ring_peek(from, i);
	op_ring_end(to, o, at);
	return true;
}

static inline void op_ring_consume(struct op_ring *r, u32 nr)
{
	smp_store_release(&r->tail, r->tail + nr);	/* D, pairs with op_ring_used() */
}

#endif
