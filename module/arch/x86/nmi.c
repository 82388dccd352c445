// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nmi.c - own the CPUs' counters, and hear of their overflows by NMI (nmi.h)
 *
 * An overflow goes through the local APIC's LVTPC entry, which we make deliver an NMI, so that code
 * running with interrupts off is sampled too. Delivering it masks the entry on Intel's CPUs: it is
 * opened again each time, before counting goes on, or the next overflow would be the last. Where
 * the counters can't be stopped it is opened first.
 *
 * perf and we keep off each other by the kernel's reservations, which are for each register and
 * which perf takes when it opens its first hardware event. KVM does not ask: it rewrites the global
 * control register around its guests as perf has it. So not while there are guests.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/processor.h>
#include <asm/special_insns.h>
#include "../../buffer_sync.h"
#include "../../cpu_buffer.h"
#include "../../stats.h"
#include "nmi.h"
#include "set_times.h"

#define EFER		0xc0000080
#define EFER_SVM	(1u << 12)

struct nmi_cpu {
	struct op_pmu_cpu pmu;
	struct op_set_times times;
	u32 saved_lvtpc;
};
static DEFINE_PER_CPU(struct nmi_cpu, cpus);

static const struct op_pmu *pmu;	/* while set up */
static struct op_pmu_plan plan;
static bool running, asleep;		/* changed with CPU hotplug locked out */
static int hotplug_state;

/* ---- the interrupt								[nmi] */

static void open_lvtpc(void)
{
	apic->write(APIC_LVTPC, APIC_DM_NMI);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct op_pmu_cpu *c = &this_cpu_ptr(&cpus)->pmu;
	struct op_pmu_fired f;
	u32 left;

	/* what goes on counting may overflow after it was looked at: that must not be dropped */
	if (!pmu->global && READ_ONCE(c->programmed))
		open_lvtpc();
	f = op_pmu_begin(pmu, &plan, c, user_mode(regs), rdtsc());
	if (!f.overflows) {
		if (!op_pmu_owed(c, rdtsc()))
			return NMI_DONE;
		if (READ_ONCE(c->programmed))
			open_lvtpc();
		return NMI_HANDLED;
	}
	for (left = f.samples; left; left &= left - 1)
		op_sample(regs, __builtin_ctz(left));
	if (f.throttled)
		op_count_here(OP_STAT_THROTTLED, f.throttled);
	if (pmu->global)
		open_lvtpc();
	op_pmu_end(pmu, &plan, c, &f, rdtsc());
	return f.overflows;	/* of more than one the kernel forgives NMIs without a cause */
}

/* ---- on each CPU, interrupts off ---- */

static void start_here(void *unused)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);

	if (!n->pmu.programmed)
		return;
	op_set_times_start(&n->times, 0, ktime_get_ns());
	op_pmu_start(pmu, &plan, &n->pmu);
}

static void stop_here(void *unused)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);

	if (!n->pmu.programmed || !n->pmu.running)
		return;
	op_count_here(OP_STAT_THROTTLED, op_pmu_stop(pmu, &plan, &n->pmu, rdtsc()));
	op_set_times_stop(&n->times, ktime_get_ns());
}

static void take_here(void *unused)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);

	if (n->pmu.programmed || asleep)
		return;
	n->saved_lvtpc = apic->read(APIC_LVTPC);
	op_pmu_program(pmu, &plan, &n->pmu);
	open_lvtpc();
	if (running)
		start_here(NULL);
}

static void give_back_here(void *unused)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);

	if (!n->pmu.programmed)
		return;
	stop_here(NULL);
	op_pmu_restore(pmu, &plan, &n->pmu);
	apic->write(APIC_LVTPC, n->saved_lvtpc);
}

/* Both on the CPU itself, which is not to be left. */
static int take_cpu(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	take_here(NULL);
	local_irq_restore(flags);
	return 0;
}

static int give_cpu_back(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	give_back_here(NULL);
	local_irq_restore(flags);
	op_sync_kick(OP_SYNC_NOW);
	return 0;
}

static void on_all(void (*what)(void *), bool *flag, bool value)
{
	cpus_read_lock();
	*flag = value;
	on_each_cpu(what, NULL, 1);
	cpus_read_unlock();
}

/* The CPU that puts the machine to sleep is never taken offline, yet its registers are lost. */
static int on_pm(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE)
		on_all(give_back_here, &asleep, true);
	else if (event == PM_POST_SUSPEND || event == PM_POST_HIBERNATION)
		on_all(take_here, &asleep, false);
	return NOTIFY_DONE;
}

static struct notifier_block pm_watcher = { .notifier_call = on_pm };

/* ---- whose the counters are ---- */

static void release(const struct op_pmu *p, unsigned int nr)
{
	while (nr--) {
		release_evntsel_nmi(p->select + nr * p->step);
		release_perfctr_nmi(p->counter + nr * p->step);
	}
}

/* All of them: perf, too, takes all or none. */
static int reserve(const struct op_pmu *p, struct op_reason *why)
{
	unsigned int i;

	for (i = 0; i < p->nr_general; i++) {
		if (!reserve_perfctr_nmi(p->counter + i * p->step))
			break;
		if (!reserve_evntsel_nmi(p->select + i * p->step)) {
			release_perfctr_nmi(p->counter + i * p->step);
			break;
		}
	}
	if (i == p->nr_general)
		return 0;
	release(p, i);
	return op_refuse(why, -EBUSY,
			 "perf has the counters, perhaps for the NMI watchdog: sysctl kernel.nmi_watchdog=0 ends that");
}

