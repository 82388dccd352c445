// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs_claim.c - detect instruction-based sampling, and keep perf from using it (ibs_claim.h)
 *
 * IBS interrupts through one of the local APIC's extended entries. Firmware or the kernel chooses
 * the entry for all CPUs; the kernel's perf driver has made it an NMI on each CPU at boot and
 * restores it after suspend. If that driver failed, get_ibs_caps() is 0 and IBS is unusable.
 *
 * Unlike counters, IBS has no reservation in the kernel: perf would overwrite our units. While we
 * use it, a kretprobe on the function that checks such events makes opening perf's ibs_fetch or
 * ibs_op fail with "Device or resource busy". An event opened earlier shows as a running unit, and
 * then we refuse to start. A task's event that is not scheduled at that time goes unseen and takes
 * the unit from us later, which ibs.c detects.
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
		return op_refuse(why, -ENODEV, "not an AMD CPU");
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
			 "the kernel has not set up the IBS interrupt");
}

/* ---- perf ---- */

#ifdef CONFIG_KRETPROBES
static int refuse(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (!regs_return_value(regs))
		regs_set_return_value(regs, -EBUSY);
	return 0;
}

static struct kretprobe perf_init_probe = {
	.kp.symbol_name = "perf_ibs_init",
	.handler = refuse,
};
static bool perf_is_blocked;

void op_ibs_block_perf(void)
{
	perf_init_probe.kp.addr = NULL;	/* left from the last registration */
	perf_init_probe.kp.flags = 0;
	perf_is_blocked = !register_kretprobe(&perf_init_probe);
	if (!perf_is_blocked)
		pr_info_once("oprofile: cannot keep perf from using "
			     "instruction-based sampling at the same time\n");
}

void op_ibs_unblock_perf(void)
{
	if (perf_is_blocked)
		unregister_kretprobe(&perf_init_probe);
	perf_is_blocked = false;
}
#else
void op_ibs_block_perf(void)
{
}

void op_ibs_unblock_perf(void)
{
}
#endif

/* ---- the interrupt ---- */

/* The entry is already as we want it; this verifies that, and fails if it has another use. */
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
