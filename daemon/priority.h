/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority.h - run the thread that drains the collector before other programs, within a cap
 *
 * On a machine where everything is busy the rings fill while the daemon waits for a CPU. It needs
 * little CPU time; if it uses more than the cap, by mistake or because too much is sampled, it
 * waits its turn as everybody does until it uses less.
 */
#ifndef DAEMON_PRIORITY_H
#define DAEMON_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

#define PRIORITY_NICE		(-10)
#define PRIORITY_WINDOW_NS	UINT64_C(1000000000)	/* the cap is CPU time in that much time: */
#define PRIORITY_CAP_NS		UINT64_C(500000000)

/*
 * Raise the calling thread's priority, unless it has another than the normal one already; threads
 * and processes that it starts have the normal one.
 * Until priority_end() a timer of its CPU time lowers it, within the window in which the cap is
 * reached, wherever the thread is then. -errno: not permitted, nothing is changed.
 */
int priority_begin(void);
/*
 * Begin the next window if it is time; call it about as often as that. True: a window has ended in
 * which the cap was reached.
 */
bool priority_check(uint64_t now_ns);
void priority_end(void);

/* Whether a thread that used @cpu_ns in @window_ns may have the raised priority. Pure. */
bool priority_allows(bool raised, uint64_t cpu_ns, uint64_t window_ns);

#endif
