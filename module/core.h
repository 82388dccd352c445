/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.h - the module's states: idle, set up (buffer open), sampling
 *
 *	idle --op_setup()--> set up --op_start()--> sampling
 *	     <-op_shutdown()--      <-op_stop()----
 *
 * One mutex guards the state and the settings; all calls take it. All in task context.
 */
#ifndef MODULE_CORE_H
#define MODULE_CORE_H

#include <linux/types.h>

/* Set through oprofilefs, only while idle. */
struct op_settings {
	unsigned long buffer_size;	/* words */
	unsigned long buffer_watershed;	/* free words at which the reader is woken */
	unsigned long cpu_buffer_size;	/* samples per CPU */
	unsigned long backtrace_depth;	/* frames; 0: none */
	unsigned long idle;		/* 1: log samples of the idle task */
	unsigned long unwind_memory;	/* KiB; 0: frame pointers only */
};
extern struct op_settings op_settings;

/*
 * Set everything up and reset the statistics. 0, -EBUSY if already set up, -EINVAL, -ENOMEM, or an
 * error of op_model_setup().
 */
int op_setup(void);
void op_shutdown(void);			/* stops too; undoes op_setup() */

int op_start(void);			/* -EINVAL if not set up; 0 if already sampling */
void op_stop(void);			/* moves all samples to the buffer, wakes the reader */
bool op_is_sampling(void);

/* Move every sample taken so far to the buffer and wake the reader. -EINVAL if not set up. */
int op_dump(void);

/* How long counter @n was enabled and how long it counted since the last op_setup(), in ns. */
void op_counter_times(unsigned int n, u64 *ret_enabled, u64 *ret_running);

/* Store @value in a setting. -EBUSY unless idle. */
int op_set(unsigned long *setting, unsigned long value);

#endif
