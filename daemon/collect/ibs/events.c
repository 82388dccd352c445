// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - the table that derives events from IBS samples
 *
 * Only data and the few lines that read it, so that it can be compared with the manual.
 */
#include <string.h>
#include "daemon/collect/ibs/events.h"

#define FETCH(on, off)	.bits[IBS_CONTROL] = { on, off }
#define OP(on, off)	.bits[IBS_DATA] = { on, off }
#define MEM(on, off)	.bits[IBS_DATA3] = { on, off }

/* The source of data is valid only for loads that missed. */
#define FROM(on, off, numbers)                                                                     \
	.bits[IBS_DATA2] = { on, off },                                                            \
	.bits[IBS_DATA3] = { IBS_LOAD | IBS_DC_MISS, 0 }, .sources = numbers
#define SOURCE(n)	(1u << (n))
/* Zen 4 and later distinguish near and far caches, and types of memory. [IB-7] */
#define CACHE		(SOURCE(2) | SOURCE(5))
#define MEMORY		(SOURCE(3) | SOURCE(6) | SOURCE(8))
#define OTHER		(SOURCE(7) | SOURCE(12))
#define ANY		(~SOURCE(0))

#define LOAD_CYCLES	.cycles = { true, IBS_DATA3, 32 }

/* The first or second level TLB was looked up; and the page's size there. */
#define L1(on, off)	MEM(IBS_LINEAR_VALID | (on), IBS_L1_TLB_MISS | (off))
#define L2(on, off)	MEM(IBS_LINEAR_VALID | IBS_L1_TLB_MISS | (on), IBS_L2_TLB_MISS | (off))

