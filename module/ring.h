/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - one CPU's ring of samples: written by its interrupts, read by buffer_sync
 *
 * No locks: the CPU's interrupt is the only writer and moves only head, the sync is the only
 * reader and moves only tail. An NMI may hit while a lower interrupt writes; the inner one finds
 * the ring taken and gives its sample up (the caller counts it).
 *
 * A sample's task and mode are written before it, only when they differ from the last ones
 * written, and remembered only once they are in the ring: what did not fit was not said. A new
 * generation makes them be said again, so a reader that begins with one knows everything.
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
 * A pairs with B: either the writer sees the new generation, or the reader sees it at work and
 * waits for it. So once op_ring_quiet() returned, whatever was taken under an older generation
 * lies below head. C publishes entries, D gives their room back.
 */
#ifndef MODULE_RING_H
#define MODULE_RING_H

#include "module/portable.h"

enum op_entry_kind {
	OP_ENTRY_SAMPLE,	/* value: pc; small: unmap sequence; event */
	OP_ENTRY_TASK,		/* value: mm as a number; small: tid */
	OP_ENTRY_TASK_MORE,	/* value: generation; small: tgid */
	OP_ENTRY_MODE,		/* value: 1 user, 0 kernel */
	OP_ENTRY_RECORD,	/* a sample, its event op_record(); then its entries of data */
	OP_ENTRY_DATA,		/* value: what the CPU wrote down */
	OP_ENTRY_STACK,		/* as a sample; then OP_ENTRY_CALLERS */
	OP_ENTRY_CALLERS,	/* value: callers, in the kernel in the upper half; small: end; */
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

/* Who called what a sample hit, innermost first: kernel functions, then user ones. */
struct op_stack {
	u64 *callers;
	u32 nr, nr_kernel;
	u32 end;		/* the word of OP_STACK_END */
};

/* Whom a sample belongs to. */
struct op_owner {
	u64 mm;			/* as a number, not to be followed; 0: none */
	u32 tid, tgid;
	u32 generation;
	bool user;
};

struct op_ring {
	struct op_entry *entries;
	u32 mask;		/* entries - 1, which are a power of two */

	/* the writer's */
	u32 head ____cacheline_aligned;
	u32 turn;		/* odd while an interrupt writes */
	bool said;		/* last is in the ring */
	struct op_owner last;

	/* the reader's */
	u32 tail ____cacheline_aligned;
};

/* Most entries one sample can need, without data; most of data; with @nr callers, besides. */
#define OP_RING_RECORD		4
#define OP_RING_DATA		7
#define OP_RING_CALLERS(nr)	(1 + ((nr) + 1) / 2)

/* A record's note in the event buffer, and its entries of data, in the event of an entry. */
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

/* @entries: a power of two, at least OP_RING_RECORD + OP_RING_DATA; stays the caller's. */
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

/* Entries in use, as the writer sees it; never too few. */
static inline u32 op_ring_used(struct op_ring *r)
{
	return r->head - smp_load_acquire(&r->tail);	/* D, pairs with op_ring_consume() */
}

/*
 * Begin to write @sample, which @more entries are to follow, behind what must be said of @o before
 * it. false: no room. Nothing is in the ring before op_ring_end().
 */
static __always_inline bool op_ring_begin(struct op_ring *r, const struct op_owner *o,
					  struct op_entry sample, u32 more, u32 *ret_at)
{
	bool task = !r->said || r->last.mm != o->mm || r->last.tid != o->tid ||
		    r->last.tgid != o->tgid || r->last.generation != o->generation;
	bool mode = !r->said || r->last.user != o->user ||
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

/* All up to @at is written. */
static __always_inline void op_ring_end(struct op_ring *r, const struct op_owner *o, u32 at)
{
	smp_store_release(&r->head, at);		/* C, pairs with op_ring_filled() */
	r->last = *o;
	r->said = true;
}

/* Log one sample, between enter and leave. false: no room, and nothing was changed. */
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

/* One with @nr words of data, at most OP_RING_DATA, to become a note of @code. */
static inline bool op_ring_log_record(struct op_ring *r, const struct op_owner *o, u64 pc,
				      u32 sequence, u32 code, const u64 *data, u32 nr)
{
	struct op_entry e = { .kind = OP_ENTRY_RECORD, .value = pc, .small = sequence,
			      .event = op_record(code, nr) };
	u32 at, i;

	if (!op_ring_begin(r, o, e, nr, &at))
		return false;
	for (i = 0; i < nr; i++)
		r->entries[at++ & r->mask] = (struct op_entry){
			.kind = OP_ENTRY_DATA, .value = data[i] };
	op_ring_end(r, o, at);
	return true;
}

/* One with its callers. */
static inline bool op_ring_log_stack(struct op_ring *r, const struct op_owner *o, u64 pc,
				     u32 sequence, u16 event, const struct op_stack *c)
{
	struct op_entry e = {
		.kind = OP_ENTRY_STACK, .value = pc, .small = sequence, .event = event };
	u32 at, i;

	if (!op_ring_begin(r, o, e, OP_RING_CALLERS(c->nr), &at))
		return false;
	r->entries[at++ & r->mask] = (struct op_entry){
		.kind = OP_ENTRY_CALLERS, .value = (u64)c->nr_kernel << 32 | c->nr,
		.small = c->end };
	for (i = 0; i < c->nr; i += 2)
		r->entries[at++ & r->mask] = (struct op_entry){
			.value = c->callers[i], .more = i + 1 < c->nr ? c->callers[i + 1] : 0 };
	op_ring_end(r, o, at);
	return true;
}

/* ---- the reader's side							[task] */

/*
 * Whether the writer seen at work in @turn (from op_ring_turn(), taken after the generation was
 * changed and a full barrier, B) has finished.
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

/* The @i-th unread entry, below what op_ring_filled() told. */
static inline const struct op_entry *op_ring_peek(const struct op_ring *r, u32 i)
{
	return &r->entries[(r->tail + i) & r->mask];
}

/* The callers of the stack that is next to be read; their addresses by op_ring_caller(). */
static inline struct op_stack op_ring_stack(const struct op_ring *r)
{
	const struct op_entry *e = op_ring_peek(r, 1);

	return (struct op_stack){ .nr = e->value, .nr_kernel = e->value >> 32, .end = e->small };
}

static inline u64 op_ring_caller(const struct op_ring *r, u32 i)
{
	const struct op_entry *e = op_ring_peek(r, 2 + i / 2);

	return i % 2 ? e->more : e->value;
}

/* Entries that the sample next to be read takes. */
static inline u32 op_ring_sample_entries(const struct op_ring *r)
{
	const struct op_entry *e = op_ring_peek(r, 0);

	if (e->kind == OP_ENTRY_RECORD)
		return 1 + op_record_data(e);
	return e->kind == OP_ENTRY_STACK ? 1 + OP_RING_CALLERS(op_ring_stack(r).nr) : 1;
}

static inline void op_ring_consume(struct op_ring *r, u32 nr)
{
	smp_store_release(&r->tail, r->tail + nr);	/* D, pairs with op_ring_used() */
}

#endif
