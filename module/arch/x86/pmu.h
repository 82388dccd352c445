/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmu.h - the counters of an x86 CPU: which registers there are, and what is written to them when
 *
 * Nothing of the kernel is in here, so that all of it runs in user space against a model of the
 * registers (tests/unit/module_msr_*.c). Who owns the counters, and how their interrupt becomes
 * an NMI, is nmi.c's.
 *
 * pmu_intel.c and pmu_amd.c find out what a CPU has, pmu_plan.c turns what is asked for into
 * values, pmu_run.c and pmu_overflow.c write them.
 *
 * One engine serves all families, for they differ in little: where the registers are, whether
 * there are global ones that tell and stop everything at once (Intel from version 2 on, AMD
 * PerfMonV2), and whether there are fixed counters besides the general ones.
 *
 * Counter i is general counter i, or fixed counter i - nr_general.
 *
 * A counter is given minus the count, counts up, and interrupts as it wraps. What it counted
 * beyond that before anybody looked is kept, so that over any time
 *
 *	samples + throttled = events / count
 *
 * Throttling (throttle.h): bearable are plan->floor from one overflow's handling to the next of
 * this counter, and what handling takes. That is the lesser of the last two: one may last long
 * because a hypervisor ran others.
 */
#ifndef MODULE_ARCH_X86_PMU_H
#define MODULE_ARCH_X86_PMU_H

#include "module/counter.h"
#include "module/arch/x86/msr.h"
#include "module/arch/x86/throttle.h"

/* What there is; the same on all CPUs. */
struct op_pmu {
	u8 nr_general, nr_fixed;
	u8 width, fixed_width;		/* bits */
	bool global;			/* has the three global registers */
	bool signed32;			/* bit 31 written to a general counter is extended */
	u32 select, counter, step;	/* registers of general counter 0; from one to the next */
	u32 global_status, global_ctrl, global_clear;
	u64 event_mask;			/* bits the number of an event may have */
	u64 extra_mask;			/* further bits of the select that may be asked for */
};

/* What a set of counters is to do, on all CPUs. */
struct op_pmu_plan {
	u8 first;			/* virtual counter that counter 0 is */
	u8 nr;				/* counters used, */
	u32 used;			/* a bit for each; which of them may be sampled */
	u32 in_kernel, in_user;		/* in kernel and in user mode */
	u64 enable;			/* global_ctrl, and bits of global_status that are ours */
	u64 fixed_ctrl;
	u64 select[OP_MAX_COUNTERS];	/* general ones, complete */
	u64 period[OP_MAX_COUNTERS];	/* events; 0: unused */
	u64 max[OP_MAX_COUNTERS];	/* longest period */
	u64 floor;			/* TSC cycles between two overflows of a counter */
	u64 late;			/* TSC cycles within which a late NMI is still ours */
};

/* What a CPU held before, and where it stands. */
struct op_pmu_cpu {
	bool programmed, running;
	u64 saved_ctrl, saved_fixed_ctrl;
	u64 saved_select[OP_MAX_COUNTERS], saved_value[OP_MAX_COUNTERS];

	const struct op_pmu_plan *plan;	/* the set on the counters */
	struct op_throttle throttle[OP_MAX_VIRTUAL];	/* handled: how long ago, while aside */
	u64 value[OP_MAX_VIRTUAL];	/* where counters stand while another set is on */
	u64 began;			/* the handling under way */
	u64 last_cost, cost;		/* of the last one; the lesser of the last two */

	unsigned int owed;		/* NMIs of overflows that another NMI found */
	u64 owed_until;
	bool stopping;			/* what overflowed is being found out */
	unsigned int early;		/* NMIs without a cause meanwhile */
};

/* What an interrupt was about. */
struct op_pmu_fired {
	unsigned int overflows;		/* 0: not ours */
	u32 wrapped, samples;		/* a bit for each counter; those to sample */
	u64 throttled;			/* periods that passed without a sample */
};

/*
 * The counters that CPUID tells of: its leaf 0xA (Intel), or 0x80000001's ecx and 0x80000022
 * (AMD; all 0 where there is none). @full_width: IA32_PERF_CAPABILITIES says so. 0, or -ENODEV and
 * why we can't use them.
 */
struct op_cpuid {
	u32 eax, ebx, ecx, edx;
};
int op_pmu_intel(const struct op_cpuid *leaf, bool full_width, struct op_pmu *ret,
		 struct op_reason *why);
int op_pmu_amd(unsigned int family, u32 features, const struct op_cpuid *leaf, struct op_pmu *ret,
	       struct op_reason *why);

/* Whether a CPU of Intel's with @leaf 0xA can count for both threads of a core (EXTRA_ANY). */
bool op_intel_any_thread(const struct op_cpuid *leaf);

/* OProfile's name of the CPUs of a family of AMD's. */
const char *op_amd_cpu_type(unsigned int family);

static inline unsigned int op_pmu_counters(const struct op_pmu *p)
{
	return p->nr_general + p->nr_fixed;
}

/*
 * Turn what the OP_MAX_VIRTUAL counters @asked are to do into a plan for each set that does
 * anything, at least one, in @ret, which has room for OP_MAX_VIRTUAL; @khz is the clock of time
 * stamps. Their number, or -EDOM and which counter can't do what; *ret is not to be used then.
 */
int op_pmu_plan(const struct op_pmu *p, const struct op_counter *asked, u64 khz,
		struct op_pmu_plan *ret, struct op_reason *why);

/*
 * On a CPU, interrupts off: program, with the first of @nr plans on the counters, then start and
 * stop any number of times, then restore. program keeps what the registers held and restore writes
 * it back. stop returns the number of periods that ended as it did, without a sample. switch, while
 * stopped, puts another of the plans on the counters, where it goes on with what it had counted;
 * what was on them is put aside. @now in all of them is the TSC.
 */
void op_pmu_program(const struct op_pmu *p, const struct op_pmu_plan *plans, unsigned int nr,
		    struct op_pmu_cpu *c);
void op_pmu_start(const struct op_pmu *p, struct op_pmu_cpu *c);
u64 op_pmu_stop(const struct op_pmu *p, struct op_pmu_cpu *c, u64 now);
void op_pmu_switch(const struct op_pmu *p, const struct op_pmu_plan *next, struct op_pmu_cpu *c,
		   u64 now);
void op_pmu_restore(const struct op_pmu *p, struct op_pmu_cpu *c);

/*
 * In the NMI: begin finds what overflowed, and gives it its next period; where there are global
 * registers nothing counts until end. Without overflows end must not follow. @user: what the NMI
 * hit. A counter of the other mode, which overflowed on the way here, is not sampled. Counter i is
 * virtual counter c->plan->first + i then.						[nmi]
 */
struct op_pmu_fired op_pmu_begin(const struct op_pmu *p, struct op_pmu_cpu *c, bool user, u64 now);
void op_pmu_end(const struct op_pmu *p, struct op_pmu_cpu *c, const struct op_pmu_fired *f,
		u64 now);

/*
 * Whether an NMI that found nothing is one that an earlier one left nothing for: two counters
 * overflowed at once, or one just as it was stopped. To be asked once for each.	[nmi]
 */
bool op_pmu_owed(struct op_pmu_cpu *c, u64 now);

#endif
