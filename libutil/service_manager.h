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

/* How often to send "WATCHDOG=1", in ms: twice as often as it is expected; 0: never. */
int service_watchdog_ms(void);

/* Whether @fd goes to the journal, which has the time of each line. */
bool service_is_journal(int fd);

#endif
