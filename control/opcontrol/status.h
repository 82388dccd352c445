/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status.h - opcontrol --status: the set-up and the state of sampling */
#ifndef CONTROL_OPCONTROL_STATUS_H
#define CONTROL_OPCONTROL_STATUS_H

#include <stdbool.h>
#include <stdio.h>
#include "control/opcontrol/setup.h"
#include "libutil/strbuf.h"

/* OProfile's lines (CTL-90..97) for @s, if no daemon runs. */
void status_print_setup(const struct setup *s, FILE *out);

/*
 * The same and then our own lines, with the values in use, from a daemon's answer to "status".
 * Missing keys omit their lines.
 */
void status_print_running(const char *answer, FILE *out);

/* @ns for people: "38.5 us", "1 ms", "2.5 s". */
void format_period(uint64_t ns, char *buf, size_t size);

/*
 * Why rings were full, after "because the daemon": "got no CPU for 1.6 s". @wait_ns: how late they
 * were drained at most; @queues_full: times that what was drained was not recorded in time;
 * @capped_s: seconds in which recording used all CPU time that it may.
 */
void format_lateness(uint64_t wait_ns, uint64_t queues_full, uint64_t capped_s, char *buf,
		     size_t size);

/*
 * Warn if the session's counts have losses that losses_advice() has advice on. @answer: the
 * daemon's to "status", for the cause, or "".
 */
void warn_of_losses(const char *session_dir, const char *answer);

#endif
