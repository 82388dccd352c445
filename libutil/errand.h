/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errand.h - have another thread do what may wait, and wait for it only so long
 *
 * The kernel reads /proc/PID/maps under a lock that the process can hold: while it forks or unmaps
 * much memory, and as often as it likes. No call with a timeout exists for that. So a thread is
 * sent; if it does not come back in time it is left alone, and the next errand gets another one.
 */
#ifndef LIBUTIL_ERRAND_H
#define LIBUTIL_ERRAND_H

#include <stdbool.h>

#define ERRAND_PATIENT_MS 2000	/* how long is waited while nothing is urgent; else */
#define ERRAND_MS	50
#define ERRAND_SOON_MS	5	/* for ERRAND_REST_MS after that was too short */
#define ERRAND_REST_MS	2000
#define ERRANDS_OUT_MAX	16	/* threads that did not come back yet */

/* The first part of the caller's struct: that has all that the errand needs and brings. */
struct errand {
	void (*run)(struct errand *e);	/* in the thread */
	void (*drop)(struct errand *e);	/* free it, whether it was run or not; in either thread */
};

/*
 * Run @e, which is on the heap. 0: it was run, and is the caller's again. Otherwise it is dropped,
 * now or when the thread comes back: -ETIMEDOUT: not yet; -EAGAIN: too many are out; other -errno:
 * no thread. The thread inherits the caller's priority while that waits. Only for one thread of
 * the program.
 */
int errand_run(struct errand *e);

/* From now on something else waits meanwhile, or not. */
void errand_set_urgent(bool urgent);

#endif
