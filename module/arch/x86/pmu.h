/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmu.h - the counters of an x86 CPU: discover, program and read their registers
 *
 * Uses nothing of the kernel, so that all of it runs in user space against a model of the registers
 * (tests/unit/module/msr_*.c). nmi.c claims the counters and turns their interrupt into an NMI.
 *
 * pmu_intel.c and pmu_amd.c detect what a CPU has, pmu_plan.c turns settings into register values,
 * pmu_run.c and pmu_overflow.c write them.
 *
 * One engine serves all families, because they differ in little: the registers' addresses, whether
 * global registers report and stop all counters at once (Intel from version 2, AMD PerfMonV2), and
 * whether there are fixed counters besides the general ones.
 *
 * Counter i is general counter i, or fixed counter i - nr_general.
 *
 * A counter starts at minus the count, counts up, and interrupts as it wraps. What it counts after
 * that until it is read carries over, so that over any time
 *
 *	samples + throttled = events / count
 *
 * Throttling (throttle.h): a counter's overflows must be at least plan->floor apart, and at least
 * the cost of handling one. That cost is the lesser of the last two, because one may take long when
 * a hypervisor runs other guests.
 */
#ifndef MODULE_ARCH_X86_PMU_H
#define MODULE_ARCH_X86_PMU_H

#include "module/counter.h"
#include "module/arch/x86/msr.h"
#include "module/arch/x86/throttle.h"

/* What the CPUs offer; all are the same. */
struct op_pmu {
	u8 nr_general, nr_fixed;
	u8 width, fixed_width;		/* bits */
	bool global;			/* has the three global registers */
	bool signed32;			/* writes to a general counter sign-extend bit 31 */
	u32 select, counter, step;	/* registers of general counter 0; distance to the next */
	u32 global_status, global_ctrl, global_clear;
	u64 event_mask;			/* valid bits of an event's number */
	u64 extra_mask;			/* further valid bits of the select register */
};

/* What a set of counters does, on all CPUs. */
struct op_pmu_plan {
	u8 first;			/* virtual counter of counter 0 */
	u8 nr;				/* counters used */
	u32 used;			/* a bit for each */
	u32 in_kernel, in_user;		/* those to be sampled in kernel and in user mode */
	u64 enable;			/* global_ctrl, and bits of global_status that are ours */
	u64 fixed_ctrl;
	u64 select[OP_MAX_COUNTERS];	/* general ones, complete */
	u64 period[OP_MAX_COUNTERS];	/* events; 0: unused */
	u64 max[OP_MAX_COUNTERS];	/* longest period */
	u64 floor;			/* TSC cycles between two overflows of a counter */
	u64 late;			/* TSC cycles within which a late NMI is still ours */
};

/* One CPU: saved registers and current state. */
struct op_pmu_cpu {
	bool programmed, running;
	u64 saved_ctrl, saved_fixed_ctrl;
	u64 saved_select[OP_MAX_COUNTERS], saved_value[OP_MAX_COUNTERS];

	const struct op_pmu_plan *plan;	/* the set on the counters */
	/* of a set not on the counters: handled is relative to when it was switched off */
	struct op_throttle throttle[OP_MAX_VIRTUAL];
	u64 value[OP_MAX_VIRTUAL];	/* counts of sets not on the counters */
	u64 began;			/* start of the current handler */
	u64 last_cost, cost;		/* of the last handler; the lesser of the last two */

	unsigned int owed;		/* NMIs of overflows that another NMI handled */
	u64 owed_until;
	bool stopping;			/* op_pmu_stop() is looking for overflows */
	unsigned int early;		/* NMIs without a cause meanwhile */
};

/* What an interrupt found. */
struct op_pmu_fired {
	unsigned int overflows;		/* 0: not ours */
	u32 wrapped, samples;		/* a bit for each counter; those to sample */
	u64 throttled;			/* periods that passed without a sample */
};

/*
 * The counters according to CPUID: leaf 0xA (Intel), or ecx of 0x80000001 and leaf 0x80000022 (AMD;
 * all 0 if missing). @full_width: the bit of IA32_PERF_CAPABILITIES. 0, or -ENODEV and why they are
 * unusable.
 */
struct op_cpuid {
	u32 eax, ebx, ecx, edx;
};
int op_pmu_intel(const struct op_cpuid *leaf, bool full_width, struct op_pmu *ret,
		 struct op_reason *why);
int op_pmu_amd(unsigned int family, u32 features, const struct op_cpuid *leaf, struct op_pmu *ret,
	       struct op_reason *why);

/* Whether an Intel CPU with @leaf 0xA can count for both threads of a core (EXTRA_ANY). */
bool op_intel_any_thread(const struct op_cpuid *leaf);

/* OProfile's name for an AMD family. */
const char *op_amd_cpu_type(unsigned int family);

static inline unsigned int op_pmu_counters(const struct op_pmu *p)
{
	return p->nr_general + p->nr_fixed;
}

/*
 * Turn the settings @asked of OP_MAX_VIRTUAL counters into a plan for each set in use, at least
 * one, in @ret, which has room for OP_MAX_VIRTUAL; @khz is the clock of time stamps. Their number,
 * or -EDOM and which counter cannot do what; then *ret is undefined.
 */
int op_pmu_plan(const struct op_pmu *p, const struct op_counter *asked, u64 khz,
		struct op_pmu_plan *ret, struct op_reason *why);

/*
 * On a CPU, interrupts off: program, with the first of @nr plans on the counters, then start and
 * stop any number of times, then restore. program saves the registers and restore writes them back.
 * stop returns the number of periods that ended meanwhile, without a sample. switch, while stopped,
 * saves the counts of the current plan and puts another on the counters, which resumes its own.
 * @now is the TSC.
 */
void op_pmu_program(const struct op_pmu *p, const struct op_pmu_plan *plans, unsigned int nr,
		    struct op_pmu_cpu *c);
void op_pmu_start(const struct op_pmu *p, struct op_pmu_cpu *c);
u64 op_pmu_stop(const struct op_pmu *p, struct op_pmu_cpu *c, u64 now);
void op_pmu_switch(const struct op_pmu *p, const struct op_pmu_plan *next, struct op_pmu_cpu *c,
		   u64 now);
void op_pmu_restore(const struct op_pmu *p, struct op_pmu_cpu *c);

/*
 * In the NMI: begin finds counters that overflowed and reloads them; with global registers nothing
 * counts until end. Without overflows, do not call end. @user: the NMI hit user mode. A counter of
 * the other mode only, which overflowed on the way here, is not sampled. Counter i is virtual
 * counter c->plan->first + i.								[nmi]
 */
struct op_pmu_fired op_pmu_begin(const struct op_pmu *p, struct op_pmu_cpu *c, bool user, u64 now);
void op_pmu_end(const struct op_pmu *p, struct op_pmu_cpu *c, const struct op_pmu_fired *f,
		u64 now);

/*
 * Whether an NMI that found nothing was owed, because an earlier one or op_pmu_stop() had already
 * handled its overflow. Call once per NMI.						[nmi]
 */
bool op_pmu_owed(struct op_pmu_cpu *c, u64 now);

#endif
