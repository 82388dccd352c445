// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trans.c - decode the word stream into samples
 *
 * What the notes mean is trans_notes.c's. Pairs are collected and handed over in runs, since what
 * to do with a sample depends on the state only, and the state changes much more rarely than
 * samples come.
 */
#include <stdlib.h>
#include <string.h>
#include "daemon/record/trans_private.h"
#include "libutil/xalloc.h"

static void hand_over(struct trans *t)
{
	if (!t->nr_run)
		return;
	if (t->ops->samples)
		t->ops->samples(t->context, &t->state, t->changed, t->pcs, t->counters, t->nr_run);
	t->stats.pairs += t->nr_run;
	t->changed = false;
	t->nr_run = 0;
}

void trans_end_chain(struct trans *t, unsigned int end)
{
	const struct trans_chain *c = &t->chain;

	t->state.tracing = false;
	if (!c->begun)
		return;
	t->stats.stacks += c->nr != 0;
	if (t->ops->stack && c->nr)
		t->ops->stack(t->context, &c->leaf, c->frames, c->nr, c->counter,
			      chain_end(c, end));
	t->chain.begun = false;
}

void trans_end_untold(struct trans *t)
{
	if (t->chain.begun)
		trans_end_chain(t, OP_STACK_UNTOLD);
}

static void forget_state(struct trans *t)
{
	memset(&t->state, 0, sizeof(t->state));
	t->state.mode = MODE_UNKNOWN;
	t->state.cookie = t->state.app_cookie = OP_INVALID_COOKIE;
	t->changed = true;
}

/*
 * The stream makes no sense here: nothing is believed until a known note comes. In a chain the
 * pairs behind it are callers still, not samples, though nobody knows whose.
 */
static void lose_track(struct trans *t)
{
	uint32_t cpu = t->state.cpu;
	bool in_chain = t->chain.begun;

	trans_end_untold(t);
	forget_state(t);
	if (in_chain)
		chain_begin(&t->chain, &t->state, 0, 0);
	t->state.cpu = cpu;	/* the likeliest one to blame the loss on */
	t->skipping = true;
}

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
	if (t->chain.begun) {
		chain_add(&t->chain, &t->state, pc);
		t->stats.pairs++;
		t->stats.callers++;
		return;
	}
	t->pcs[t->nr_run] = pc;
	t->counters[t->nr_run++] = counter < UINT32_MAX ? counter : UINT32_MAX;
	if (t->state.tracing) {
		uint32_t leaf_counter = t->counters[t->nr_run - 1];

		hand_over(t);
		chain_begin(&t->chain, &t->state, pc, leaf_counter);
	} else if (t->nr_run == RUN_MAX) {
		hand_over(t);
	}
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
	trans_end_untold(t);
	forget_state(t);
}

struct trans *trans_new(const struct trans_ops *ops, void *context)
{
	struct trans *t = xcalloc(1, sizeof(*t));

	t->ops = ops;
	t->context = context;
	memcpy(t->notes, trans_notes, sizeof(trans_notes));
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
