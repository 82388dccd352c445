// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trans.c - decode the word stream into samples
 *
 * Every OP_ESCAPE code has a line in notes[]: how long its payload is and what it does to the
 * state. A decoder has its own copy, since one length is not in the stream. Pairs are collected
 * and handed over in runs, since what to do with a sample depends on the state only, and the
 * state changes much more rarely than samples come.
 */
#include <stdlib.h>
#include <string.h>
#include "trans.h"
#include "xalloc.h"

#define RUN_MAX		256	/* pairs handed over at once */
#define NOTE_MAX	16	/* words of the longest note, OP_ESCAPE and code included */

#define NR_CODES	(OP_MODULE_RANGE + 1)

struct note {
	bool (*handle)(struct trans *t, const op_word *payload);	/* NULL: unknown code */
	unsigned int payload;						/* words */
};

struct trans {
	const struct trans_ops *ops;
	void *context;
	struct trans_state state;
	bool changed;			/* state, since the last run was handed over */
	bool skipping;			/* looking for a note to go on with */
	struct note notes[NR_CODES];

	op_word begun[NOTE_MAX];	/* words of a note or pair whose end has not come yet */
	size_t nr_begun;

	uint64_t pcs[RUN_MAX];
	uint32_t counters[RUN_MAX];
	size_t nr_run;

	struct trans_stats stats;
};

static void hand_over(struct trans *t)
{
	if (!t->nr_run)
		return;
	if (t->ops->samples)
		t->ops->samples(t->context, &t->state, t->changed, t->pcs, t->counters, t->nr_run);
	t->stats.pairs += t->nr_run;
	t->state.trace_depth += t->state.tracing ? t->nr_run : 0;
	t->changed = false;
	t->nr_run = 0;
}

static void forget_state(struct trans *t)
{
	memset(&t->state, 0, sizeof(t->state));
	t->state.mode = MODE_UNKNOWN;
	t->state.cookie = t->state.app_cookie = OP_INVALID_COOKIE;
	t->changed = true;
}

/* The stream makes no sense here: nothing is believed until a known note comes. */
static void lose_track(struct trans *t)
{
	uint32_t cpu = t->state.cpu;

	forget_state(t);
	t->state.cpu = cpu;	/* the likeliest one to blame the loss on */
	t->skipping = true;
}

/* The handlers; @p is the payload. False: it is not what the code promised. */

static bool note_ctx_switch(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE || p[2] != OP_ESCAPE || p[3] != OP_CTX_TGID || p[4] == OP_ESCAPE)
		return false;
	t->state.tid = p[0];
	t->state.app_cookie = p[1];
	t->state.tgid = p[4];
	return true;
}

static bool note_cpu_switch(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	t->state.cpu = p[0] < UINT32_MAX ? p[0] : UINT32_MAX;
	t->state.tracing = false;	/* another CPU's samples; their traces say so themselves */
	t->state.trace_depth = 0;
	return true;
}

static bool note_cookie_switch(struct trans *t, const op_word *p)
{
	t->state.cookie = p[0];
	memset(&t->state.anon, 0, sizeof(t->state.anon));
	return true;
}

static bool note_kernel_enter(struct trans *t, const op_word *p)
{
	(void)p;
	t->state.mode = MODE_KERNEL;
	return true;
}

static bool note_user_enter(struct trans *t, const op_word *p)
{
	(void)p;
	t->state.mode = MODE_USER;
	return true;
}

static bool note_module_loaded(struct trans *t, const op_word *p)
{
	(void)p;
	if (t->ops->module_loaded)
		t->ops->module_loaded(t->context);
	return true;
}

static bool note_trace_begin(struct trans *t, const op_word *p)
{
	(void)p;
	t->state.tracing = true;
	t->state.trace_depth = 0;
	return true;
}

static bool note_anon_map(struct trans *t, const op_word *p)
{
	struct anon_map *map = &t->state.anon;

	map->start = p[0];
	map->end = p[1];
	memcpy(map->name, p + 2, OP_ANON_NAME_WORDS * 8);
	map->name[OP_ANON_NAME_WORDS * 8] = '\0';
	return true;
}

