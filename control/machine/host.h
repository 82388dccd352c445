/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - the machine that opcontrol works on
 *
 * host_init() describes the real machine; tests describe a fake one.
 */
#ifndef CONTROL_MACHINE_HOST_H
#define CONTROL_MACHINE_HOST_H

#include "control/machine/driver.h"

struct host {
	struct driver driver;
	const char *root;		/* of cpu_detect(): "" for this machine */
	int (*try_cycles)(void);	/* whether perf can count CPU cycles: 0 or -errno */
	/* what a sample by time costs: measure_cost_fn of control/plan/plan.h */
	int (*sample_cost)(bool stacks, bool frame_pointers, uint64_t *ret_ns);
	/* driver_ready(), driver_reload() */
	int (*load)(const struct driver *d, const char *model, struct op_error *e);
	int (*reload)(const struct driver *d, struct op_error *e);
	const char *watchdog;		/* /proc/sys/kernel/nmi_watchdog */
	/* exists while opcontrol has turned it off: control/opcontrol/watchdog.h */
	const char *watchdog_kept;
};

void host_init(struct host *h);
void host_free(struct host *h);

#endif
