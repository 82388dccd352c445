/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timed_call.h - a call in another thread, for which nobody waits too long
 *
 * The kernel reads /proc/PID/maps under a lock that the process can hold: while it forks or unmaps
 * much memory, and as often as it likes. No call with a timeout exists for that. So a thread is
 * sent; if it does not come back in time it is left alone, and the next call gets another thread.
 */
#ifndef LIBUTIL_TIMED_CALL_H
#define LIBUTIL_TIMED_CALL_H

#include <stdbool.h>

#define TIMED_CALL_PATIENT_MS 2000	/* how long is waited while nothing is urgent; else */
#define TIMED_CALL_MS	50
#define TIMED_CALL_SOON_MS	5	/* for TIMED_CALL_REST_MS after that was too short */
#define TIMED_CALL_REST_MS	2000
#define TIMED_CALLS_MAX	16	/* threads that did not come back yet */

/* The first part of the caller's struct: that has all that the call needs and brings. */
struct timed_call {
	void (*run)(struct timed_call *e);	/* in the thread */
	/* Free it, whether it was run or not; in either thread. */
	void (*drop)(struct timed_call *e);
};

/*
 * Run @e, which is on the heap. 0: it was run, and is the caller's again. Otherwise it is dropped,
 * now or when the thread comes back: -ETIMEDOUT: not yet; -EAGAIN: too many are out; other -errno:
 * no thread. The thread inherits the caller's priority while that waits. Only for one thread of
 * the program.
 */
int timed_call_run(struct timed_call *e);

/* From now on something else waits meanwhile, or not. */
void timed_call_set_urgent(bool urgent);

#endif
