/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector_choice.h - the kernel module or perf_event_open(2), and why
 *
 * The module if it can be had, else perf; one that was asked for by name is not replaced.
 */
#ifndef COLLECTOR_CHOICE_H
#define COLLECTOR_CHOICE_H

#include <stdbool.h>
#include "driver.h"
#include "error.h"
#include "setup.h"

struct collector_choice {
	bool module;
	struct op_error no_module;	/* why "auto" did without it; else "" */
};

/* Loads and mounts what the choice needs. -errno: the wish cannot be met. */
int collector_choose(const struct driver *d, enum collector_wish wish,
		     struct collector_choice *ret, struct op_error *e);

/* Whether perf_event_open(2) can sample a CPU by time. -errno and the way out in @e. */
int perf_usable(struct op_error *e);

/* Whether the kernel can count cycles in hardware; if not, *ret_why is half a sentence. */
bool hardware_cycles(const char **ret_why);

#endif
