/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_manager.h - tell the service manager that started this program how it is (sd_notify(3))
 *
 * Without one, which NOTIFY_SOCKET in the environment says, nothing happens.
 */
#ifndef LIBUTIL_SERVICE_MANAGER_H
#define LIBUTIL_SERVICE_MANAGER_H

#include <stdbool.h>

/* @state: lines such as "READY=1". It never waits: a manager that does not read learns nothing. */
void service_notify(const char *state);

/*
 * The program makes progress: send "WATCHDOG=1" if half of the time in which it is expected has
 * passed since the last one. Returns in how many ms it is due again; INT32_MAX: never. For one
 * thread, after each step of what may take long.
 */
int service_alive(void);

/* Whether @fd goes to the journal, which has the time of each line. */
bool service_is_journal(int fd);

#endif
