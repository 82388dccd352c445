/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - the words of the event buffer: a ring of them, and the notes between samples
 *
 * One writer (the sync, under its mutex) and one reader (read() on "buffer", under its own) share
 * no lock, so a reader that waits for a page fault never blocks the sync.
 *
 *	writer				reader
 *	read tail, acquire	D	read head, acquire	C
 *	write words			copy words
 *	head = ..., release	C	tail = ..., release	D
 *
 * A record (the notes a sample needs, and the sample) is written whole or not at all. After one
 * that did not fit, the next record repeats the whole context. [EB-4] [EB-9]
 */
#ifndef MODULE_WORDS_H
#define MODULE_WORDS_H

#include "module/portable.h"
#include "oprofilefs/op_abi.h"

struct op_words {
	op_word *words;
	size_t mask;				/* size - 1; the size is a power of two */
	size_t limit;				/* most unread words, at most mask + 1 */
	size_t head ____cacheline_aligned;	/* words ever written */
	size_t tail ____cacheline_aligned;	/* words ever read */
};

/* The mapping of samples without a cookie: OP_ANON_MAP. */
struct op_anon {
	u64 start, end;
	op_word name[OP_ANON_NAME_WORDS];
};

/* A sample's context, which notes before it establish. */
struct op_context {
	u32 cpu, tid, tgid;
	op_word app;			/* cookie of the application, or OP_NO_COOKIE */
	bool user;
	op_word cookie;			/* user only */
	struct op_anon anon;		/* user without cookie only */
};

/* The context established so far. Clear it when a reader begins and after a loss. */
struct op_emitted {
	bool cpu, task, mode, cookie, anon;
	struct op_context last;
};

/* Most words of one sample, and room reserved for module notes. */
#define OP_WORDS_RECORD		(3 + 7 + 2 + 3 + 2 + OP_ANON_MAP_WORDS + 2 + OP_IBS_OP_WORDS + 1)
/* The same with @nr callers: each may need notes of its mode, cookie and mapping. */
#define OP_WORDS_CALLER		(2 + 3 + 2 + OP_ANON_MAP_WORDS + 2)
#define OP_WORDS_STACK(nr)	(2 + OP_WORDS_RECORD + (nr) * OP_WORDS_CALLER + 3)
#define OP_WORDS_MODULE_NOTE	(2 + OP_MODULE_RANGE_WORDS + 2)
#define OP_WORDS_RESERVE	(16 * OP_WORDS_MODULE_NOTE)

/* @nr: a power of two; the caller owns @words. */
static inline void op_words_init(struct op_words *w, op_word *words, size_t nr, size_t limit)
{
	memset(w, 0, sizeof(*w));
	w->words = words;
	w->mask = nr - 1;
	w->limit = limit;
}

static inline size_t op_words_used(struct op_words *w)
{
	return smp_load_acquire(&w->head) - smp_load_acquire(&w->tail);	/* C, D */
}

static inline void op_words_copy_in(struct op_words *w, const op_word *from, u32 nr)
{
	size_t at = w->head;
	u32 i;

	for (i = 0; i < nr; i++)
		w->words[(at + i) & w->mask] = from[i];
	smp_store_release(&w->head, at + nr);		/* C, pairs with the reader's */
}

/* Write @nr words if that leaves @reserve free. false: no room, nothing written. */
static inline bool op_words_put(struct op_words *w, const op_word *from, u32 nr, u32 reserve)
{
	size_t used = w->head - smp_load_acquire(&w->tail);	/* D, pairs with the reader's */

	if (used + nr + reserve > w->limit)
		return false;
	op_words_copy_in(w, from, nr);
	return true;
}

/* The number of contiguous unread words at *ret_first, at most @max. */
static inline size_t op_words_peek(struct op_words *w, const op_word **ret_first, size_t max)
{
	size_t nr = smp_load_acquire(&w->head) - w->tail;	/* C: op_words_copy_in() */
	size_t at = w->tail & w->mask;

	*ret_first = w->words + at;
	if (nr > w->mask + 1 - at)
		nr = w->mask + 1 - at;
	return nr < max ? nr : max;
}

static inline void op_words_consume(struct op_words *w, size_t nr)
{
	smp_store_release(&w->tail, w->tail + nr);	/* D, pairs with op_words_put() */
}

