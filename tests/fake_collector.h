/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_collector.h - a collector that hands out words written by a test
 *
 * Cookies are small numbers, 1 to nr_paths, naming fake_collector.paths[cookie - 1].
 */
#ifndef TESTS_FAKE_COLLECTOR_H
#define TESTS_FAKE_COLLECTOR_H

#include "daemon/collect/collector.h"

struct fake_collector {
	struct collector collector;
	op_word *words;
	size_t nr, room, taken;		/* words put in, and handed out */
	size_t chunk;			/* words per call; 0: all */
	size_t limit; /* a drain without flush hands out so many at most; 0: all */
	const char *const *paths;
	size_t nr_paths;
	struct session_counts counts;	/* what counts() adds */
	uint64_t enabled_ns[4], running_ns[4];	/* by counter; enabled 0: not known */
	bool running;
	unsigned int cpu;		/* of the samples put in, below 4 */
	int fail;			/* every start, stop and drain fails with this */
	unsigned int nr_cookie_questions;
};

/* Ready for use as &f->collector. */
void fake_collector_init(struct fake_collector *f, const char *const *paths, size_t nr_paths);
void fake_collector_free(struct fake_collector *f);

void fake_put(struct fake_collector *f, op_word word);
/* Samples and notes as the module writes them; received is counted too. */
void fake_sample(struct fake_collector *f, op_word pc, op_word counter);
void fake_cpu(struct fake_collector *f, unsigned int cpu);
void fake_task(struct fake_collector *f, op_word tid, op_word app_cookie, op_word tgid);
/* What that task calls itself: 16 bytes at most. */
void fake_comm(struct fake_collector *f, const char *name);
void fake_cookie(struct fake_collector *f, op_word cookie);
void fake_kernel(struct fake_collector *f);
void fake_user(struct fake_collector *f);
void fake_anon(struct fake_collector *f, op_word start, op_word end, const char *name);
/* A stack: its leaf is the next fake_sample(), then its callers and their notes, then its end. */
void fake_stack(struct fake_collector *f);
void fake_caller(struct fake_collector *f, op_word address);
void fake_stack_end(struct fake_collector *f, unsigned int end);
void fake_want_table(struct fake_collector *f, op_word cookie);
void fake_cookie_end(struct fake_collector *f, op_word cookie);
void fake_module(struct fake_collector *f, bool loaded, op_word start, op_word size,
		 const char *name);

#endif
