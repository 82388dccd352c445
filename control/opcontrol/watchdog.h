/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h - turn off the kernel's NMI watchdog, which uses a hardware counter (CTL-107)
 *
 * It is off while a daemon samples by a model that writes the counters' registers. A file below
 * /run records that it was on, until it is on again: however the daemon and opcontrol end, the next
 * opcontrol turns it on. A reboot turns it on, too. [CC-43]
 */
#ifndef CONTROL_OPCONTROL_WATCHDOG_H
#define CONTROL_OPCONTROL_WATCHDOG_H

#include <stdbool.h>
#include "control/machine/host.h"
#include "libutil/error.h"

/*
 * Turn it off for the daemon of @session_dir. *ret_ours: opcontrol has turned it off, now or for
 * another daemon. A watchdog that somebody else has turned off stays off.
 */
int watchdog_off(const struct host *h, const char *session_dir, bool *ret_ours,
		 struct op_error *e);

/*
 * Turn it on again if watchdog_off() has turned it off and the daemon that needed this has ended.
 * *ret_done: it was turned on.
 */
int watchdog_restore(const struct host *h, bool *ret_done, struct op_error *e);

#endif
