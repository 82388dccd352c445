/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - the process that reads samples and binaries, in the sandbox of the report tools
 *
 * It has no terminal. Whoever has sends it events and gets for each the lines of the screen, in
 * this order, over two pipes; so what a hostile binary can do is to show wrong text [OT-10].
 */
#ifndef LIVE_TOP_WORKER_H
#define LIVE_TOP_WORKER_H

#include <stdint.h>
#include "live/top/view.h"

struct top_event {
	enum { TOP_TICK, TOP_KEY, TOP_CLICK, TOP_RESIZE } type;
	int32_t a, b;			/* key; column and line; width and height */
	double seconds;			/* since the last tick */
	char trouble[160];		/* of a tick: why the daemon did not write its samples */
};

#define TOP_SIZE_MAX	1000		/* columns, lines */
#define TOP_BYTES_MAX	(16u << 20)	/* of all lines */

/* Before the lines, as top_print() makes them. */
struct top_frame {
	uint32_t size;			/* bytes of the lines */
	uint32_t wait_ms;		/* the least time until the next tick: see [OT-3] */
	uint32_t is_over, is_frozen;
};

/* Answer events from @from on @to until the user ends it, or one of them is closed. */
void top_work(int from, int to, const struct top_place *place, enum demangle_style demangle);

#endif
