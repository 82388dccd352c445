/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority.h - run the thread that reads and records samples before other programs, within a cap
 *
 * On a machine where everything is busy queues and buffers fill while the daemon waits for a CPU.
 * It needs little CPU time; if it uses more than the cap, by mistake or because too much is
 * sampled, it waits its turn as everybody does until it uses less.
 */
#ifndef DAEMON_PRIORITY_H
#define DAEMON_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/priority.h"

/* With a budget, which the kernel enforces: percent of one CPU for each online CPU, per period. */
#define PRIORITY_SHARE		25
#define PRIORITY_PERIOD_NS	UINT64_C(20000000)

#define PRIORITY_WINDOW_NS	UINT64_C(1000000000)	/* the cap is CPU time in that much time: */
#define PRIORITY_CAP_NS		UINT64_C(500000000)

/*
 * Raise the calling thread's priority, unless it has another than the normal one already; threads
 * and processes that it starts have the normal one. PRIORITY_NORMAL: not permitted.
 * If that is by weight, a timer of CPU time lowers it, within the window in which the cap is
 * reached, wherever the thread is then: until priority_end().
 */
enum priority priority_begin(void);
/*
 * Begin the next window if it is time; call it ten times as often. True: the priority was lowered,
 * because the cap was reached in the window that has ended.
 */
bool priority_check(uint64_t now_ns);
void priority_end(void);
enum priority priority_now(void);	/* what is in force */
unsigned int priority_seconds_capped(void);	/* in which the cap was reached, up to now */

/*
 * Whether a thread that used @cpu_ns in @window_ns may have the raised priority, with a cap of
 * @cap_ns in PRIORITY_WINDOW_NS. Pure.
 */
bool priority_allows(bool raised, uint64_t cpu_ns, uint64_t window_ns, uint64_t cap_ns);

#endif
