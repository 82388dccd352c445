// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hooks.c - probes and notifiers in the kernel (hooks.h)
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/rculist.h>
#include <linux/ptrace.h>
#include <linux/tracepoint.h>
#include "module/buffer_sync.h"
#include "module/hooks.h"
#include "module/maps.h"
#include "module/pins.h"

#define MODULES_NOTED	512

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

static void note_init_text(bool loaded, const struct module *m)
{
	char name[MODULE_NAME_LEN + 8];
	unsigned long start, size;

	op_module_init_text(m, &start, &size);
	if (!size)
		return;
	snprintf(name, sizeof(name), "%s.init", m->name);
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

struct text {
	unsigned long start, size;
	char name[MODULE_NAME_LEN];
};

/* The kernel's list of modules is not exported, but this module is on it. */
static bool is_list_head(const struct list_head *node)
{
	unsigned long at = (unsigned long)node;

	return at < MODULES_VADDR || at >= MODULES_END;
}

/* In one direction from this module to the list's head: the text of at most @room modules. */
static unsigned int list_texts(struct text *texts, unsigned int room, bool backward)
{
	const struct list_head *node = &THIS_MODULE->list;
	unsigned int nr = 0;

	rcu_read_lock();
	while (nr < room) {
		const struct module *m;

		/* a removed entry keeps its next only: the way back may end early */
		node = backward ? READ_ONCE(node->prev) : rcu_dereference(list_next_rcu(node));
		if (is_list_head(node))
			break;
		m = list_entry(node, struct module, list);
		if (m->state != MODULE_STATE_LIVE)
			continue;
		op_module_text(m, &texts[nr].start, &texts[nr].size);
		strscpy(texts[nr].name, m->name, sizeof(texts[nr].name));
		nr++;
	}
	rcu_read_unlock();
	return nr;
}

/* Where the text of modules lies that are loaded already: /proc/modules does not give its size. */
static void note_loaded_modules(void)
{
	struct text *texts = kvmalloc_array(MODULES_NOTED, sizeof(*texts), GFP_KERNEL);
	unsigned long start, size;
	unsigned int nr, i;

	if (!texts)
		return;		/* the daemon makes do with kallsyms */
	op_module_text(THIS_MODULE, &start, &size);
	op_sync_module(true, start, size, THIS_MODULE->name);
	nr = list_texts(texts, MODULES_NOTED, false);
	nr += list_texts(texts + nr, MODULES_NOTED - nr, true);
	for (i = 0; i < nr; i++)
		op_sync_module(true, texts[i].start, texts[i].size, texts[i].name);
	kvfree(texts);
}

static struct notifier_block module_watcher = { .notifier_call = on_module };

int op_hooks_watch_modules(void)
{
	int err = register_module_notifier(&module_watcher);

	if (!err)
		note_loaded_modules();
	return err;
}

void op_hooks_unwatch_modules(void)
{
	unregister_module_notifier(&module_watcher);
}
