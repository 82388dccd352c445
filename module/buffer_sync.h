/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buffer_sync.h - move samples from the CPU rings to the event buffer
 *
 * One worker does it, every HZ/10 and sooner when kicked; whoever needs it done waits for the
 * worker, so that paths and accounting never depend on who asked.
 */
#ifndef MODULE_BUFFER_SYNC_H
#define MODULE_BUFFER_SYNC_H

#include <linux/types.h>

/*
 * Samples and what they point at belong to the generation they were taken in; every pass of the
 * sync begins a new one. Never 0. (ring.h, pins.h)
 */
extern u32 op_generation;

enum op_sync_urgency { OP_SYNC_IDLE, OP_SYNC_SOON, OP_SYNC_NOW };

int op_sync_init(void);				/* [task] at load; 0 or -ENOMEM */
void op_sync_exit(void);			/* [task] at unload */

void op_sync_start(void);			/* [task] begin to run regularly */
void op_sync_stop(void);			/* [task] stop that; nothing samples; all drained */

/*
 * Have the worker run: within HZ/100, or at once. Does nothing unless started.	[nmi]
 */
void op_sync_kick(enum op_sync_urgency urgency);

/* Returns when every sample taken before the call is in the event buffer or counted lost. [task] */
void op_sync_flush(void);

/* Tell the reader of a module, after all samples taken before.		[task] */
void op_sync_module(bool came, u64 start, u64 size, const char *name);

#endif
