// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trans.c - decode the word stream into samples
 *
 * Each OP_ESCAPE code has a line in the table of notes: the length of its payload and its handler.
 * Address pairs are collected and handed over in runs: what becomes of a sample depends on the
 * state only, and the state changes much more rarely than samples come.
 */
#include <stdlib.h>
#include <string.h>
#include "daemon/record/trans.h"
#include "libutil/xalloc.h"

#define RUN_MAX		256	/* pairs handed over at once */
#define NOTE_MAX	16	/* words of the longest note, OP_ESCAPE and code included */

#define NR_CODES	(OP_COOKIE_END + 1)

struct note {
	bool (*handle)(struct trans *t, const op_word *payload);	/* NULL: unknown code */
	unsigned int payload;						/* words */
};

/*
 * The stack that is being decoded: a sample and its callers so far. Callers beyond
 * OP_STACK_DEPTH_MAX are dropped, and the stack is then marked as truncated.
 */
struct open_stack {
	bool has_leaf;			/* the leaf has been read */
	bool cut;			/* callers were dropped */
	struct trans_state leaf;
	uint32_t counter;		/* of the leaf */
	size_t nr;			/* of frames; 0: unknown mode, nothing is kept */
	size_t nr_maps;
	struct trans_frame frames[OP_STACK_DEPTH_MAX + 1];
	struct anon_map maps[OP_STACK_DEPTH_MAX + 1];	/* of frames[] */
};

struct trans {
	const struct trans_ops *ops;
	void *context;
	struct trans_state state;
	bool changed;			/* state, since the last run was handed over */
	bool skipping;			/* until the next known note */
	struct note notes[NR_CODES];

	op_word partial[NOTE_MAX];	/* words of a note or pair that is not complete yet */
	size_t nr_partial;

	uint64_t pcs[RUN_MAX];
	uint32_t counters[RUN_MAX];
	size_t nr_run;
	struct open_stack stack;	/* while state.tracing */

	struct trans_stats stats;
};

/* The stack that is being decoded */

/* Most stacks of anonymous code stay in one mapping: it is kept once. */
static const struct anon_map *keep_map(struct open_stack *s, const struct anon_map *map)
{
	const struct anon_map *last = s->nr_maps ? &s->maps[s->nr_maps - 1] : NULL;

	if (last && last->start == map->start && last->end == map->end)
		return last;
	s->maps[s->nr_maps] = *map;
	return &s->maps[s->nr_maps++];
}

static void add_frame(struct open_stack *s, const struct trans_state *state, uint64_t pc)
{
	struct trans_frame *f = &s->frames[s->nr++];

	f->address = pc;
	f->kernel = state->mode == MODE_KERNEL;
	f->cookie = f->kernel ? OP_INVALID_COOKIE : state->cookie;
	f->anon = f->cookie == OP_NO_COOKIE ? keep_map(s, &state->anon) : NULL;
}

static void begin_stack(struct open_stack *s, const struct trans_state *state, uint64_t pc,
			uint32_t counter)
{
	s->has_leaf = true;
	s->cut = false;
	s->leaf = *state;
	s->counter = counter;
	s->nr = s->nr_maps = 0;
	if (state->mode != MODE_UNKNOWN)
		add_frame(s, state, pc);
}

static void add_caller(struct open_stack *s, const struct trans_state *state, uint64_t pc)
{
	if (!s->nr)
		return;
	if (s->nr <= OP_STACK_DEPTH_MAX)
		add_frame(s, state, pc);
	else
		s->cut = true;
}

/* The end to report for a stack that the stream ended with @end. */
static unsigned int stack_end(const struct open_stack *s, unsigned int end)
{
	if (!s->cut)
		return end;
	return (end & OP_STACK_FRAME_POINTERS) | OP_STACK_TRUNCATED;
}

/* The stack is complete: hand it over. */
static void end_stack(struct trans *t, unsigned int end)
{
	const struct open_stack *s = &t->stack;

	t->state.tracing = false;
	if (!s->has_leaf)
		return;
	t->stats.stacks += s->nr != 0;
	if (t->ops->stack && s->nr)
		t->ops->stack(t->context, &s->leaf, s->frames, s->nr, s->counter,
			      stack_end(s, end));
	t->stack.has_leaf = false;
}

/* Something else begins, because OProfile's streams have no OP_STACK_END. [EB-45] */
static void end_stack_without_note(struct trans *t)
{
	if (t->stack.has_leaf)
		end_stack(t, OP_STACK_UNKNOWN);
}