static bool note_module_range(struct trans *t, const op_word *p)
{
	char name[OP_MODULE_NAME_WORDS * 8 + 1];

	if (p[0] > 1)
		return false;
	memcpy(name, p + 3, OP_MODULE_NAME_WORDS * 8);
	name[OP_MODULE_NAME_WORDS * 8] = '\0';
	if (t->ops->module_range)
		t->ops->module_range(t->context, p[0], p[1], p[2], name);
	return true;
}

/* They are no callers, so a trace ends with one. [EB-30] */
static bool take_ibs(struct trans *t, enum op_code code, const op_word *p, unsigned int nr)
{
	if (p[0] == OP_ESCAPE)
		return false;
	for (unsigned int i = 1; i < nr; i++)
		if (p[i] > UINT32_MAX)
			return false;
	t->state.tracing = false;
	t->state.trace_depth = 0;
	if (t->ops->ibs)
		t->ops->ibs(t->context, &t->state, code, p);
	return true;
}

static bool note_ibs_fetch(struct trans *t, const op_word *p)
{
	return take_ibs(t, OP_IBS_FETCH, p, OP_IBS_FETCH_WORDS);
}

static bool note_ibs_op(struct trans *t, const op_word *p)
{
	if (t->notes[OP_IBS_OP].payload > OP_IBS_OP_WORDS && p[OP_IBS_OP_WORDS] == OP_ESCAPE)
		return false;
	return take_ibs(t, OP_IBS_OP, p, OP_IBS_OP_WORDS);
}

static const struct note notes[NR_CODES] = {
	[OP_CTX_SWITCH]    = { note_ctx_switch,    5 },
	[OP_CPU_SWITCH]    = { note_cpu_switch,    1 },
	[OP_COOKIE_SWITCH] = { note_cookie_switch, 1 },
	[OP_KERNEL_ENTER]  = { note_kernel_enter,  0 },
	[OP_USER_ENTER]    = { note_user_enter,    0 },
	[OP_MODULE_LOADED] = { note_module_loaded, 0 },
	[OP_TRACE_BEGIN]   = { note_trace_begin,   0 },
	[OP_IBS_FETCH]     = { note_ibs_fetch,     OP_IBS_FETCH_WORDS },
	[OP_IBS_OP]        = { note_ibs_op,        OP_IBS_OP_WORDS },
	[OP_ANON_MAP]      = { note_anon_map,      OP_ANON_MAP_WORDS },
	[OP_MODULE_RANGE]  = { note_module_range,  OP_MODULE_RANGE_WORDS },
};

static const struct note *note_of(const struct trans *t, op_word code)
{
	if (code >= NR_CODES || !t->notes[code].handle)
		return NULL;
	return &t->notes[code];
}

/*
 * Handle the note at @words. Returns the words used up, 0 when its end has not come yet. A
 * broken note uses up nothing but its OP_ESCAPE: what is inside may be the next good note.
 */
static size_t take_note(struct trans *t, const op_word *words, size_t nr)
{
	const struct note *note;

	if (nr < 2)
		return 0;
	note = note_of(t, words[1]);
	if (note && nr < 2 + note->payload)
		return 0;
	hand_over(t);
	if (!note)
		t->stats.unknown_codes++;
	if (!note || !note->handle(t, words + 2)) {
		t->stats.incomplete += note != NULL;
		t->stats.words_skipped++;
		lose_track(t);
		return 1;
	}
	t->changed = true;
	t->stats.note_words += 2 + note->payload;
	return 2 + note->payload;
}

static void add_pair(struct trans *t, op_word pc, op_word counter)
{
	t->pcs[t->nr_run] = pc;
	t->counters[t->nr_run++] = counter < UINT32_MAX ? counter : UINT32_MAX;
	/* a leaf is a run of its own: what follows it are callers, not samples */
	if (t->nr_run == RUN_MAX || (t->state.tracing && !t->state.trace_depth))
		hand_over(t);
}

