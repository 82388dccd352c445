/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemon_start.h - start oprofiled with a set-up (CTL-100..110) */
#ifndef CONTROL_OPCONTROL_DAEMON_START_H
#define CONTROL_OPCONTROL_DAEMON_START_H

#include "control/machine/collector_choice.h"
#include "control/machine/driver.h"
#include "control/opcontrol/setup.h"
#include "control/plan/plan.h"
#include "libutil/error.h"

/*
 * Create the session directory, set the module's buffers and run oprofiled, which is ready (but not
 * sampling) when this returns 0. @verbose: topics for its log, or NULL. @prepare_service: do not
 * run it, but prepare that systemd does (service.h). If oprofiled has printed the error, @e is
 * empty.
 */
int daemon_start(const struct setup *s, const struct driver *d,
		 const struct collector_choice *choice, const struct event_plan *plan,
		 const char *verbose, bool prepare_service, struct op_error *e);

/*
 * Write the buffer sizes and the depth of stacks to oprofilefs. If the module refuses the depth,
 * print that and set it to 0 in @used.
 */
int daemon_write_settings(struct setup *used, const struct driver *d, struct op_error *e);

/* The command line that daemon_start() runs. */
struct words {
	char **words;		/* NULL terminated */
	size_t nr, room;
	char *kernel_range;	/* KERNEL_RANGE_VARIABLE, or NULL */
};
int daemon_command(const struct setup *s, const struct collector_choice *choice,
		   const struct event_plan *plan, const char *verbose, const char *program,
		   struct words *ret, struct op_error *e);
void words_free(struct words *w);

#endif
