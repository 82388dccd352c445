/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpus.h - claim, start, stop and release every CPU across hotplug and suspend
 *
 *	follow: claim each CPU;  run: start or stop each;  leave: stop and release each
 *
 * A CPU that comes online is claimed, and started if the others run; one that goes offline is
 * stopped and released. So are all before the machine sleeps, because it loses their registers.
 */
#ifndef MODULE_ARCH_X86_CPUS_H
#define MODULE_ARCH_X86_CPUS_H

#include <linux/notifier.h>
#include <linux/types.h>
#include "module/counter.h"

struct op_cpus {
	const char *name;		/* of the state of CPU hotplug */

	/*
	 * On the CPU, interrupts off. start and stop may also be called on a CPU that is already
	 * started or stopped, or that could not be claimed.
	 */
	void (*claim)(void);
	void (*start)(void);
	void (*stop)(void);
	void (*release)(void);

	/* private to cpus.c, changed with hotplug locked out */
	bool running, asleep;
	int state;
	struct hlist_node node;
	struct notifier_block sleep;
};

int op_cpus_follow(struct op_cpus *c, struct op_reason *why);	/* 0, or -errno and why	[task] */
void op_cpus_leave(struct op_cpus *c);						/* [task] */
void op_cpus_run(struct op_cpus *c, bool on);					/* [task] */

#endif
