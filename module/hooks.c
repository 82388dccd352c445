// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hooks.c - probes and notifiers in the kernel (hooks.h)
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/tracepoint.h>
#include "module/buffer_sync.h"
#include "module/event_buffer.h"
#include "module/hooks.h"
#include "module/maps.h"
#include "module/pins.h"

static bool unmap_log = true;
module_param(unmap_log, bool, 0444);
MODULE_PARM_DESC(unmap_log,
		 "log unmapped files by a kprobe (off: keep address spaces until the next sync)");

static bool watching_mappings;

#ifdef CONFIG_KPROBES
/* preemption is off, mmap_lock is held: log and kick, never sync here */
static int on_unmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if ((vma->vm_flags & VM_EXEC) && vma->vm_file) {
		unsigned long start = regs_get_kernel_argument(regs, 1);
		unsigned long end = regs_get_kernel_argument(regs, 2);

		op_maps_unmapped(vma->vm_mm, start, end);
		op_unmap_log(vma, start, end);
	}
	return 0;
}

static struct kprobe unmap_probe;

static int watch_unmaps(void)
{
	if (!unmap_log)
		return -EOPNOTSUPP;
	/* a kprobe must be initialized again before it is registered again */
	unmap_probe = (struct kprobe){
		.symbol_name = "uprobe_munmap", .pre_handler = on_unmap,
	};
	return register_kprobe(&unmap_probe);
}

static void unwatch_unmaps(void)
{
	unregister_kprobe(&unmap_probe);
}
#else
static int watch_unmaps(void)
{
	return -EOPNOTSUPP;
}

static void unwatch_unmaps(void)
{
}
#endif

/* ---- without kprobes: a sync soon after every exit and exec, because nothing is logged ---- */

static struct tracepoint *exit_point, *exec_point;

static void OP_EXIT_PROBE(on_exit)
{
	op_sync_kick(OP_SYNC_SOON);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	op_sync_kick(OP_SYNC_SOON);
}

/* The tracepoints are not exported, but can be looked up by name. */
static void find_point(struct tracepoint *point, void *unused)
{
	if (!strcmp(point->name, "sched_process_exit"))
		exit_point = point;
	else if (!strcmp(point->name, "sched_process_exec"))
		exec_point = point;
}

static void watch_tasks(void)
{
	for_each_kernel_tracepoint(find_point, NULL);
	if (exit_point && tracepoint_probe_register(exit_point, on_exit, NULL))
		exit_point = NULL;
	if (exec_point && tracepoint_probe_register(exec_point, on_exec, NULL))
		exec_point = NULL;
}

static void unwatch_tasks(void)
{
	if (exit_point)
		tracepoint_probe_unregister(exit_point, on_exit, NULL);
	if (exec_point)
		tracepoint_probe_unregister(exec_point, on_exec, NULL);
	exit_point = exec_point = NULL;
	tracepoint_synchronize_unregister();
}

void op_hooks_watch_mappings(void)
{
	int err = watch_unmaps();

	watching_mappings = !err;
	op_pins_hold_users(err);
	if (!err) {
		op_maps_watch();
		return;
	}
	pr_info_once("oprofile: cannot watch unmapped files (%d): keeping address spaces until the "
		     "next sync; samples in code unmapped before it may be misattributed\n", err);
	watch_tasks();
}

void op_hooks_unwatch_mappings(void)
{
	if (watching_mappings) {
		op_maps_unwatch();
		unwatch_unmaps();
	} else {
		unwatch_tasks();
	}
}

/* ---- modules ---- */

#define INIT_NAME_LEN	(MODULE_NAME_LEN + 8)

/* Bytes of the text for start-up, 0 if there is none; else its @name, too. */
static unsigned long init_text(const struct module *m, unsigned long *ret_start, char *name)
{
	unsigned long size;

	op_module_init_text(m, ret_start, &size);
	if (size)
		snprintf(name, INIT_NAME_LEN, "%s.init", m->name);
	return size;
}

static void note_init_text(bool loaded, const struct module *m)
{
	char name[INIT_NAME_LEN];
	unsigned long start, size = init_text(m, &start, name);

	if (size)
		op_sync_module(loaded, start, size, name);
}

/*
 * Called before a new module's first instruction and after an old one's last, and between the last
 * of its start-up and its freeing: samples taken before the call belong to the old layout, and the
 * flush writes them before the note. [EB-8]
 */
static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *m = data;
	unsigned long start, size;

	if (state != MODULE_STATE_LIVE) {
		op_module_text(m, &start, &size);
		op_sync_module(state == MODULE_STATE_COMING, start, size, m->name);
	}
	/* also of a module that is going because its start-up failed */
	note_init_text(state == MODULE_STATE_COMING, m);
	return NOTIFY_DONE;
}

static struct notifier_block module_watcher = { .notifier_call = on_module };

/*
 * What @m is on the kernel's list of modules: a module, or the list's head. Only a module's kobject
 * points back at it. Beyond the head is other data of the kernel, which KASAN must not check.
 */
static bool is_module(struct module *m)
{
	return m == THIS_MODULE || READ_ONCE_NOCHECK(m->mkobj.mod) == m;
}

/* [rcu, sync mutex held] */
static void report_found(const struct module *m)
{
	enum module_state state = READ_ONCE(m->state);
	char name[INIT_NAME_LEN];
	unsigned long start, size;

	/* others are reported when they come, or have just been reported as gone */
	if (state != MODULE_STATE_LIVE && state != MODULE_STATE_COMING)
		return;
	op_module_text(m, &start, &size);
	op_event_module_found(start, size, m->name);
	if (state == MODULE_STATE_LIVE)
		return;
	size = init_text(m, &start, name);
	if (size)
		op_event_module_found(start, size, name);
}

/*
 * Modules that were loaded before. The kernel exports no list of them, but this module is on it. If
 * one changes meanwhile the notifier, which waits for the lock, reports that afterwards. One whose
 * parameters are just being parsed has no kobject yet; the reader finds it in /proc/modules. [task]
 */
static void report_modules(void)
{
	struct module *m = THIS_MODULE;

	op_sync_lock();
	rcu_read_lock_sched();		/* before 6.14 a list of RCU-sched, then of RCU */
	rcu_read_lock();
	do {
		if (is_module(m))
			report_found(m);
		m = list_entry_rcu(m->list.next, struct module, list);
	} while (m != THIS_MODULE);
	rcu_read_unlock();
	rcu_read_unlock_sched();
	op_sync_unlock();
}

int op_hooks_watch_modules(void)
{
	int err = register_module_notifier(&module_watcher);

	if (!err)
		report_modules();
	return err;
}

void op_hooks_unwatch_modules(void)
{
	unregister_module_notifier(&module_watcher);
}
