/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - the machine that opcontrol works on: where its parts are looked for
 *
 * host_init() fills in the real one; tests make up one of their own.
 */
#ifndef CONTROL_MACHINE_HOST_H
#define CONTROL_MACHINE_HOST_H

#include "control/machine/driver.h"

struct host {
	struct driver driver;
	const char *root;		/* cpu_detect()'s: "" for this machine */
	int (*try_cycles)(void);	/* perf counts CPU cycles: 0, or -errno of asking for it */
	/* driver_ready(), driver_reload() */
	int (*load)(const struct driver *d, const char *model, struct op_error *e);
	int (*reload)(const struct driver *d, struct op_error *e);
	const char *watchdog;		/* /proc/sys/kernel/nmi_watchdog */
	/* says that it was on before opcontrol turned it off: control/opcontrol/watchdog.h */
	const char *watchdog_kept;
};

void host_init(struct host *h);
void host_free(struct host *h);

#endif
