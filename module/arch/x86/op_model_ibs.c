// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * op_model_ibs.c - sample with AMD's instruction-based sampling, alone or beside counters
 *
 * ibs.c reads and writes the registers, ibs_claim.c claims them. This file connects them: the NMI,
 * CPU hotplug and suspend.
 */
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/nmi.h>
#include <asm/tsc.h>
#include "module/buffer_sync.h"
#include "module/cpu_buffer.h"
#include "module/op_model.h"
#include "module/stats.h"
#include "oprofilefs/op_abi.h"
#include "module/arch/x86/cpus.h"
#include "module/arch/x86/ibs_claim.h"

static const unsigned int codes[OP_IBS_UNITS] = { OP_IBS_FETCH, OP_IBS_OP };

static DEFINE_PER_CPU(struct op_ibs_cpu, cpus);
static struct op_ibs ibs;
static struct op_ibs_plan plan;
static bool no_entry;			/* some CPU's interrupt was in use, since set-up */

static int on_nmi(unsigned int type, struct pt_regs *regs)		/* [nmi] */
{
	struct op_ibs_cpu *c = this_cpu_ptr(&cpus);
	struct op_ibs_fired f;
	unsigned int left;
	u64 passed;

	op_ibs_begin(&ibs, &plan, c, rdtsc(), &f);
	if (!f.found)
		return op_ibs_owed(c, rdtsc()) ? NMI_HANDLED : NMI_DONE;
	for (left = f.samples; left; left &= left - 1) {
		enum op_ibs_unit u = __builtin_ctz(left);
		const struct op_ibs_sample *s = &f.sample[u];

		op_sample_ibs(regs, s->pc ?: instruction_pointer(regs), codes[u], s->data, s->nr);
	}
	passed = op_ibs_end(&ibs, &plan, c, &f, rdtsc());
	if (passed)
		op_count_here(OP_STAT_THROTTLED, passed);
	return hweight32(f.found);
}

/* ---- on each CPU, interrupts off ---- */

static void start_here(void)
{
	struct op_ibs_cpu *c = this_cpu_ptr(&cpus);

	if (c->programmed)
		op_ibs_start(&ibs, &plan, c);
}

static void stop_here(void)
{
	struct op_ibs_cpu *c = this_cpu_ptr(&cpus);
	int u;

	if (!c->programmed || !c->running)
		return;
	op_count_here(OP_STAT_THROTTLED, op_ibs_stop(&ibs, &plan, c, rdtsc()));
	for (u = 0; u < OP_IBS_UNITS; u++)
		if (c->unit[u].taken)
			pr_warn_once("oprofile: CPU %d: perf took over instruction-based sampling; "
				     "samples are missing\n", smp_processor_id());
}

static void claim_here(void)
{
	struct op_ibs_cpu *c = this_cpu_ptr(&cpus);

	if (op_ibs_open_entry()) {
		WRITE_ONCE(no_entry, true);
		pr_warn("oprofile: CPU %d: cannot use instruction-based sampling: "
			"its interrupt is in use\n", smp_processor_id());
		return;
	}
	op_ibs_program(&plan, c, rdtsc());
}

static void release_here(void)
{
	struct op_ibs_cpu *c = this_cpu_ptr(&cpus);

	if (!c->programmed)
		return;
	op_ibs_restore(&plan, c);
	op_ibs_close_entry();
}

static struct op_cpus all_cpus = {
	.name = "oprofile/ibs:online",
	.claim = claim_here, .start = start_here, .stop = stop_here, .release = release_here,
};

static void check_here(void *ret)
{
	if (op_ibs_busy(&plan))
		WRITE_ONCE(*(bool *)ret, true);
}

static int check_unused(struct op_reason *why)
{
	bool busy = false;

	on_each_cpu(check_here, &busy, 1);
	return busy ? op_refuse(why, -EBUSY, "perf is using instruction-based sampling") : 0;
}

/* ---- the model's calls ---- */

static int ibs_probe(struct op_reason *why)
{
	int err = op_ibs_machine(&ibs, why);

	if (err)
		return err;
	op_ibs_offer = (struct op_ibs_offer){
		.fetch = ibs.unit[OP_IBS_UNIT_FETCH], .op = ibs.unit[OP_IBS_UNIT_OP],
		.dispatched_ops = ibs.dispatched_ops, .branch_target = ibs.branch_target,
		.op_max = ibs.max[OP_IBS_UNIT_OP],
	};
	return 0;
}

static int ibs_setup(struct op_reason *why)
{
	int err;

	err = op_ibs_plan(&ibs, &op_ibs_settings, op_timer_clock_khz(), &plan, why);
	if (err)
		return err;
	op_ibs_block_perf();
	err = check_unused(why);
	if (err)
		goto unblock_perf;
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "oprofile-ibs");
	if (err) {
		op_refuse(why, err, "cannot register an NMI handler (%d)", err);
		goto unblock_perf;
	}
	no_entry = false;
	err = op_cpus_follow(&all_cpus, why);
	if (err)
		goto unregister_handler;
	if (!no_entry)
		return 0;
	err = op_refuse(why, -ENODEV, "the IBS interrupt is in use");
	op_cpus_leave(&all_cpus);

unregister_handler:
	unregister_nmi_handler(NMI_LOCAL, "oprofile-ibs");
unblock_perf:
	op_ibs_unblock_perf();
	return err;
}

static void ibs_shutdown(void)
{
	op_cpus_leave(&all_cpus);
	unregister_nmi_handler(NMI_LOCAL, "oprofile-ibs");
	op_ibs_unblock_perf();
}

static int ibs_start(void)
{
	op_cpus_run(&all_cpus, true);
	return 0;
}

static void ibs_stop(void)
{
	op_cpus_run(&all_cpus, false);
}

const struct op_model op_model_ibs = {
	.name = "ibs",
	.probe = ibs_probe,
	.cpu_type = op_x86_cpu_type,
	.setup = ibs_setup,
	.shutdown = ibs_shutdown,
	.start = ibs_start,
	.stop = ibs_stop,
};
