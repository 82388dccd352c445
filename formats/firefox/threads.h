/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - samples by process and thread, as far as labels tell them [FF-3] */
#ifndef FORMATS_FIREFOX_THREADS_H
#define FORMATS_FIREFOX_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include "formats/profile/profile.h"

struct firefox_thread {
	bool has_pid, has_tid;
	int64_t pid, tid;
	uint32_t comm;			/* string, "" not known */
	uint32_t first, nr;		/* samples: in order[] */
};

struct firefox_threads {
	struct firefox_thread *threads;	/* by pid and tid */
	uint32_t nr;
	uint32_t *order;		/* samples by thread */
};

void firefox_threads_make(const struct profile *p, struct firefox_threads *ret);
void firefox_threads_free(struct firefox_threads *t);

#endif
