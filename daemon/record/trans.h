/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trans.h - decode the word stream into samples
 *
 * A state machine over words: notes change the transient state, address pairs become samples.
 * It does no I/O, keeps its state between calls (a note may be split anywhere), and never fails on
 * malformed input: it skips to the next OP_ESCAPE followed by a known code and counts the words
 * skipped. They may have held a note, so the state is unknown afterwards: samples are lost under a
 * reason rather than credited to the wrong image. doc/event-buffer.md [EB-n].
 */
#ifndef DAEMON_RECORD_TRANS_H
#define DAEMON_RECORD_TRANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "oprofilefs/op_abi.h"

enum trans_mode { MODE_UNKNOWN, MODE_KERNEL, MODE_USER };

struct anon_map {
	uint64_t start, end;			/* addresses; both 0: unknown */
	char name[OP_ANON_NAME_WORDS * 8 + 1];
};

/* What the notes so far say about the samples that follow. */
struct trans_state {
	enum trans_mode mode;
	uint32_t cpu, tid, tgid;
	op_word app_cookie, cookie;		/* OP_INVALID_COOKIE: not known */
	uint64_t cgroup;			/* id; 0: not known */
	char comm[OP_COMM_WORDS * 8 + 1];	/* the task's name; "": not known */
	struct anon_map anon;			/* holds while cookie is OP_NO_COOKIE */
	bool tracing;				/* the next pair begins a stack, or one has begun */
};

/* One frame of a stack. */
struct trans_frame {
	uint64_t address;			/* as a sample's; a caller's: [EB-42] */
	op_word cookie;				/* user frames; OP_INVALID_COOKIE: not known */
	const struct anon_map *anon;		/* user frames with OP_NO_COOKIE, else NULL */
	bool kernel;
};

#define TRANS_EXTENDED	(UINT32_MAX - 1)	/* no counter has this number */

/*
 * What the decoder calls. @samples gets runs of pairs that share @state: pcs[i] with
 * counters[i], so that the receiver can handle them together. @changed: @state may differ from the
 * last run's (a cached sample file is then stale).
 */
struct trans_ops {
	void (*samples)(void *context, const struct trans_state *state, bool changed,
			const uint64_t *pcs, const uint32_t *counters, size_t nr);
	void (*module_range)(void *context, bool loaded, uint64_t start, uint64_t size,
			     const char *name);
	void (*module_loaded)(void *context);		/* OP_MODULE_LOADED */
	/*
	 * A sample of instruction-based sampling: OP_IBS_FETCH or OP_IBS_OP and its words. The
	 * first is the address as in a pair, the next OP_IBS_*_WORDS - 1 have 32 bits each. Its
	 * stack, if it has one, follows with the counter TRANS_EXTENDED.
	 */
	void (*ibs)(void *context, const struct trans_state *state, enum op_code code,
		    const op_word *words);
	/*
	 * A sample's stack, after the sample went to samples() or ibs() like any other:
	 * frames[0] is the sample, whose state is @leaf; its callers follow. @end:
	 * enum op_stack_end and OP_STACK_* bits. Valid during the call only.
	 */
	void (*stack)(void *context, const struct trans_state *leaf,
		      const struct trans_frame *frames, size_t nr, uint32_t counter,
		      unsigned int end);
	void (*want_table)(void *context, op_word cookie);	/* OP_WANT_TABLE */
	void (*cookie_end)(void *context, op_word cookie);	/* OP_COOKIE_END */
};

/* words = note_words + 2 * pairs + words_skipped + the few words of an incomplete note or pair. */
struct trans_stats {
	uint64_t words;
	uint64_t note_words;		/* of whole notes, with their OP_ESCAPE and code */
	uint64_t pairs;			/* samples and callers */
	uint64_t callers;		/* of these */
	uint64_t stacks;		/* complete or not */
	uint64_t words_skipped;		/* garbage */
	uint64_t incomplete;		/* notes and pairs cut by another note or by trans_end() */
	uint64_t unknown_codes;
};

struct trans;

/* @ops must outlive the decoder; slots may be NULL. */
struct trans *trans_new(const struct trans_ops *ops, void *context);
void trans_free(struct trans *t);

/* Whether OP_IBS_OP notes end with the branch target: the words do not say so. Default no. */
void trans_expect_branch_target(struct trans *t, bool yes);

void trans_feed(struct trans *t, const op_word *words, size_t nr);
/* The stream ended (buffer closed): what is incomplete is lost; the state is unknown again. */
void trans_end(struct trans *t);

const struct trans_stats *trans_stats(const struct trans *t);

#endif
