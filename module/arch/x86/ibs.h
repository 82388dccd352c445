/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs.h - AMD's instruction-based sampling: which registers there are, what is written to them when
 *
 * Nothing of the kernel is in here, so that all of it runs in user space against a model of the
 * registers (tests/unit/module_ibs*.c). Who owns IBS, and how its interrupt arrives, is
 * op_model_ibs.c's.
 *
 * There are two units, fetch and op, each with a control register. It holds the period, starts the
 * unit, and says when a sample is there: from then on the unit stands still, so that what it wrote
 * to its other registers can be read, until the control register is written again.
 *
 * What CPUs do wrong is kept off here:
 *  - erratum 420 (family 10h): a unit stopped in one step may go on interrupting; its period is
 *    cleared first;
 *  - families 16h to 18h count a fetch period on from where it was unless it is started anew;
 *  - erratum 1197 (family 19h, models below 10h): some fetches come with address 0, dropped here;
 *  - an interrupt may arrive after its unit was stopped, with no sample: it is known to be owed.
 *
 * Periods are multiples of 16. Throttling is throttle.h's: over any time
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

#define OP_IBS_DATA 7		/* registers of a sample at most */

/* What there is; the same on all CPUs. */
struct op_ibs {
	bool unit[OP_IBS_UNITS];
	bool dispatched_ops;		/* the op unit can count ops instead of cycles */
	bool branch_target;		/* there is a register for it */
	bool start_writable;		/* where the op unit begins to count can be written */
	bool tells_bad_rip;		/* the op's address may be marked as not valid */
	u64 max[OP_IBS_UNITS];		/* longest period */

	/* what is wrong with it */
	bool stop_in_two;
	bool fetch_goes_on;
	bool fetch_of_zero;
};

/* What to do, for all CPUs. */
struct op_ibs_plan {
	bool used[OP_IBS_UNITS];
	bool branch_target;
	u64 mode[OP_IBS_UNITS];		/* of the control register, without period and start */
	u64 period[OP_IBS_UNITS];
	u64 floor;			/* TSC cycles between two samples of a unit */
	u64 late;			/* TSC cycles within which a late NMI is still ours */
};

/* What a CPU held before, and where it stands. */
struct op_ibs_cpu {
	bool programmed, running;
	struct op_ibs_unit_state {
		u64 saved;
		u64 written;		/* to start it, last; 0: it is not ours to handle */
		bool taken;		/* somebody else uses it: hands off */
		struct op_throttle throttle;
	} unit[OP_IBS_UNITS];
	u32 random;
	u64 began;			/* the handling under way */
	u64 last_cost, cost;		/* of the last one; the lesser of the last two */

	unsigned int owed;		/* NMIs that may still come and find nothing */
	u64 owed_until;
};

/* What an interrupt was about. */
struct op_ibs_fired {
	unsigned int found, samples;	/* a bit for each unit: had something; is to be sampled */
	u64 ctl[OP_IBS_UNITS];		/* of those found */
	struct op_ibs_sample {
		u64 pc;			/* 0: not known, the interrupted one must do */
		unsigned int nr;
		u64 data[OP_IBS_DATA];	/* in the order of op_abi.h */
	} sample[OP_IBS_UNITS];
};

/*
 * What there is on a CPU of @family and @model whose CPUID has @features in 0x80000001's ecx, and
 * @caps in 0x8000001b's eax (0 where that is missing). 0, or -ENODEV and why not.
 */
int op_ibs_discover(unsigned int family, unsigned int model, u32 features, u32 caps,
		    struct op_ibs *ret, struct op_reason *why);

/*
 * Turn what is asked for into @ret; @khz is the clock of time stamps. 0, or -EDOM and what can't be
 * had; *ret is not to be used then.
 */
int op_ibs_plan(const struct op_ibs *i, const struct op_ibs_settings *asked, u64 khz,
		struct op_ibs_plan *ret, struct op_reason *why);

/* Whether one of the units @plan uses runs on this CPU, for somebody else. */
bool op_ibs_busy(const struct op_ibs_plan *plan);

/*
 * On a CPU, interrupts off: program, then start and stop any number of times, then restore. stop
 * returns the number of periods that ended as it did, without a sample. A unit found with other
 * contents than were written to it is taken: left as it is from then on. @now is the TSC.
 */
void op_ibs_program(const struct op_ibs_plan *plan, struct op_ibs_cpu *c, u64 now);
void op_ibs_start(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c);
u64 op_ibs_stop(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		u64 now);
void op_ibs_restore(const struct op_ibs_plan *plan, struct op_ibs_cpu *c);

/*
 * In the NMI: begin reads what the units that have a sample wrote down, end starts them again and
 * returns the number of periods that passed without a sample. Where nothing was found end must
 * not follow.									[nmi]
 */
void op_ibs_begin(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		  u64 now, struct op_ibs_fired *ret);
u64 op_ibs_end(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
	       const struct op_ibs_fired *f, u64 now);

/* Whether an NMI that found nothing is one of those owed. To be asked once for each.	[nmi] */
bool op_ibs_owed(struct op_ibs_cpu *c, u64 now);

#endif