static inline bool op_anon_same(const struct op_anon *a, const struct op_anon *b)
{
	return a->start == b->start && a->end == b->end &&
	       !memcmp(a->name, b->name, sizeof(a->name));
}

/* Write the notes that take the context from @emitted to @c into @out (room: OP_WORDS_RECORD). */
static inline u32 op_context_words(const struct op_emitted *emitted, const struct op_context *c,
				   op_word *out)
{
	const struct op_context *l = &emitted->last;
	u32 n = 0;

	if (!emitted->cpu || l->cpu != c->cpu) {
		out[n++] = OP_ESCAPE;
		out[n++] = OP_CPU_SWITCH;
		out[n++] = c->cpu;
	}
	if (!emitted->task || l->tid != c->tid || l->tgid != c->tgid || l->app != c->app) {
		out[n++] = OP_ESCAPE;
		out[n++] = OP_CTX_SWITCH;
		out[n++] = c->tid;
		out[n++] = c->app;
		out[n++] = OP_ESCAPE;
		out[n++] = OP_CTX_TGID;
		out[n++] = c->tgid;
	}
	if (!emitted->mode || l->user != c->user) {
		out[n++] = OP_ESCAPE;
		out[n++] = c->user ? OP_USER_ENTER : OP_KERNEL_ENTER;
	}
	if (!c->user)
		return n;
	if (!emitted->cookie || l->cookie != c->cookie) {
		out[n++] = OP_ESCAPE;
		out[n++] = OP_COOKIE_SWITCH;
		out[n++] = c->cookie;
	}
	if (c->cookie == OP_NO_COOKIE && (!emitted->anon || !op_anon_same(&l->anon, &c->anon))) {
		out[n++] = OP_ESCAPE;
		out[n++] = OP_ANON_MAP;
		out[n++] = c->anon.start;
		out[n++] = c->anon.end;
		memcpy(out + n, c->anon.name, sizeof(c->anon.name));
		n += OP_ANON_NAME_WORDS;
	}
	return n;
}

/* Notes have established @c. */
static inline void op_emitted_update(struct op_emitted *emitted, const struct op_context *c)
{
	emitted->cpu = emitted->task = emitted->mode = true;
	emitted->last.cpu = c->cpu;
	emitted->last.tid = c->tid;
	emitted->last.tgid = c->tgid;
	emitted->last.app = c->app;
	emitted->last.user = c->user;
	if (!c->user)
		return;
	emitted->cookie = true;
	emitted->last.cookie = c->cookie;
	if (c->cookie == OP_NO_COOKIE) {
		emitted->anon = true;
		emitted->last.anon = c->anon;
	}
}

/*
 * Write @record, @n words that begin with the notes for @c. false: no room, nothing written; the
 * next record repeats the whole context.
 */
static inline bool op_words_record(struct op_words *w, struct op_emitted *emitted,
				   const struct op_context *c, const op_word *record, u32 n)
{
	if (!op_words_put(w, record, n, OP_WORDS_RESERVE)) {
		memset(emitted, 0, sizeof(*emitted));
		return false;
	}
	op_emitted_update(emitted, c);
	return true;
}

/* Write a sample with the notes it needs. false: as op_words_record(). */
static inline bool op_words_sample(struct op_words *w, struct op_emitted *emitted,
				   const struct op_context *c, u64 address, u32 event)
{
	op_word record[OP_WORDS_RECORD];
	u32 n = op_context_words(emitted, c, record);

	record[n++] = address;
	record[n++] = event;
	return op_words_record(w, emitted, c, record, n);
}

/*
 * A sample of instruction-based sampling: a note @code with the address and the @nr registers of
 * @data, the lower half of each first. The seventh, the branch target, is one word. [EB-30]
 * Returns the number of words.
 */
static inline u32 op_ibs_words(u64 address, u32 code, const u64 *data, u32 nr, op_word *out)
{
	u32 n = 0, i;

	out[n++] = OP_ESCAPE;
	out[n++] = code;
	out[n++] = address;
	for (i = 0; i < nr && i < (OP_IBS_OP_WORDS - 1) / 2; i++) {
		out[n++] = (u32)data[i];
		out[n++] = data[i] >> 32;
	}
	if (i < nr)
		out[n++] = data[i] == OP_ESCAPE ? 0 : data[i];
	return n;
}

