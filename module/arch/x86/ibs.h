/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs.h - AMD's instruction-based sampling: discover, program and read its registers
 *
 * Uses nothing of the kernel, so that all of it runs in user space against a model of the registers
 * (tests/unit/module/ibs*.c). op_model_ibs.c decides who owns IBS and receives its interrupt.
 *
 * There are two units, fetch and op, each with a control register. It holds the period, starts the
 * unit and reports a sample. From then on the unit is halted, so that its other registers can be
 * read, until the control register is written again.
 *
 * Hardware faults handled here:
 *  - erratum 420 (family 10h): a unit stopped in one step may keep interrupting, so its period is
 *    cleared first;
 *  - families 16h to 18h resume a fetch period where it was, unless the unit is disabled first;
 *  - erratum 1197 (family 19h, models below 10h): some fetches have address 0 and are dropped;
 *  - an interrupt may arrive after its unit was stopped, with no sample: it is expected (owed).
 *
 * Periods are multiples of 16. Throttling: see throttle.h. Over any time
 *
 *	samples + throttled = periods that ended
 */
#ifndef MODULE_ARCH_X86_IBS_H
#define MODULE_ARCH_X86_IBS_H

#include "module/counter.h"
#include "module/op_ibs.h"
#include "module/arch/x86/msr.h"
#include "module/arch/x86/throttle.h"

enum op_ibs_unit { OP_IBS_UNIT_FETCH, OP_IBS_UNIT_OP, OP_IBS_UNITS };

#define OP_IBS_DATA 7		/* most registers of a sample */

/* What the CPUs offer; all are the same. */
struct op_ibs {
	bool unit[OP_IBS_UNITS];
	bool dispatched_ops;		/* the op unit can count ops instead of cycles */
	bool branch_target;		/* has a register for the branch target */
	bool start_writable;		/* the op unit's start value is writable */
	bool marks_bad_rip;		/* can mark the op's address as invalid */
	u64 max[OP_IBS_UNITS];		/* longest period */

	/* hardware faults */
	bool stops_in_two_steps;
	bool fetch_resumes;
	bool fetches_zero;
};

/* What to do, for all CPUs. */
struct op_ibs_plan {
	bool used[OP_IBS_UNITS];
	bool branch_target;
	u64 mode[OP_IBS_UNITS];		/* control register without period and start value */
	u64 period[OP_IBS_UNITS];
	u64 floor;			/* TSC cycles between two samples of a unit */
	u64 late;			/* TSC cycles within which a late NMI is still ours */
};

/* One CPU: saved registers and current state. */
struct op_ibs_cpu {
	bool programmed, running;
	struct op_ibs_unit_state {
		u64 saved;
		u64 written;		/* last value that started it; 0: not ours to handle */
		bool taken;		/* used by perf: left alone */
		struct op_throttle throttle;
	} unit[OP_IBS_UNITS];
	u32 random;
	u64 began;			/* start of the current handler */
	u64 last_cost, cost;		/* of the last handler; the lesser of the last two */

	unsigned int owed;		/* NMIs that may still come and find nothing */
	u64 owed_until;
};

/* What an interrupt found. */
struct op_ibs_fired {
	unsigned int found, samples;	/* a bit for each unit: had data; is to be sampled */
	u64 ctl[OP_IBS_UNITS];		/* of those found */
	struct op_ibs_sample {
		u64 pc;			/* 0: unknown, use the interrupted address */
		unsigned int nr;
		u64 data[OP_IBS_DATA];	/* in the order of op_abi.h */
	} sample[OP_IBS_UNITS];
};

/*
 * What a CPU of @family and @model offers. @features: ecx of CPUID 0x80000001; @caps: eax of
 * 0x8000001b, 0 if missing. 0, or -ENODEV and why not.
 */
int op_ibs_discover(unsigned int family, unsigned int model, u32 features, u32 caps,
		    struct op_ibs *ret, struct op_reason *why);

/*
 * Turn the settings @asked into @ret; @khz is the clock of time stamps. 0, or -EDOM and what is not
 * supported; then *ret is undefined.
 */
int op_ibs_plan(const struct op_ibs *i, const struct op_ibs_settings *asked, u64 khz,
		struct op_ibs_plan *ret, struct op_reason *why);

/* Whether perf runs one of @plan's units on this CPU. */
bool op_ibs_busy(const struct op_ibs_plan *plan);

/*
 * On a CPU, interrupts off: program, then start and stop any number of times, then restore. stop
 * returns the number of periods that ended meanwhile, without a sample. A unit whose contents are
 * not what was written to it counts as taken and is left alone from then on. @now is the TSC.
 */
void op_ibs_program(const struct op_ibs_plan *plan, struct op_ibs_cpu *c, u64 now);
void op_ibs_start(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c);
u64 op_ibs_stop(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		u64 now);
void op_ibs_restore(const struct op_ibs_plan *plan, struct op_ibs_cpu *c);

/*
 * In the NMI: begin reads the registers of units that have a sample; end restarts them and returns
 * the number of periods that passed without a sample. If nothing was found, do not call end. [nmi]
 */
void op_ibs_begin(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		  u64 now, struct op_ibs_fired *ret);
u64 op_ibs_end(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
	       const struct op_ibs_fired *f, u64 now);

/* Whether an NMI that found nothing was owed. Call once per NMI.			[nmi] */
bool op_ibs_owed(struct op_ibs_cpu *c, u64 now);

#endif
