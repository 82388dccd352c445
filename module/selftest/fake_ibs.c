// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_ibs.c - instruction-based sampling on CPUs without it, for tests in virtual machines
 *
 * Only in modules built with OP_FAKE_IBS=1, where it replaces ibs_claim.c and the registers. The
 * registers are per-CPU memory, and a timer plays the hardware: every millisecond it counts 250000
 * fetches and cycles, lets units whose period ends take a sample at the interrupted instruction,
 * and sends its CPU an NMI. Only that instruction is real; the other registers describe
 *
 *	a fetch that completed and missed the instruction cache, every second time;
 *	an op that retired 10 cycles after completion and 25 after its tag; in turn a taken branch,
 *	a store, a load that missed the data cache for 100 cycles, and none of these.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/irq_vectors.h>
#include "module/arch/x86/ibs_claim.h"
#include "module/buffer_sync.h"
#include "module/cpu_buffer.h"
#include "module/pins.h"

#define TICK		NSEC_PER_MSEC
#define IN_A_TICK	250000
#define FAMILY		0x17
#define MODEL		0x31
#define FEATURES	(1u << 10)
#define CAPS		0x3ffu
#define FIRST		0xc0011030

#define FETCH_ENABLE	BIT_ULL(48)
#define FETCH_VALID	BIT_ULL(49)
#define FETCH_COMPLETE	BIT_ULL(50)
#define FETCH_MISS	BIT_ULL(51)
#define FETCH_PHYSICAL	BIT_ULL(52)
#define OP_ENABLE	BIT_ULL(17)
#define OP_VALID	BIT_ULL(18)
#define OP_TIMES	(10 | 25 << 16)
#define OP_TAKEN	BIT_ULL(35)
#define OP_BRANCH	BIT_ULL(37)
#define OP_LOAD		BIT_ULL(0)
#define OP_STORE	BIT_ULL(1)
#define OP_MISS		BIT_ULL(7)
#define OP_LINEAR	BIT_ULL(17)
#define OP_PHYSICAL	BIT_ULL(18)

struct fake {
	u64 fetch_ctl, fetch_linear, fetch_physical;
	u64 op_ctl, op_rip, op_data1, op_data2, op_data3, op_linear, op_physical;
	u64 control, op_target;
	struct hrtimer timer;
	u64 fetched, ran;		/* in the current periods */
	u32 turn;
};
static DEFINE_PER_CPU(struct fake, fakes);

/* The fields are in the order of the registers. */
static u64 *reg(u32 msr)
{
	return &this_cpu_ptr(&fakes)->fetch_ctl + (msr - FIRST);
}

u64 op_fake_rdmsr(u32 msr)
{
	return READ_ONCE(*reg(msr));
}

void op_fake_wrmsr(u32 msr, u64 value)
{
	WRITE_ONCE(*reg(msr), value);
}

static void take_fetch(struct fake *f, unsigned long ip)
{
	f->fetch_linear = ip;
	f->fetch_physical = ip & 0xffffff;
	WRITE_ONCE(f->fetch_ctl, f->fetch_ctl | FETCH_VALID | FETCH_COMPLETE | FETCH_PHYSICAL |
				 (f->turn % 2 ? FETCH_MISS : 0));
}

static void take_op(struct fake *f, unsigned long ip)
{
	static const u64 data3[] = {
		0, OP_STORE | OP_LINEAR | OP_PHYSICAL,
		OP_LOAD | OP_MISS | OP_LINEAR | OP_PHYSICAL | 100ull << 32, 0,
	};

	f->op_rip = ip;
	f->op_data1 = OP_TIMES | (f->turn % 4 ? 0 : OP_BRANCH | OP_TAKEN);
	f->op_data2 = 0;
	f->op_data3 = data3[f->turn % 4];
	f->op_linear = 0x12345678;
	f->op_physical = 0x345678;
	f->op_target = f->turn % 4 ? 0 : ip + 16;
	WRITE_ONCE(f->op_ctl, f->op_ctl | OP_VALID);
}

/* Whether a unit's period has ended. */
static bool count(u64 ctl, u64 enable, u64 valid, u64 *counted)
{
	if ((ctl & (enable | valid)) != enable)
		return false;
	*counted += IN_A_TICK;
	if (*counted < ((ctl & 0xffff) << 4 | (enable == OP_ENABLE ? ctl & 0x7f00000 : 0)))
		return false;
	*counted = 0;
	return true;
}

static enum hrtimer_restart tick(struct hrtimer *timer)			/* [irq] */
{
	struct fake *f = container_of(timer, struct fake, timer);
	struct pt_regs *regs = get_irq_regs();
	bool fetch, op;

	hrtimer_forward_now(timer, ns_to_ktime(TICK));
	if (!regs)
		return HRTIMER_RESTART;
	fetch = count(f->fetch_ctl, FETCH_ENABLE, FETCH_VALID, &f->fetched);
	op = count(f->op_ctl, OP_ENABLE, OP_VALID, &f->ran);
	if (!fetch && !op)
		return HRTIMER_RESTART;
	/* real hardware's NMI would hit the sampled code, so that its process gets pinned */
	if (user_mode(regs))
		op_pin_current(this_cpu_ptr(&op_cpu_buffers), READ_ONCE(op_generation));
	f->turn++;
	if (fetch)
		take_fetch(f, instruction_pointer(regs));
	if (op)
		take_op(f, instruction_pointer(regs));
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	return HRTIMER_RESTART;
}

/* ---- instead of ibs_claim.c ---- */

int op_ibs_machine(struct op_ibs *ret, struct op_reason *why)
{
	return op_ibs_discover(FAMILY, MODEL, FEATURES, CAPS, ret, why);
}

void op_ibs_block_perf(void)
{
}

void op_ibs_unblock_perf(void)
{
}

int op_ibs_open_entry(void)
{
	struct fake *f = this_cpu_ptr(&fakes);

	op_hrtimer_setup(&f->timer, tick);
	hrtimer_start(&f->timer, ns_to_ktime(TICK), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

void op_ibs_close_entry(void)
{
	hrtimer_try_to_cancel(&this_cpu_ptr(&fakes)->timer);	/* pinned here, interrupts off */
}
