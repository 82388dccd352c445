/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - which events are derived from a sample's registers, as data
 *
 * Bits are those of AMD's manuals: MSRC001_1030 (IBS fetch control), 1035 (op data), 1036 (op
 * data 2), 1037 (op data 3).
 */
#ifndef DAEMON_COLLECT_IBS_EVENTS_H
#define DAEMON_COLLECT_IBS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BIT64(n)		(UINT64_C(1) << (n))

/* Fetch control */
#define IBS_FETCH_COMPLETE	BIT64(50)
#define IBS_FETCH_IC_MISS	BIT64(51)
#define IBS_FETCH_PHYS_VALID	BIT64(52)
#define IBS_FETCH_PAGE(size)	((uint64_t)(size) << 53)	/* 0 4K, 1 2M, 2 1G */
#define IBS_FETCH_L1_TLB_MISS	BIT64(55)
#define IBS_FETCH_L2_TLB_MISS	BIT64(56)
/* A killed fetch has none of these. */
#define IBS_FETCH_STATUS                                                                           \
	(IBS_FETCH_COMPLETE | IBS_FETCH_IC_MISS | IBS_FETCH_PHYS_VALID | IBS_FETCH_L1_TLB_MISS |   \
	 IBS_FETCH_L2_TLB_MISS)

/* Op data */
#define IBS_RESYNC		BIT64(32)
#define IBS_MISPREDICTED_RETURN	BIT64(33)
#define IBS_RETURN		BIT64(34)
#define IBS_TAKEN		BIT64(35)
#define IBS_MISPREDICTED	BIT64(36)
#define IBS_BRANCH		BIT64(37)	/* a branch that retired */
#define IBS_RIP_INVALID		BIT64(38)

/* Op data 2: where the data came from, a number in bits 0-2 and on newer CPUs 6-7 */
#define IBS_REMOTE		BIT64(4)
#define IBS_OWNED		BIT64(5)	/* the line was in state owned, not modified */
#define IBS_SOURCE_HIGH		(BIT64(6) | BIT64(7))

/* Op data 3 */
#define IBS_LOAD		BIT64(0)
#define IBS_STORE		BIT64(1)
#define IBS_L1_TLB_MISS		BIT64(2)
#define IBS_L2_TLB_MISS		BIT64(3)
#define IBS_L1_TLB_2M		BIT64(4)
#define IBS_L1_TLB_1G		BIT64(5)
#define IBS_L2_TLB_2M		BIT64(6)
#define IBS_DC_MISS		BIT64(7)
#define IBS_MISALIGNED		BIT64(8)
#define IBS_LOAD_CONFLICT	BIT64(9)
#define IBS_STORE_CONFLICT	BIT64(10)
#define IBS_FORWARDED		BIT64(11)
#define IBS_CANCELLED		BIT64(12)
#define IBS_WC			BIT64(13)
#define IBS_UC			BIT64(14)
#define IBS_LOCKED		BIT64(15)
#define IBS_MAB_HIT		BIT64(16)
#define IBS_LINEAR_VALID	BIT64(17)
#define IBS_PHYSICAL_VALID	BIT64(18)
#define IBS_L2_TLB_1G		BIT64(19)

/* The registers that events are derived from. A fetch has only the first. */
enum { IBS_CONTROL, IBS_DATA = IBS_CONTROL, IBS_DATA2, IBS_DATA3, NR_IBS_REGISTERS };

struct ibs_registers {
	uint64_t at[NR_IBS_REGISTERS];
};

struct ibs_cycles {			/* 16 bits of a register; !any: 1 */
	bool any;
	uint8_t at, shift;
};

struct ibs_event {
	const char *name;
	uint32_t code;			/* OProfile's number: events/x86-64/ibs */
	struct ibs_bits {
		uint64_t on, off;	/* all of @on set, none of @off */
	} bits[NR_IBS_REGISTERS];
	uint64_t one_of;		/* any of these set in the first register; 0: unused */
	uint32_t sources;		/* bit n: source number n matches; 0: any, or none */
	struct ibs_cycles cycles;	/* counted instead of 1 [IB-6] */
};

#define IBS_EVENTS_MAX	64

/* NULL: unknown. Op events have codes from 0xf100. */
const struct ibs_event *ibs_event_find(const char *name);
static inline bool ibs_event_is_op(const struct ibs_event *event)
{
	return event->code >= 0xf100;
}

/* All events in order of their codes; one that matches in two ways has two entries. */
const struct ibs_event *ibs_event_table(size_t *ret_nr);

/* How much the sample adds to @event; 0 if it does not match. [IB-5] */
uint32_t ibs_event_weight(const struct ibs_event *event, const struct ibs_registers *regs);

/* Clear the bits of an op's registers that are reserved on CPUs of @family. [IB-4] */
void ibs_mask_reserved(unsigned int family, struct ibs_registers *regs);

#endif
