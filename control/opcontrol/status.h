/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status.h - opcontrol --status: what is set up and how sampling goes */
#ifndef CONTROL_OPCONTROL_STATUS_H
#define CONTROL_OPCONTROL_STATUS_H

#include <stdbool.h>
#include <stdio.h>
#include "control/opcontrol/setup.h"
#include "libutil/strbuf.h"

/* OProfile's lines (CTL-90..97) for @s, when no daemon runs. */
void status_print_setup(const struct setup *s, FILE *out);

/*
 * The same, and then ours, from a running daemon's answer to "status": the values in use.
 * Keys that are missing leave their lines out.
 */
void status_print_running(const char *answer, FILE *out);

/* "38.5 us", "1 ms", "2.5 s": @ns for people. */
void format_period(uint64_t ns, char *buf, size_t size);

#endif
