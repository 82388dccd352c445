/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - group samples by process and thread, as far as they are labeled [FF-3] */
#ifndef FORMATS_FIREFOX_THREADS_H
#define FORMATS_FIREFOX_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include "formats/profile/profile.h"

struct firefox_thread {
	bool has_pid, has_tid;
	int64_t pid, tid;
	uint32_t comm;			/* string; "" unknown */
	uint32_t first, nr;		/* samples, in order[] */
};

struct firefox_threads {
	struct firefox_thread *threads;	/* sorted by pid and tid */
	uint32_t nr;
	uint32_t *order;		/* samples, sorted by thread */
};

void firefox_threads_make(const struct profile *p, struct firefox_threads *ret);
void firefox_threads_free(struct firefox_threads *t);

#endif
