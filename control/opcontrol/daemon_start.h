/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemon_start.h - bring oprofiled up with the saved set-up (CTL-100..110) */
#ifndef CONTROL_OPCONTROL_DAEMON_START_H
#define CONTROL_OPCONTROL_DAEMON_START_H

#include "control/machine/collector_choice.h"
#include "control/machine/driver.h"
#include "control/opcontrol/setup.h"
#include "control/plan/plan.h"
#include "libutil/error.h"

/*
 * Make the session directory, set the module's buffers and run oprofiled, which is ready (but not
 * sampling) when this returns 0. @verbose: topics for its log, or NULL. -errno: @e says why, or is
 * empty when oprofiled has said so itself.
 */
int daemon_start(const struct setup *s, const struct driver *d,
		 const struct collector_choice *choice, const struct event_plan *plan,
		 const char *verbose, struct op_error *e);

/*
 * What it writes to oprofilefs: the sizes of the buffers, 0 being the module's default, and the
 * depth of stacks, which is put to 0 in @used where the module does not take it (and told).
 */
int daemon_write_settings(struct setup *used, const struct driver *d, struct op_error *e);

/* The command that daemon_start() runs, as words; for --verbose and tests. */
struct words {
	char **words;		/* NULL terminated */
	size_t nr, room;
};
int daemon_command(const struct setup *s, const struct collector_choice *choice,
		   const struct event_plan *plan, const char *verbose, const char *program,
		   struct words *ret, struct op_error *e);
void words_free(struct words *w);

#endif
