/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_state.h - what a mounted module says of itself: its model and its counters */
#ifndef CONTROL_MACHINE_MODULE_STATE_H
#define CONTROL_MACHINE_MODULE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "control/machine/driver.h"
#include "libutil/error.h"

struct module_state {
	char loaded[32];		/* its parameter model; "": unknown */
	char chosen[32];		/* the model, of file "models" */
	bool possible;
	char why_not[256];		/* !possible */
	char cpu_type[64];		/* "timer": it samples by time */
	unsigned int nr_counters;	/* that there really are; 0: by time */
	uint64_t numbers;		/* directories N that there are, bits: all sets of these */
	/*
	 * A model that writes the CPU's registers, the one that was asked for or any better than
	 * the chosen one, cannot because perf had the counters - as it has where the NMI watchdog
	 * is on. [FS-35]
	 */
	bool perf_is_in_the_way;
};

int module_state_read(const struct driver *d, struct module_state *ret, struct op_error *e);

/* Whether the chosen model writes the CPU's registers, which it then needs for itself. */
bool module_owns_counters(const struct module_state *m);

/* Whether it chose the model itself. */
bool module_chose(const struct module_state *m);

#endif
