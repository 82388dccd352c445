// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claim.c - check who owns the CPUs' counters, and claim them (claim.h)
 *
 * The kernel's per-register reservations keep us and perf apart; perf takes them when it opens its
 * first hardware event. KVM does not use them: around its guests it rewrites the global control
 * register with perf's values, so we do not start to sample while there are guests. A guest that
 * starts later is noticed within a second, and from then on samples are counted as disturbed until
 * it is gone: some may be missing, because KVM stops counters that perf does not know.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/processor.h>
#include <asm/special_insns.h>
#include "module/arch/x86/claim.h"
#include "module/cpu_buffer.h"

#define EFER		0xc0000080
#define EFER_SVM	(1u << 12)

static void release_first(const struct op_pmu *p, unsigned int nr)
{
	while (nr--) {
		release_evntsel_nmi(p->select + nr * p->step);
		release_perfctr_nmi(p->counter + nr * p->step);
	}
}

void op_release(const struct op_pmu *p)
{
	release_first(p, p->nr_general);
}

/* All of them: perf takes all or none as well. */
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
	release_first(p, i);
	return op_refuse(why, -EBUSY,
			 "perf has the counters, perhaps for the NMI watchdog; "
			 "try sysctl kernel.nmi_watchdog=0");
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

/* Reference count of KVM's module: guests, and programs that may start some. -ENOENT: unknown. */
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

static int nr_kvm_users(void)
{
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		return kvm_users("/sys/module/kvm_intel/refcnt");
	return kvm_users("/sys/module/kvm_amd/refcnt");
}

/* KVM sets up all CPUs at once, so this one, which wakes no other. */
void op_claim_watch(void)
{
	unsigned long flags;
	bool on = false;

	local_irq_save(flags);
	virtualizes_here(&on);
	local_irq_restore(flags);
	WRITE_ONCE(op_disturbed, on && op_has_guests(nr_kvm_users(), on));
}

static int check_no_guests(struct op_reason *why)
{
	bool on = false;

	on_each_cpu(virtualizes_here, &on, 1);
	if (!on || !op_has_guests(nr_kvm_users(), on))
		return 0;
	return op_refuse(why, -EBUSY, "KVM is in use and its guests would disturb the counters");
}

struct trial {
	const struct op_pmu *pmu;
	int err;
};

/* A hypervisor may announce counters that do not work. */
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
	return op_refuse(why, -ENODEV,
			 "the counter registers do not work; a hypervisor may hide them");
}

int op_claim(const struct op_pmu *p, struct op_reason *why)
{
	int err;

	if (!boot_cpu_has(X86_FEATURE_APIC))
		return op_refuse(why, -ENODEV, "the local APIC is missing or disabled");
	err = check_no_guests(why);
	if (err)
		return err;
	err = reserve(p, why);
	if (err)
		return err;
	err = try_registers(p, why);
	if (err)
		op_release(p);
	return err;
}