/* Notes */

/* Handlers; @p is the payload. False: the payload is malformed. */

static bool note_ctx_switch(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE || p[2] != OP_ESCAPE || p[3] != OP_CTX_TGID || p[4] == OP_ESCAPE)
		return false;
	end_stack_without_note(t);
	t->state.tid = p[0];
	t->state.app_cookie = p[1];
	t->state.tgid = p[4];
	t->state.cgroup = 0;
	t->state.comm[0] = '\0';
	return true;
}

static bool note_cgroup(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	t->state.cgroup = p[0];
	return true;
}

static bool note_comm(struct trans *t, const op_word *p)
{
	memcpy(t->state.comm, p, OP_COMM_WORDS * 8);
	return true;
}

static bool note_cpu_switch(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	end_stack_without_note(t);
	t->state.cpu = p[0] < UINT32_MAX ? p[0] : UINT32_MAX;
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
	end_stack_without_note(t);
	if (t->ops->module_loaded)
		t->ops->module_loaded(t->context);
	return true;
}

static bool note_trace_begin(struct trans *t, const op_word *p)
{
	(void)p;
	end_stack_without_note(t);
	t->state.tracing = true;
	return true;
}

static bool note_stack_end(struct trans *t, const op_word *p)
{
	const op_word known = OP_STACK_END_MASK | OP_STACK_FRAME_POINTERS | OP_STACK_OUTER_MASK;
	op_word outer = (p[0] & OP_STACK_OUTER_MASK) >> OP_STACK_OUTER_SHIFT;

	if (p[0] & ~known || (p[0] & OP_STACK_END_MASK) >= NR_OP_STACK_ENDS)
		return false;
	/* the leaf is not one of them */
	if (outer && (outer >= t->stack.nr || outer > OP_STACK_OUTER_MAX))
		return false;
	end_stack(t, p[0]);
	return true;
}

static bool note_want_table(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	if (t->ops->want_table)
		t->ops->want_table(t->context, p[0]);
	return true;
}

static bool note_cookie_end(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	end_stack_without_note(t);
	if (t->ops->cookie_end)
		t->ops->cookie_end(t->context, p[0]);
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
	end_stack_without_note(t);
	memcpy(name, p + 3, OP_MODULE_NAME_WORDS * 8);
	name[OP_MODULE_NAME_WORDS * 8] = '\0';
	if (t->ops->module_range)
		t->ops->module_range(t->context, p[0], p[1], p[2], name);
	return true;
}

/* An IBS sample is not a caller, so it ends the stack; it may begin one. [EB-30] */
static bool handle_ibs(struct trans *t, enum op_code code, const op_word *p, unsigned int nr)
{
	if (p[0] == OP_ESCAPE)
		return false;
	for (unsigned int i = 1; i < nr; i++)
		if (p[i] > UINT32_MAX)
			return false;
	end_stack_without_note(t);
	if (t->ops->ibs)
		t->ops->ibs(t->context, &t->state, code, p);
	if (t->state.tracing)
		begin_stack(&t->stack, &t->state, p[0], TRANS_EXTENDED);
	return true;
}

static bool note_ibs_fetch(struct trans *t, const op_word *p)
{
	return handle_ibs(t, OP_IBS_FETCH, p, OP_IBS_FETCH_WORDS);
}

static bool note_ibs_op(struct trans *t, const op_word *p)
{
	if (t->notes[OP_IBS_OP].payload > OP_IBS_OP_WORDS && p[OP_IBS_OP_WORDS] == OP_ESCAPE)
		return false;
	return handle_ibs(t, OP_IBS_OP, p, OP_IBS_OP_WORDS);
}

static const struct note known_notes[NR_CODES] = {
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
	[OP_STACK_END]     = { note_stack_end,     1 },
	[OP_WANT_TABLE]    = { note_want_table,    1 },
	[OP_CGROUP]        = { note_cgroup,        1 },
	[OP_COMM]          = { note_comm,          OP_COMM_WORDS },
	[OP_COOKIE_END]    = { note_cookie_end,    1 },
};

/* Words */

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

static void forget_state(struct trans *t)
{
	memset(&t->state, 0, sizeof(t->state));
	t->state.mode = MODE_UNKNOWN;
	t->state.cookie = t->state.app_cookie = OP_INVALID_COOKIE;
	t->changed = true;
}

/*
 * The stream is malformed here: skip until a known note comes. In a stack the pairs that follow
 * are still callers of an unknown sample, not samples.
 */
