// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpus.c - claim, start, stop and release every CPU across hotplug and suspend (cpus.h)
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include "module/buffer_sync.h"
#include "module/arch/x86/cpus.h"

/* ---- on the CPU, interrupts off ---- */

static void claim(void *data)
{
	struct op_cpus *c = data;

	if (c->asleep)
		return;
	c->claim();
	if (c->running)
		c->start();
}

static void release(void *data)
{
	struct op_cpus *c = data;

	c->stop();
	c->release();
}

static void start_or_stop(void *data)
{
	struct op_cpus *c = data;

	if (c->running)
		c->start();
	else
		c->stop();
}

/* ---- hotplug: on the CPU itself, with migration disabled ---- */

static int online(unsigned int cpu, struct hlist_node *node)
{
	unsigned long flags;

	local_irq_save(flags);
	claim(hlist_entry(node, struct op_cpus, node));
	local_irq_restore(flags);
	return 0;
}

static int offline(unsigned int cpu, struct hlist_node *node)
{
	unsigned long flags;

	local_irq_save(flags);
	release(hlist_entry(node, struct op_cpus, node));
	local_irq_restore(flags);
	op_sync_kick(OP_SYNC_NOW);
	return 0;
}

static void on_all(struct op_cpus *c, void (*what)(void *), bool *flag, bool value)
{
	cpus_read_lock();
	*flag = value;
	on_each_cpu(what, c, 1);
	cpus_read_unlock();
}

/* The CPU that suspends the machine never goes offline, yet loses its registers. */
static int on_sleep(struct notifier_block *nb, unsigned long event, void *data)
{
	struct op_cpus *c = container_of(nb, struct op_cpus, sleep);

	if (event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE)
		on_all(c, release, &c->asleep, true);
	else if (event == PM_POST_SUSPEND || event == PM_POST_HIBERNATION)
		on_all(c, claim, &c->asleep, false);
	return NOTIFY_DONE;
}

/* ---- */

int op_cpus_follow(struct op_cpus *c, struct op_reason *why)
{
	int err;

	c->sleep.notifier_call = on_sleep;
	err = register_pm_notifier(&c->sleep);
	if (err)
		return op_refuse(why, err, "cannot register a suspend notifier (%d)", err);
	c->state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, c->name, online, offline);
	if (c->state < 0) {
		err = op_refuse(why, c->state, "cannot register a CPU hotplug state (%d)",
				c->state);
		goto unregister_notifier;
	}
	err = cpuhp_state_add_instance(c->state, &c->node);	/* online() on every CPU */
	if (!err)
		return 0;
	op_refuse(why, err, "cannot set up every CPU (%d)", err);
	cpuhp_remove_multi_state(c->state);

unregister_notifier:
	unregister_pm_notifier(&c->sleep);
	return err;
}

void op_cpus_leave(struct op_cpus *c)
{
	cpuhp_state_remove_instance(c->state, &c->node);	/* offline() on every CPU */
	cpuhp_remove_multi_state(c->state);
	unregister_pm_notifier(&c->sleep);
}

void op_cpus_run(struct op_cpus *c, bool on)
{
	on_all(c, start_or_stop, &c->running, on);
}
