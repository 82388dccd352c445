/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buffer_sync.h - move samples from the CPU rings to the event buffer
 *
 * One worker does it, every HZ/10 and sooner when kicked. Callers that need it done wait for the
 * worker, so that paths and accounting never depend on the caller.
 */
#ifndef MODULE_BUFFER_SYNC_H
#define MODULE_BUFFER_SYNC_H

#include <linux/types.h>

/*
 * Samples and pins belong to the generation they were taken in; every pass of the sync begins a new
 * one. Never 0. (ring.h, pins.h)
 */
extern u32 op_generation;

enum op_sync_urgency { OP_SYNC_IDLE, OP_SYNC_SOON, OP_SYNC_NOW };

int op_sync_init(void);				/* [task] at load; 0 or -ENOMEM */
void op_sync_exit(void);			/* [task] at unload */

void op_sync_start(void);			/* [task] begin to run periodically */
void op_sync_stop(void);			/* [task] after sampling stopped: drain all, stop */

/*
 * Have the worker run: within HZ/100, or at once. Does nothing unless started.	[nmi]
 */
void op_sync_kick(enum op_sync_urgency urgency);

/* Returns when every sample taken before the call is in the event buffer or counted lost. [task] */
void op_sync_flush(void);

/* Report a module to the reader, after all samples taken before.		[task] */
void op_sync_module(bool came, u64 start, u64 size, const char *name);

/* Meanwhile nothing else is written to the event buffer.			[task] */
void op_sync_lock(void);
void op_sync_unlock(void);

#endif