static size_t take_pair(struct trans *t, const op_word *words, size_t nr)
{
	if (nr < 2)
		return 0;
	if (words[1] == OP_ESCAPE) {
		hand_over(t);
		t->stats.incomplete++;
		t->stats.words_skipped++;
		lose_track(t);
		return 1;
	}
	add_pair(t, words[0], words[1]);
	return 2;
}

/* Pass over garbage: as far as the next OP_ESCAPE with a known code behind it. */
static size_t skip(struct trans *t, const op_word *words, size_t nr)
{
	size_t i = 0;

	while (i < nr && words[i] != OP_ESCAPE)
		i++;
	t->stats.words_skipped += i;
	if (i)
		return i;
	if (nr < 2)
		return 0;
	if (note_of(t, words[1])) {
		t->skipping = false;
		return take_note(t, words, nr);
	}
	t->stats.words_skipped++;
	return 1;
}

/* Decode what is whole in @words; returns the words used up. */
static size_t decode(struct trans *t, const op_word *words, size_t nr)
{
	size_t used, at = 0;

	while (at < nr) {
		if (t->skipping)
			used = skip(t, words + at, nr - at);
		else if (words[at] == OP_ESCAPE)
			used = take_note(t, words + at, nr - at);
		else
			used = take_pair(t, words + at, nr - at);
		if (!used)
			break;
		at += used;
	}
	return at;
}

/*
 * Finish what the last call left begun, with as many words of this one as it takes. Returns
 * how many of @words that used up; less than @nr only when nothing is left begun.
 */
static size_t finish_begun(struct trans *t, const op_word *words, size_t nr)
{
	op_word joined[2 * NOTE_MAX];
	size_t old = t->nr_begun, more = nr < NOTE_MAX ? nr : NOTE_MAX;
	size_t used = 0;

	memcpy(joined, t->begun, old * sizeof(*joined));
	memcpy(joined + old, words, more * sizeof(*joined));
	/* one item at a time, so that no word of the caller's is decoded here needlessly */
	while (used < old) {
		size_t n, left = old + more - used;

		if (t->skipping)
			n = skip(t, joined + used, left);
		else if (joined[used] == OP_ESCAPE)
			n = take_note(t, joined + used, left);
		else
			n = take_pair(t, joined + used, left);
		if (!n) {	/* still begun: @words was too short, and is in @joined whole */
			memmove(t->begun, joined + used, left * sizeof(*joined));
			t->nr_begun = left;
			return nr;
		}
		used += n;
	}
	t->nr_begun = 0;
	return used - old;
}

void trans_feed(struct trans *t, const op_word *words, size_t nr)
{
	size_t used = 0;

	t->stats.words += nr;
	if (t->nr_begun && nr)
		used = finish_begun(t, words, nr);
	used += decode(t, words + used, nr - used);
	memcpy(t->begun + t->nr_begun, words + used, (nr - used) * sizeof(*words));
	t->nr_begun += nr - used;
	hand_over(t);
}

void trans_end(struct trans *t)
{
	t->stats.incomplete += t->nr_begun != 0;
	t->stats.words_skipped += t->nr_begun;
	t->nr_begun = 0;
	t->skipping = false;
	forget_state(t);
}

struct trans *trans_new(const struct trans_ops *ops, void *context)
{
	struct trans *t = xcalloc(1, sizeof(*t));

	t->ops = ops;
	t->context = context;
	memcpy(t->notes, notes, sizeof(notes));
	forget_state(t);
	return t;
}

void trans_free(struct trans *t)
{
	free(t);
}

void trans_expect_branch_target(struct trans *t, bool yes)
{
	t->notes[OP_IBS_OP].payload = OP_IBS_OP_WORDS + yes;
}

const struct trans_stats *trans_stats(const struct trans *t)
{
	return &t->stats;
}
