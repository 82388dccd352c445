// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs_claim.c - find instruction-based sampling, and keep perf off it (ibs_claim.h)
 *
 * Its interrupts come through an entry of its own in the local APIC, one of the extended ones.
 * Which, firmware or the kernel decides, for all CPUs; the kernel's driver for perf has made it an
 * NMI on each CPU long before us, and sees to it after sleep. Where that driver could not,
 * get_ibs_caps() tells 0, and neither can we.
 *
 * For IBS, other than for counters, the kernel has no reservation: perf would start its units over
 * ours. While we use it, opening an event of perf's ibs_fetch or ibs_op is made to fail with
 * "Device or resource busy", by a kretprobe on the function that checks such an event. What perf
 * had opened before is seen by a unit that runs, and then we are the one to be refused; a process's
 * own event that sleeps just then is not seen, and takes its unit from us later: ibs.c notices.
 */
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include "module/arch/x86/ibs_claim.h"

#define FEATURES	0x80000001
#define CAPS		0x8000001b
#define IBS_CONTROL	0xc001103a
#define ENTRY		0xfu
#define ENTRY_VALID	(1u << 8)
#define BY_NMI		4		/* the local APIC's delivery mode */

int op_ibs_machine(struct op_ibs *ret, struct op_reason *why)
{
	u8 vendor = boot_cpu_data.x86_vendor;
	u32 caps = 0;
	int err;

	if (vendor != X86_VENDOR_AMD && vendor != X86_VENDOR_HYGON)
		return op_refuse(why, -ENODEV, "the CPU is not AMD's");
	if (cpuid_eax(0x80000000) >= CAPS)
		caps = cpuid_eax(CAPS);
	err = op_ibs_discover(boot_cpu_data.x86, boot_cpu_data.x86_model, cpuid_ecx(FEATURES), caps,
			      ret, why);
	if (err)
		return err;
#ifdef CONFIG_CPU_SUP_AMD
	if (get_ibs_caps())
		return 0;
#endif
	return op_refuse(why, -ENODEV,
			 "the kernel has not set up the interrupt of instruction-based sampling");
}

/* ---- perf ---- */

#ifdef CONFIG_KRETPROBES
static int refuse(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (!regs_return_value(regs))
		regs_set_return_value(regs, -EBUSY);
	return 0;
}

static struct kretprobe perf_opens = {
	.kp.symbol_name = "perf_ibs_init",
	.handler = refuse,
};
static bool perf_is_off;

void op_ibs_keep_perf_off(void)
{
	perf_opens.kp.addr = NULL;	/* of the last time */
	perf_opens.kp.flags = 0;
	perf_is_off = !register_kretprobe(&perf_opens);
	if (!perf_is_off)
		pr_info_once("oprofile: perf can't be kept from using "
			     "instruction-based sampling, too\n");
}

void op_ibs_let_perf(void)
{
	if (perf_is_off)
		unregister_kretprobe(&perf_opens);
	perf_is_off = false;
}
#else
void op_ibs_keep_perf_off(void)
{
}

void op_ibs_let_perf(void)
{
}
#endif

/* ---- the interrupt ---- */

/* It is as we want it already; this makes sure, and fails if somebody else has it. */
int op_ibs_open_entry(void)
{
	u64 control = op_rdmsr(IBS_CONTROL);

	if (!(control & ENTRY_VALID))
		return -ENODEV;
	return setup_APIC_eilvt(control & ENTRY, 0, BY_NMI, 0);
}

/* The kernel's driver keeps it. */
void op_ibs_close_entry(void)
{
}
