/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpus.h - do with every CPU what is to be done with it, also with those that come, go and sleep
 *
 *	follow: take on each CPU;  run: start or stop;  leave: stop and give_back on each
 *
 * A CPU that comes is taken, and started if the others run; one that goes is stopped and given
 * back, and so are all before the machine sleeps, for their registers are lost then.
 */
#ifndef MODULE_ARCH_X86_CPUS_H
#define MODULE_ARCH_X86_CPUS_H

#include <linux/notifier.h>
#include <linux/types.h>
#include "module/counter.h"

struct op_cpus {
	const char *name;		/* of the state of CPU hotplug */

	/* On the CPU, interrupts off. start and stop also of one that is, or could not be taken. */
	void (*take)(void);
	void (*start)(void);
	void (*stop)(void);
	void (*give_back)(void);

	/* cpus.c's, changed with hotplug locked out */
	bool running, asleep;
	int state;
	struct hlist_node node;
	struct notifier_block sleep;
};

int op_cpus_follow(struct op_cpus *c, struct op_reason *why);	/* 0, or -errno and why	[task] */
void op_cpus_leave(struct op_cpus *c);						/* [task] */
void op_cpus_run(struct op_cpus *c, bool on);					/* [task] */

#endif
