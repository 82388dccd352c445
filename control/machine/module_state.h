/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_state.h - the model and the counters of a mounted module */
#ifndef CONTROL_MACHINE_MODULE_STATE_H
#define CONTROL_MACHINE_MODULE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "control/machine/driver.h"
#include "libutil/error.h"

struct module_state {
	char loaded[32];		/* module parameter "model"; "": unknown */
	char chosen[32];		/* the chosen model, from file "models" */
	bool possible;
	char why_not[256];		/* !possible */
	char cpu_type[64];		/* "timer": samples by time */
	unsigned int nr_counters;	/* hardware counters; 0: by time */
	uint64_t numbers;		/* existing directories N (all sets of counters): bits */
	/*
	 * A model that writes the CPU's registers, the requested one or a better one than the
	 * chosen one, is impossible because perf had the counters, as with the NMI watchdog on.
	 * [FS-35]
	 */
	bool perf_is_in_the_way;
};

int module_state_read(const struct driver *d, struct module_state *ret, struct op_error *e);

/* Whether the chosen model writes the CPU's registers, and so needs exclusive use of them. */
bool module_owns_counters(const struct module_state *m);

/* Whether the module chose the model itself. */
bool module_chose(const struct module_state *m);

#endif