static void virtualizes_here(void *ret)
{
	bool on;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		on = __read_cr4() & X86_CR4_VMXE;
	else
		on = op_rdmsr(EFER) & EFER_SVM;
	if (on)
		WRITE_ONCE(*(bool *)ret, true);
}

/* How often KVM's module is used, by guests and who may start them. -ENOENT: can't be told. */
static int kvm_users(const char *path)
{
	struct file *file = filp_open(path, O_RDONLY, 0);
	char text[16] = "";
	loff_t pos = 0;
	int users;

	if (IS_ERR(file))
		return -ENOENT;
	kernel_read(file, text, sizeof(text) - 1, &pos);
	filp_close(file, NULL);
	return kstrtoint(strim(text), 10, &users) ? -ENOENT : users;
}

static int no_guests(struct op_reason *why)
{
	bool on = false;
	int users;

	on_each_cpu(virtualizes_here, &on, 1);
	if (!on)
		return 0;
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		users = kvm_users("/sys/module/kvm_intel/refcnt");
	else
		users = kvm_users("/sys/module/kvm_amd/refcnt");
	if (!users)
		return 0;
	return op_refuse(why, -EBUSY, "KVM is in use, and its guests would upset the counters");
}

struct trial {
	const struct op_pmu *pmu;
	int err;
};

/* A hypervisor may offer counters and yet have none. */
static void try_here(void *data)
{
	struct trial *t = data;
	u32 low, high, got, got_high;

	t->err = rdmsr_safe(t->pmu->select, &low, &high) ?:
		 rdmsr_safe(t->pmu->counter, &low, &high) ?:
		 wrmsr_safe(t->pmu->counter, low ^ 0xabcd, high) ?:
		 rdmsr_safe(t->pmu->counter, &got, &got_high);
	if (!t->err) {
		wrmsr_safe(t->pmu->counter, low, high);
		t->err = got == (low ^ 0xabcd) ? 0 : -EIO;
	}
}

static int try_registers(const struct op_pmu *p, struct op_reason *why)
{
	struct trial t = { .pmu = p };

	smp_call_function_single(get_cpu(), try_here, &t, 1);
	put_cpu();
	if (!t.err)
		return 0;
	return op_refuse(why, -ENODEV, "the counters' registers don't work, as if a hypervisor hid them");
}

static int claim(const struct op_pmu *p, struct op_reason *why)
{
	int err;

	if (!boot_cpu_has(X86_FEATURE_APIC))
		return op_refuse(why, -ENODEV, "there is no local APIC, or it is not used");
	err = no_guests(why);
	if (err)
		return err;
	err = reserve(p, why);
	if (err)
		return err;
	err = try_registers(p, why);
	if (err)
		release(p, p->nr_general);
	return err;
}

int op_nmi_probe(const struct op_pmu *p, struct op_reason *why)
{
	int err = claim(p, why);

	if (!err)
		release(p, p->nr_general);
	return err;
}

/* ---- the model's calls ---- */

static void reset_times(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		op_set_times_reset(&per_cpu(cpus, cpu).times);
}

void op_nmi_times(unsigned int n, u64 *ret_enabled, u64 *ret_running)
{
	unsigned int cpu;

	if (plan.used >> n & 1)
		for_each_possible_cpu(cpu)
			op_set_times_add(&per_cpu(cpus, cpu).times, 0, ret_enabled, ret_running);
}

/* Sets of counters do not take turns yet. */
static int one_set(const struct op_pmu *p, struct op_reason *why)
{
	unsigned int i;

	for (i = op_pmu_counters(p); i < OP_MAX_VIRTUAL; i++)
		if (op_counters[i].enabled)
			return op_refuse(why, -EDOM, "counter %u: the CPU has %u", i,
					 op_pmu_counters(p));
	return 0;
}

int op_nmi_setup(const struct op_pmu *p, struct op_reason *why)
{
	int err;

	err = one_set(p, why);
	if (err)
		return err;
	err = op_pmu_plan(p, op_counters, op_timer_clock_khz(), &plan, why);
	if (err)
		return err;
	err = claim(p, why);
	if (err)
		return err;
	pmu = p;
	reset_times();
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "oprofile");
	if (err) {
		op_refuse(why, err, "no NMI handler can be registered (%d)", err);
		goto release;
	}
	err = register_pm_notifier(&pm_watcher);
	if (err) {
		op_refuse(why, err, "the machine's sleep can't be watched (%d)", err);
		goto unregister_handler;
	}
	hotplug_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile/counters:online",
					  take_cpu, give_cpu_back);
	if (hotplug_state < 0) {
		err = op_refuse(why, hotplug_state, "CPUs can't be watched (%d)", hotplug_state);
		goto unregister_watcher;
	}
	return 0;

unregister_watcher:
	unregister_pm_notifier(&pm_watcher);
unregister_handler:
	unregister_nmi_handler(NMI_LOCAL, "oprofile");
release:
	release(p, p->nr_general);
	return err;
}

void op_nmi_shutdown(void)
{
	cpuhp_remove_state(hotplug_state);	/* give_cpu_back() on every CPU */
	unregister_pm_notifier(&pm_watcher);
	unregister_nmi_handler(NMI_LOCAL, "oprofile");
	release(pmu, pmu->nr_general);
}

int op_nmi_start(void)
{
	on_all(start_here, &running, true);
	return 0;
}

void op_nmi_stop(void)
{
	on_all(stop_here, &running, false);
}
