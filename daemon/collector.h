/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector.h - where samples come from: the kernel module or perf_event_open(2)
 *
 * Both hand the daemon the same thing: words of the event buffer (op_abi.h), to be decoded by
 * trans.c, and answers about the cookies in them. So everything behind a collector is the same
 * code, and a recorded stream can be replayed through it.
 *
 * Life: open (set up, nothing counts yet), then start/stop any number of times, then close.
 * One thread; nothing here is async-signal-safe. All return 0 or -errno and explain in @e.
 */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "op_abi.h"
#include "session.h"

struct collector_config {
	uint64_t count;			/* events per sample, as asked for */
	uint64_t clock_khz;		/* nominal clock, to turn cycles into time */
	bool kernel, user;		/* which side to sample */
	size_t buffer_words;		/* perf: room per CPU, in words; 0 = choose */
	int callgraph_depth;		/* 0 = off */
};

/* Takes @nr words; they may end anywhere, the decoder keeps its state. */
typedef void words_fn(void *context, const op_word *words, size_t nr);

struct collector_status {
	char model[32];			/* "timer" */
	uint64_t period_ns;		/* effective, timer models */
	uint64_t clock_khz;		/* by which a count became that; 0: as configured */
};

struct collector {
	const char *name;		/* "module", "perf": --collector= and session_info */

	int (*open)(struct collector *c, const struct collector_config *config, struct op_error *e);
	void (*close)(struct collector *c);

	int (*start)(struct collector *c, struct op_error *e);
	/* Samples already taken stay readable. */
	int (*stop)(struct collector *c, struct op_error *e);

	/* Descriptor that poll() finds readable when samples wait. */
	int (*poll_fd)(struct collector *c);
	/*
	 * Hand everything readable to @words. @flush: everything sampled before this call,
	 * also what still lies in per-CPU buffers; returns when it has been handed over.
	 */
	int (*drain)(struct collector *c, bool flush, words_fn *words, void *context,
		     struct op_error *e);

	/* Path of a cookie, malloc'd; a " (deleted)" ending is removed. -ENOENT. */
	int (*cookie_path)(struct collector *c, op_word cookie, char **ret_path);
	/* A descriptor of that very file, the caller's to close(). -ENOENT, -ESTALE. */
	int (*cookie_fd)(struct collector *c, op_word cookie);
	/* Build-id if the kernel told it with the mapping; -ENODATA: read it through cookie_fd. */
	int (*cookie_build_id)(struct collector *c, op_word cookie, unsigned char *id, size_t *len);

	/*
	 * Add what was received and lost before the words, per CPU, to @counts: the sums since
	 * open. Samples that reached @words are not in any lost[] here, but are in received.
	 */
	int (*counts)(struct collector *c, struct session_counts *counts);
	void (*status)(struct collector *c, struct collector_status *ret);
};

struct collector *collector_device(void);	/* the module, through /dev/oprofile */
struct collector *collector_perf(void);		/* perf_event_open(2) */

#endif