static const struct ibs_event table[] = {
	{ "IBS_FETCH_ALL", 0xf000, FETCH(0, 0) },
	{ "IBS_FETCH_KILLED", 0xf001, FETCH(0, IBS_FETCH_STATUS) },
	{ "IBS_FETCH_ATTEMPTED", 0xf002, .one_of = IBS_FETCH_STATUS },
	{ "IBS_FETCH_COMPLETED", 0xf003, FETCH(IBS_FETCH_COMPLETE, 0) },
	{ "IBS_FETCH_ABORTED", 0xf004, FETCH(0, IBS_FETCH_COMPLETE) },
	{ "IBS_FETCH_ITLB_HITS", 0xf005, FETCH(IBS_FETCH_PHYS_VALID, IBS_FETCH_L1_TLB_MISS) },
	{ "IBS_FETCH_L1_ITLB_MISSES_L2_ITLB_HITS", 0xf006,
	  FETCH(IBS_FETCH_L1_TLB_MISS, IBS_FETCH_L2_TLB_MISS) },
	{ "IBS_FETCH_L1_ITLB_MISSES_L2_ITLB_MISSES", 0xf007,
	  FETCH(IBS_FETCH_L1_TLB_MISS | IBS_FETCH_L2_TLB_MISS, 0) },
	{ "IBS_FETCH_ICACHE_MISSES", 0xf008, FETCH(IBS_FETCH_IC_MISS, 0) },
	{ "IBS_FETCH_ICACHE_HITS", 0xf009, FETCH(IBS_FETCH_COMPLETE, IBS_FETCH_IC_MISS) },
	{ "IBS_FETCH_4K_PAGE", 0xf00a, FETCH(IBS_FETCH_PHYS_VALID, IBS_FETCH_PAGE(3)) },
	{ "IBS_FETCH_2M_PAGE", 0xf00b,
	  FETCH(IBS_FETCH_PHYS_VALID | IBS_FETCH_PAGE(1), IBS_FETCH_PAGE(2)) },
	{ "IBS_FETCH_1G_PAGE", 0xf00c,
	  FETCH(IBS_FETCH_PHYS_VALID | IBS_FETCH_PAGE(2), IBS_FETCH_PAGE(1)) },
	{ "IBS_FETCH_LATENCY", 0xf00e, .cycles = { true, IBS_CONTROL, 32 } },

	{ "IBS_OP_ALL", 0xf100, OP(0, 0) },
	{ "IBS_OP_TAG_TO_RETIRE", 0xf101, .cycles = { true, IBS_DATA, 16 } },
	{ "IBS_OP_COMP_TO_RET", 0xf102, .cycles = { true, IBS_DATA, 0 } },
	{ "IBS_OP_BRANCH_RETIRED", 0xf103, OP(IBS_BRANCH, 0) },
	{ "IBS_OP_MISPREDICTED_BRANCH", 0xf104, OP(IBS_BRANCH | IBS_MISPREDICTED, 0) },
	{ "IBS_OP_TAKEN_BRANCH", 0xf105, OP(IBS_BRANCH | IBS_TAKEN, 0) },
	{ "IBS_OP_MISPREDICTED_BRANCH_TAKEN", 0xf106,
	  OP(IBS_BRANCH | IBS_MISPREDICTED | IBS_TAKEN, 0) },
	{ "IBS_OP_RETURNS", 0xf107, OP(IBS_BRANCH | IBS_RETURN, 0) },
	{ "IBS_OP_MISPREDICTED_RETURNS", 0xf108, OP(IBS_BRANCH | IBS_MISPREDICTED_RETURN, 0) },
	{ "IBS_OP_MISPREDICTED_RETURNS", 0xf108,
	  OP(IBS_BRANCH | IBS_RETURN | IBS_MISPREDICTED, 0) },
	{ "IBS_OP_RESYNC", 0xf109, OP(IBS_RESYNC, 0) },

	{ "IBS_OP_ALL_LOAD_STORE", 0xf200, MEM(IBS_LOAD, 0) },
	{ "IBS_OP_ALL_LOAD_STORE", 0xf200, MEM(IBS_STORE, 0) },
	{ "IBS_OP_LOAD", 0xf201, MEM(IBS_LOAD, 0) },
	{ "IBS_OP_STORE", 0xf202, MEM(IBS_STORE, 0) },
	{ "IBS_OP_L1_DTLB_HITS", 0xf203, L1(0, 0) },
	{ "IBS_OP_L1_DTLB_MISS_L2_DTLB_HIT", 0xf204, L2(0, 0) },
	{ "IBS_OP_L1_L2_DTLB_MISS", 0xf205,
	  MEM(IBS_LINEAR_VALID | IBS_L1_TLB_MISS | IBS_L2_TLB_MISS, 0) },
	{ "IBS_OP_DATA_CACHE_MISS", 0xf206, MEM(IBS_DC_MISS, 0) },
	{ "IBS_OP_DATA_HITS", 0xf207, MEM(0, IBS_DC_MISS) },
	{ "IBS_OP_MISALIGNED_DATA_ACC", 0xf208, MEM(IBS_MISALIGNED, 0) },
	{ "IBS_OP_BANK_CONF_LOAD", 0xf209, MEM(IBS_LOAD_CONFLICT, 0) },
	{ "IBS_OP_BANK_CONF_STORE", 0xf20a, MEM(IBS_STORE_CONFLICT, 0) },
	{ "IBS_OP_FORWARD", 0xf20b, MEM(IBS_LOAD | IBS_FORWARDED, 0) },
	{ "IBS_OP_CANCELLED", 0xf20c, MEM(IBS_LOAD | IBS_CANCELLED, 0) },
	{ "IBS_OP_DCUC_MEM_ACC", 0xf20d, MEM(IBS_UC, 0) },
	{ "IBS_OP_DCWC_MEM_ACC", 0xf20e, MEM(IBS_WC, 0) },
	{ "IBS_OP_LOCKED", 0xf20f, MEM(IBS_LOCKED, 0) },
	{ "IBS_OP_MAB_HIT", 0xf210, MEM(IBS_MAB_HIT, 0) },
	{ "IBS_OP_L1_DTLB_4K", 0xf211, L1(0, IBS_L1_TLB_2M | IBS_L1_TLB_1G) },
	{ "IBS_OP_L1_DTLB_2M", 0xf212, L1(IBS_L1_TLB_2M, 0) },
	{ "IBS_OP_L1_DTLB_1G", 0xf213, L1(IBS_L1_TLB_1G, IBS_L1_TLB_2M) },
	{ "IBS_OP_L2_DTLB_4K", 0xf215, L2(0, IBS_L2_TLB_2M | IBS_L2_TLB_1G) },
	{ "IBS_OP_L2_DTLB_2M", 0xf216, L2(IBS_L2_TLB_2M, IBS_L2_TLB_1G) },
	{ "IBS_OP_L2_DTLB_1G", 0xf217, L2(IBS_L2_TLB_1G, IBS_L2_TLB_2M) },
	{ "IBS_OP_DC_LOAD_LAT", 0xf219, MEM(IBS_LOAD | IBS_DC_MISS, 0), LOAD_CYCLES },

	{ "IBS_OP_NB_LOCAL_ONLY", 0xf240, FROM(0, IBS_REMOTE, ANY) },
	{ "IBS_OP_NB_REMOTE_ONLY", 0xf241, FROM(IBS_REMOTE, 0, ANY) },
	{ "IBS_OP_NB_LOCAL_L3", 0xf242, FROM(0, IBS_REMOTE, SOURCE(1)) },
	{ "IBS_OP_NB_LOCAL_CACHE", 0xf243, FROM(0, IBS_REMOTE, CACHE) },
	{ "IBS_OP_NB_REMOTE_CACHE", 0xf244, FROM(IBS_REMOTE, 0, CACHE) },
	{ "IBS_OP_NB_LOCAL_DRAM", 0xf245, FROM(0, IBS_REMOTE, MEMORY) },
	{ "IBS_OP_NB_REMOTE_DRAM", 0xf246, FROM(IBS_REMOTE, 0, MEMORY) },
	{ "IBS_OP_NB_LOCAL_OTHER", 0xf247, FROM(0, IBS_REMOTE, OTHER) },
	{ "IBS_OP_NB_REMOTE_OTHER", 0xf248, FROM(IBS_REMOTE, 0, OTHER) },
	{ "IBS_OP_NB_CACHE_MODIFIED", 0xf249, FROM(0, IBS_OWNED, CACHE) },
	{ "IBS_OP_NB_CACHE_OWNED", 0xf24a, FROM(IBS_OWNED, 0, CACHE) },
	{ "IBS_OP_NB_LOCAL_CACHE_LAT", 0xf24b, FROM(0, IBS_REMOTE, ANY), LOAD_CYCLES },
	{ "IBS_OP_NB_REMOTE_CACHE_LAT", 0xf24c, FROM(IBS_REMOTE, 0, ANY), LOAD_CYCLES },
};