/* Write it with the notes it needs. false: as op_words_record(). */
static inline bool op_words_ibs(struct op_words *w, struct op_emitted *emitted,
				const struct op_context *c, u64 address, u32 code,
				const u64 *data, u32 nr)
{
	op_word record[OP_WORDS_RECORD];
	u32 n = op_context_words(emitted, c, record);

	n += op_ibs_words(address, code, data, nr, record + n);
	return op_words_record(w, emitted, c, record, n);
}

/* A sample with callers being put together. [EB-40] */
struct op_words_stack {
	op_word *words;			/* room for OP_WORDS_STACK() */
	u32 nr;
	struct op_emitted emitted;		/* the context once they are written */
};

/* Begin @stack, which has its words allocated; then add the sample itself. */
static inline void op_words_stack_begin(struct op_words_stack *stack,
					const struct op_emitted *emitted,
					const struct op_context *c)
{
	stack->emitted = *emitted;
	stack->words[0] = OP_ESCAPE;
	stack->words[1] = OP_TRACE_BEGIN;
	stack->nr = 2 + op_context_words(emitted, c, stack->words + 2);
	op_emitted_update(&stack->emitted, c);
}

static inline void op_words_stack_sample(struct op_words_stack *stack, u64 address, u32 event)
{
	stack->words[stack->nr++] = address;
	stack->words[stack->nr++] = event;
}

/* The same for instruction-based sampling. */
static inline void op_words_stack_ibs(struct op_words_stack *stack, u64 address, u32 code,
				      const u64 *data, u32 nr)
{
	stack->nr += op_ibs_words(address, code, data, nr, stack->words + stack->nr);
}

/* Add a caller. @c may differ from the sample's only in mode, cookie and mapping. */
static inline void op_words_stack_caller(struct op_words_stack *stack, const struct op_context *c,
					 u64 address)
{
	stack->nr += op_context_words(&stack->emitted, c, stack->words + stack->nr);
	op_emitted_update(&stack->emitted, c);
	stack->words[stack->nr++] = address;
	stack->words[stack->nr++] = 0;
}

/* Write it. false: as op_words_record(). */
static inline bool op_words_stack_end(struct op_words *w, struct op_emitted *emitted,
				      struct op_words_stack *stack, u32 end)
{
	stack->words[stack->nr++] = OP_ESCAPE;
	stack->words[stack->nr++] = OP_STACK_END;
	stack->words[stack->nr++] = end;
	if (!op_words_put(w, stack->words, stack->nr, OP_WORDS_RESERVE)) {
		memset(emitted, 0, sizeof(*emitted));
		return false;
	}
	*emitted = stack->emitted;
	return true;
}

static inline void op_words_module_range(op_word *note, bool came, u64 start, u64 size,
					 const char *name)
{
	const op_word range[] = { OP_ESCAPE, OP_MODULE_RANGE, came, start, size };
	size_t len = strlen(name);

	if (len > OP_MODULE_NAME_WORDS * sizeof(op_word))
		len = OP_MODULE_NAME_WORDS * sizeof(op_word);
	memcpy(note, range, sizeof(range));
	memset(note + 5, 0, OP_MODULE_NAME_WORDS * sizeof(op_word));
	memcpy(note + 5, name, len);
}

/*
 * A module was loaded or unloaded: write OP_MODULE_RANGE and OP_MODULE_LOADED. false: no room even
 * in the reserve.
 */
static inline bool op_words_module(struct op_words *w, bool came, u64 start, u64 size,
				   const char *name)
{
	op_word note[OP_WORDS_MODULE_NOTE];

	op_words_module_range(note, came, start, size, name);
	note[5 + OP_MODULE_NAME_WORDS] = OP_ESCAPE;
	note[6 + OP_MODULE_NAME_WORDS] = OP_MODULE_LOADED;
	return op_words_put(w, note, OP_WORDS_MODULE_NOTE, 0);
}

/* A module was loaded before: write OP_MODULE_RANGE alone, if that leaves the reserve. */
static inline bool op_words_module_found(struct op_words *w, u64 start, u64 size, const char *name)
{
	op_word note[2 + OP_MODULE_RANGE_WORDS];

	op_words_module_range(note, true, start, size, name);
	return op_words_put(w, note, 2 + OP_MODULE_RANGE_WORDS, OP_WORDS_RESERVE);
}

#endif
