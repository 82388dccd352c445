/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - let SIGHUP, SIGINT and SIGTERM wait until work is undone or complete
 *
 * For work that would be left half done. Signals that are ignored stay so. Not nested.
 */
#ifndef LIBUTIL_INTERRUPT_H
#define LIBUTIL_INTERRUPT_H

#include <stdbool.h>

/* From now on those signals only make interrupt_came() true. */
void interrupt_defer(void);
bool interrupt_came(void);

/* Handle them as before; one that came takes effect now, which usually ends the process. */
void interrupt_allow(void);

#endif
