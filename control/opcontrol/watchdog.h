/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h - the kernel's NMI watchdog, which holds the counter that we want (CTL-107)
 *
 * It is off for as long as a daemon samples by a model that writes the counters' registers. That it
 * was on is kept in a file of root's below /run until it is on again, so that whichever way the
 * daemon and opcontrol end, the next opcontrol turns it on; a reboot does so, too. [CC-43]
 */
#ifndef CONTROL_OPCONTROL_WATCHDOG_H
#define CONTROL_OPCONTROL_WATCHDOG_H

#include <stdbool.h>
#include "control/machine/host.h"
#include "libutil/error.h"

/*
 * For the daemon of @session_dir. *ret_ours: it is off, and that is our doing, now or when another
 * daemon needed it. What somebody else has turned off stays his.
 */
int watchdog_off(const struct host *h, const char *session_dir, bool *ret_ours,
		 struct op_error *e);

/*
 * On again, if watchdog_off() turned it off and no daemon runs any more in the folder that it was
 * turned off for. *ret_done: it was so.
 */
int watchdog_restore(const struct host *h, bool *ret_done, struct op_error *e);

#endif