static void lose_track(struct trans *t)
{
	uint32_t cpu = t->state.cpu;
	bool in_stack = t->stack.has_leaf;

	end_stack_without_note(t);
	forget_state(t);
	if (in_stack)
		begin_stack(&t->stack, &t->state, 0, 0);
	t->state.cpu = cpu;	/* most likely the one whose samples are lost */
	t->skipping = true;
}

static const struct note *find_note(const struct trans *t, op_word code)
{
	if (code >= NR_CODES || !t->notes[code].handle)
		return NULL;
	return &t->notes[code];
}

/*
 * Decode the note at @words. Returns the number of words used, 0 if the note is not complete yet.
 * Of a malformed note only the OP_ESCAPE is used: the next valid note may lie inside.
 */
static size_t decode_note(struct trans *t, const op_word *words, size_t nr)
{
	const struct note *note;

	if (nr < 2)
		return 0;
	note = find_note(t, words[1]);
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
	if (t->stack.has_leaf) {
		add_caller(&t->stack, &t->state, pc);
		t->stats.pairs++;
		t->stats.callers++;
		return;
	}
	t->pcs[t->nr_run] = pc;
	t->counters[t->nr_run++] = counter < TRANS_EXTENDED ? counter : UINT32_MAX;
	if (t->state.tracing) {
		uint32_t leaf_counter = t->counters[t->nr_run - 1];

		hand_over(t);
		begin_stack(&t->stack, &t->state, pc, leaf_counter);
	} else if (t->nr_run == RUN_MAX) {
		hand_over(t);
	}
}

static size_t decode_pair(struct trans *t, const op_word *words, size_t nr)
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

/* Skip garbage until an OP_ESCAPE that is followed by a known code. */
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
	if (find_note(t, words[1])) {
		t->skipping = false;
		return decode_note(t, words, nr);
	}
	t->stats.words_skipped++;
	return 1;
}

/* Decode one note or pair, or skip some garbage. Returns the number of words used, or 0. */
static inline size_t decode_one(struct trans *t, const op_word *words, size_t nr)
{
	if (t->skipping)
		return skip(t, words, nr);
	if (words[0] == OP_ESCAPE)
		return decode_note(t, words, nr);
	return decode_pair(t, words, nr);
}

/* Decode all that is complete in @words. Returns the number of words used. */
static size_t decode(struct trans *t, const op_word *words, size_t nr)
{
	size_t used, at = 0;

	while (at < nr) {
		used = decode_one(t, words + at, nr - at);
		if (!used)
			break;
		at += used;
	}
	return at;
}

/*
 * Complete what the last call left incomplete, with as many of @words as needed. Returns the
 * number of words used; less than @nr only if nothing is incomplete any more.
 */
static size_t complete_partial(struct trans *t, const op_word *words, size_t nr)
{
	op_word joined[2 * NOTE_MAX];
	size_t old = t->nr_partial, more = nr < NOTE_MAX ? nr : NOTE_MAX;
	size_t used = 0;

	memcpy(joined, t->partial, old * sizeof(*joined));
	memcpy(joined + old, words, more * sizeof(*joined));
	/* one at a time, so that @words are decoded in place as far as possible */
	while (used < old) {
		size_t left = old + more - used, n = decode_one(t, joined + used, left);

		if (!n) {	/* still incomplete: all of @words is in @joined */
			memmove(t->partial, joined + used, left * sizeof(*joined));
			t->nr_partial = left;
			return nr;
		}
		used += n;
	}
	t->nr_partial = 0;
	return used - old;
}

void trans_feed(struct trans *t, const op_word *words, size_t nr)
{
	size_t used = 0;

	t->stats.words += nr;
	if (t->nr_partial && nr)
		used = complete_partial(t, words, nr);
	used += decode(t, words + used, nr - used);
	memcpy(t->partial + t->nr_partial, words + used, (nr - used) * sizeof(*words));
	t->nr_partial += nr - used;
	hand_over(t);
}

void trans_end(struct trans *t)
{
	t->stats.incomplete += t->nr_partial != 0;
	t->stats.words_skipped += t->nr_partial;
	t->nr_partial = 0;
	t->skipping = false;
	end_stack_without_note(t);
	forget_state(t);
}

struct trans *trans_new(const struct trans_ops *ops, void *context)
{
	struct trans *t = xcalloc(1, sizeof(*t));

	t->ops = ops;
	t->context = context;
	memcpy(t->notes, known_notes, sizeof(known_notes));
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
