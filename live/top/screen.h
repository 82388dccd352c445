/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - the terminal: draw the worker's lines, and send it keys, clicks and ticks */
#ifndef LIVE_TOP_SCREEN_H
#define LIVE_TOP_SCREEN_H

#include <stdbool.h>
#include "libutil/error.h"

struct top_screen {
	int to, from;			/* the worker's pipes */
	const char *control;		/* the daemon's socket: asked to write its samples */
	int delay_ms;			/* between two ticks */
	bool color;
};

/*
 * Run until the user ends it. -ENOTTY: the terminal cannot be used; -EPIPE: the worker has ended;
 * @e is set.
 */
int top_screen_run(const struct top_screen *s, struct op_error *e);

#endif