#define NR_EVENTS (sizeof(table) / sizeof(table[0]))

_Static_assert(NR_EVENTS <= IBS_EVENTS_MAX, "IBS_EVENTS_MAX is too small");

const struct ibs_event *ibs_event_table(size_t *ret_nr)
{
	*ret_nr = NR_EVENTS;
	return table;
}

const struct ibs_event *ibs_event_find(const char *name)
{
	for (size_t i = 0; i < NR_EVENTS; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static unsigned int source_number(const struct ibs_registers *regs)
{
	uint64_t data2 = regs->at[IBS_DATA2];

	return (data2 & 7) | (data2 & IBS_SOURCE_HIGH) >> 3;
}

static bool matches(const struct ibs_event *event, const struct ibs_registers *regs)
{
	for (int i = 0; i < NR_IBS_REGISTERS; i++)
		if ((regs->at[i] & event->bits[i].on) != event->bits[i].on ||
		    regs->at[i] & event->bits[i].off)
			return false;
	if (event->one_of && !(regs->at[IBS_CONTROL] & event->one_of))
		return false;
	return !event->sources || event->sources >> source_number(regs) & 1;
}

/* Memory events need an op that loads or stores. */
static bool is_possible(const struct ibs_event *event, const struct ibs_registers *regs)
{
	return event->code < 0xf200 || regs->at[IBS_DATA3] & (IBS_LOAD | IBS_STORE);
}

uint32_t ibs_event_weight(const struct ibs_event *event, const struct ibs_registers *regs)
{
	const struct ibs_event *entry = event;
	bool is;

	if (!is_possible(event, regs))
		return 0;
	do
		is = matches(entry++, regs);
	while (!is && entry < table + NR_EVENTS && entry->code == event->code);
	if (!is)
		return 0;
	return event->cycles.any ? regs->at[event->cycles.at] >> event->cycles.shift & 0xffff : 1;
}

/* Reserved bits according to each family's manual; other families have none of these. */
static const struct {
	unsigned int first, last;
	struct ibs_registers bits;
} reserved[] = {
	{ 0x10, 0x10, {{ IBS_RIP_INVALID, 0, 0 }} },
	{ 0x10, 0x18, {{ 0, IBS_SOURCE_HIGH, 0 }} },
	{ 0x12, 0x12, {{ 0, IBS_REMOTE | IBS_OWNED, 0 }} },
	{ 0x14, 0x14, {{ 0, IBS_REMOTE | IBS_OWNED, IBS_L1_TLB_1G | IBS_LOAD_CONFLICT |
			 IBS_STORE_CONFLICT | IBS_CANCELLED | IBS_L2_TLB_1G }} },
	{ 0x17, 0x1f, {{ IBS_RESYNC | IBS_MISPREDICTED_RETURN, 0, IBS_LOAD_CONFLICT |
			 IBS_STORE_CONFLICT | IBS_FORWARDED | IBS_CANCELLED }} },
};

void ibs_mask_reserved(unsigned int family, struct ibs_registers *regs)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		for (int at = 0; family >= reserved[i].first && family <= reserved[i].last &&
				 at < NR_IBS_REGISTERS; at++)
			regs->at[at] &= ~reserved[i].bits.at[at];
}
