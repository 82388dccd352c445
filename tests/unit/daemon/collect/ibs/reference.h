/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.h - the meaning of each IBS event, written a second time in another form
 *
 * The daemon has a table of bits; here are conditions, written from AMD's manuals by bit number
 * and on the 32-bit halves, so that a mistake in one of the two is found.
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_IBS_REFERENCE_H
#define TESTS_UNIT_DAEMON_COLLECT_IBS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct ibs_raw {
	uint64_t data1, data2, data3;	/* of a fetch: control in data1 */
};

struct ibs_case {
	uint32_t code;
	const char *name;
	struct ibs_raw yes, no[6];	/* a match; some mismatches, up to END */
};

#define bit(word, n)	((uint32_t)(word) >> (n) & 1)

static inline uint32_t ibs_reference_fetch(uint32_t code, uint64_t control)
{
	uint32_t high = control >> 32;
	bool complete = bit(high, 18), ic_miss = bit(high, 19), valid = bit(high, 20),
	     l1_miss = bit(high, 23), l2_miss = bit(high, 24),
	     killed = !complete && !ic_miss && !valid && !l1_miss && !l2_miss;
	uint32_t page = high >> 21 & 3;

	switch (code) {
	case 0xf000: return 1;
	case 0xf001: return killed;
	case 0xf002: return !killed;
	case 0xf003: return complete;
	case 0xf004: return !complete;
	case 0xf005: return !l1_miss && valid;
	case 0xf006: return l1_miss && !l2_miss;
	case 0xf007: return l1_miss && l2_miss;
	case 0xf008: return ic_miss;
	case 0xf009: return complete && !ic_miss;
	case 0xf00a: return valid && page == 0;
	case 0xf00b: return valid && page == 1;
	case 0xf00c: return valid && page == 2;
	case 0xf00e: return high & 0xffff;
	}
	return 0;
}

static inline uint32_t ibs_reference_nb(uint32_t code, const struct ibs_raw *r)
{
	uint32_t source = (r->data2 & 7) + (r->data2 >> 6 & 3) * 8,
		 latency = r->data3 >> 32 & 0xffff;
	bool remote = bit(r->data2, 4), owned = bit(r->data2, 5),
	     cache = source == 2 || source == 5,
	     memory = source == 3 || source == 6 || source == 8,
	     other = source == 7 || source == 12;

	if (!bit(r->data3, 0) || !bit(r->data3, 7) || source == 0)
		return 0;
	switch (code) {
	case 0xf240: return !remote;
	case 0xf241: return remote;
	case 0xf242: return !remote && source == 1;
	case 0xf243: return !remote && cache;
	case 0xf244: return remote && cache;
	case 0xf245: return !remote && memory;
	case 0xf246: return remote && memory;
	case 0xf247: return !remote && other;
	case 0xf248: return remote && other;
	case 0xf249: return cache && !owned;
	case 0xf24a: return cache && owned;
	case 0xf24b: return remote ? 0 : latency;
	case 0xf24c: return remote ? latency : 0;
	}
	return 0;
}

static inline uint32_t ibs_reference_memory(uint32_t code, const struct ibs_raw *r)
{
	uint32_t d = r->data3;
	bool load = bit(d, 0), store = bit(d, 1), asked = bit(d, 17), l1_miss = bit(d, 2),
	     l2_miss = bit(d, 3), miss = bit(d, 7),
	     l1_hit = asked && !l1_miss, l2_hit = asked && l1_miss && !l2_miss;

	if (!load && !store)
		return 0;
	switch (code) {
	case 0xf200: return 1;
	case 0xf201: return load;
	case 0xf202: return store;
	case 0xf203: return l1_hit;
	case 0xf204: return l2_hit;
	case 0xf205: return asked && l1_miss && l2_miss;
	case 0xf206: return miss;
	case 0xf207: return !miss;
	case 0xf208: return bit(d, 8);
	case 0xf209: return bit(d, 9);
	case 0xf20a: return bit(d, 10);
	case 0xf20b: return load && bit(d, 11);
	case 0xf20c: return load && bit(d, 12);
	case 0xf20d: return bit(d, 14);
	case 0xf20e: return bit(d, 13);
	case 0xf20f: return bit(d, 15);
	case 0xf210: return bit(d, 16);
	case 0xf211: return l1_hit && !bit(d, 4) && !bit(d, 5);
	case 0xf212: return l1_hit && bit(d, 4);
	case 0xf213: return l1_hit && !bit(d, 4) && bit(d, 5);
	case 0xf215: return l2_hit && !bit(d, 6) && !bit(d, 19);
	case 0xf216: return l2_hit && bit(d, 6) && !bit(d, 19);
	case 0xf217: return l2_hit && !bit(d, 6) && bit(d, 19);
	case 0xf219: return load && miss ? r->data3 >> 32 & 0xffff : 0;
	}
	return ibs_reference_nb(code, r);
}

static inline uint32_t ibs_reference(uint32_t code, const struct ibs_raw *r)
{
	uint32_t high = r->data1 >> 32;
	bool branch = bit(high, 5);

	if (code < 0xf100)
		return ibs_reference_fetch(code, r->data1);
	if (code >= 0xf200)
		return ibs_reference_memory(code, r);
	switch (code) {
	case 0xf100: return 1;
	case 0xf101: return r->data1 >> 16 & 0xffff;
	case 0xf102: return r->data1 & 0xffff;
	case 0xf103: return branch;
	case 0xf104: return branch && bit(high, 4);
	case 0xf105: return branch && bit(high, 3);
	case 0xf106: return branch && bit(high, 4) && bit(high, 3);
	case 0xf107: return branch && bit(high, 2);
	case 0xf108: return branch && (bit(high, 1) || (bit(high, 2) && bit(high, 4)));
	case 0xf109: return bit(high, 0);
	}
	return 0;
}

#define H(n)	(UINT64_C(1) << (32 + (n)))	/* bit of an upper half, */
#define L(n)	(UINT64_C(1) << (n))		/* of a lower one */
#define END	{ ~UINT64_C(0), 0, 0 }		/* of the mismatches */
#define CYCLES	(UINT64_C(300) << 32)
#define D1(bits)	{ bits, 0, 0 }
#define D3(bits)	{ 0, 0, bits }
#define MISS(source, more, cycles)	{ 0, (source) | (more), L(0) | L(7) | (cycles) }
#define NOT_MISS(source, more)                                                                     \
	{ 0, (source) | (more), L(1) | L(7) | CYCLES },	/* a store */                              \
	{ 0, (source) | (more), L(0) | CYCLES },		/* that hit */                     \
	{ 0, (more), L(0) | L(7) | CYCLES }		/* from nowhere */

/* Every row of the derivation table: one match, and a mismatch for each condition in it. */
static const struct ibs_case ibs_cases[] = {
	{ 0xf000, "IBS_FETCH_ALL", D1(0), { END } },
	{ 0xf001, "IBS_FETCH_KILLED", D1(H(0)),
	  { D1(H(18)), D1(H(19)), D1(H(20)), D1(H(23)), D1(H(24)), END } },
	{ 0xf002, "IBS_FETCH_ATTEMPTED", D1(H(24)), { D1(H(21) | H(25) | 0xffff), END } },
	{ 0xf002, "IBS_FETCH_ATTEMPTED", D1(H(18)), { D1(0), END } },
	{ 0xf003, "IBS_FETCH_COMPLETED", D1(H(18)), { D1(H(17)), END } },
	{ 0xf004, "IBS_FETCH_ABORTED", D1(H(19)), { D1(H(18) | H(19)), END } },
	{ 0xf005, "IBS_FETCH_ITLB_HITS", D1(H(20)), { D1(H(20) | H(23)), D1(0), END } },
	{ 0xf006, "IBS_FETCH_L1_ITLB_MISSES_L2_ITLB_HITS", D1(H(23)),
	  { D1(H(23) | H(24)), D1(H(24)), D1(0), END } },
	{ 0xf007, "IBS_FETCH_L1_ITLB_MISSES_L2_ITLB_MISSES", D1(H(23) | H(24)),
	  { D1(H(23)), D1(H(24)), END } },
	{ 0xf008, "IBS_FETCH_ICACHE_MISSES", D1(H(19)), { D1(H(18)), END } },
	{ 0xf009, "IBS_FETCH_ICACHE_HITS", D1(H(18)),
	  { D1(H(18) | H(19)), D1(0), END } },
	{ 0xf00a, "IBS_FETCH_4K_PAGE", D1(H(20)),
	  { D1(H(20) | H(21)), D1(H(20) | H(22)), D1(0), END } },
	{ 0xf00b, "IBS_FETCH_2M_PAGE", D1(H(20) | H(21)),
	  { D1(H(20)), D1(H(20) | H(21) | H(22)), D1(H(21)), END } },
	{ 0xf00c, "IBS_FETCH_1G_PAGE", D1(H(20) | H(22)),
	  { D1(H(20)), D1(H(20) | H(21) | H(22)), D1(H(22)), END } },
	{ 0xf00e, "IBS_FETCH_LATENCY", D1(CYCLES | H(18)), { D1(H(18) | 0xffff), END } },

	{ 0xf100, "IBS_OP_ALL", D1(0), { END } },
	{ 0xf101, "IBS_OP_TAG_TO_RETIRE", D1(77 << 16), { D1(0xffff), D1(H(0)), END } },
	{ 0xf102, "IBS_OP_COMP_TO_RET", D1(77), { D1(0xffff0000), END } },
	{ 0xf103, "IBS_OP_BRANCH_RETIRED", D1(H(5)), { D1(H(4) | H(3) | H(2)), END } },
	{ 0xf104, "IBS_OP_MISPREDICTED_BRANCH", D1(H(5) | H(4)),
	  { D1(H(4)), D1(H(5) | H(3)), END } },
	{ 0xf105, "IBS_OP_TAKEN_BRANCH", D1(H(5) | H(3)),
	  { D1(H(3)), D1(H(5) | H(4)), END } },
	{ 0xf106, "IBS_OP_MISPREDICTED_BRANCH_TAKEN", D1(H(5) | H(4) | H(3)),
	  { D1(H(4) | H(3)), D1(H(5) | H(3)), D1(H(5) | H(4)), END } },
	{ 0xf107, "IBS_OP_RETURNS", D1(H(5) | H(2)),
	  { D1(H(2)), D1(H(5) | H(1)), END } },
	{ 0xf108, "IBS_OP_MISPREDICTED_RETURNS", D1(H(5) | H(1)),
	  { D1(H(1)), D1(H(5) | H(2)), D1(H(5) | H(4)), END } },
	{ 0xf108, "IBS_OP_MISPREDICTED_RETURNS", D1(H(5) | H(4) | H(2)),
	  { D1(H(4) | H(2)), D1(H(5) | H(4) | H(3)), END } },
	{ 0xf109, "IBS_OP_RESYNC", D1(H(0)), { D1(H(5) | H(1)), END } },

	{ 0xf200, "IBS_OP_ALL_LOAD_STORE", D3(L(0)), { D3(L(17) | L(7)), END } },
	{ 0xf200, "IBS_OP_ALL_LOAD_STORE", D3(L(1)), { D3(0), END } },
	{ 0xf201, "IBS_OP_LOAD", D3(L(0)), { D3(L(1)), D3(0), END } },
	{ 0xf202, "IBS_OP_STORE", D3(L(1)), { D3(L(0)), D3(0), END } },
	{ 0xf203, "IBS_OP_L1_DTLB_HITS", D3(L(0) | L(17)),
	  { D3(L(0)), D3(L(0) | L(17) | L(2)), D3(L(17)), END } },
	{ 0xf204, "IBS_OP_L1_DTLB_MISS_L2_DTLB_HIT", D3(L(1) | L(17) | L(2)),
	  { D3(L(1) | L(2)), D3(L(1) | L(17)), D3(L(1) | L(17) | L(2) | L(3)),
	    D3(L(17) | L(2)), END } },
	{ 0xf205, "IBS_OP_L1_L2_DTLB_MISS", D3(L(0) | L(17) | L(2) | L(3)),
	  { D3(L(0) | L(2) | L(3)), D3(L(0) | L(17) | L(3)), D3(L(0) | L(17) | L(2)),
	    D3(L(17) | L(2) | L(3)), END } },
	{ 0xf206, "IBS_OP_DATA_CACHE_MISS", D3(L(1) | L(7)), { D3(L(1)), D3(L(7)), END } },
	{ 0xf207, "IBS_OP_DATA_HITS", D3(L(1)), { D3(L(1) | L(7)), D3(0), END } },
	{ 0xf208, "IBS_OP_MISALIGNED_DATA_ACC", D3(L(1) | L(8)), { D3(L(1)), D3(L(8)), END } },
	{ 0xf209, "IBS_OP_BANK_CONF_LOAD", D3(L(0) | L(9)), { D3(L(0) | L(10)), D3(L(9)), END } },
	{ 0xf20a, "IBS_OP_BANK_CONF_STORE", D3(L(1) | L(10)), { D3(L(1) | L(9)), D3(L(10)), END } },
	{ 0xf20b, "IBS_OP_FORWARD", D3(L(0) | L(11)), { D3(L(1) | L(11)), D3(L(0) | L(12)), END } },
	{ 0xf20c, "IBS_OP_CANCELLED", D3(L(0) | L(12)),
	  { D3(L(1) | L(12)), D3(L(0) | L(11)), END } },
	{ 0xf20d, "IBS_OP_DCUC_MEM_ACC", D3(L(1) | L(14)), { D3(L(1) | L(13)), D3(L(14)), END } },
	{ 0xf20e, "IBS_OP_DCWC_MEM_ACC", D3(L(1) | L(13)), { D3(L(1) | L(14)), D3(L(13)), END } },
	{ 0xf20f, "IBS_OP_LOCKED", D3(L(1) | L(15)), { D3(L(1) | L(16)), D3(L(15)), END } },
	{ 0xf210, "IBS_OP_MAB_HIT", D3(L(0) | L(16)), { D3(L(0) | L(15)), D3(L(16)), END } },
	{ 0xf211, "IBS_OP_L1_DTLB_4K", D3(L(0) | L(17)),
	  { D3(L(0)), D3(L(0) | L(17) | L(2)), D3(L(0) | L(17) | L(4)), D3(L(0) | L(17) | L(5)),
	    D3(L(17)), END } },
	{ 0xf212, "IBS_OP_L1_DTLB_2M", D3(L(0) | L(17) | L(4)),
	  { D3(L(0) | L(4)), D3(L(0) | L(17) | L(2) | L(4)), D3(L(0) | L(17)),
	    D3(L(17) | L(4)), END } },
	{ 0xf213, "IBS_OP_L1_DTLB_1G", D3(L(0) | L(17) | L(5)),
	  { D3(L(0) | L(5)), D3(L(0) | L(17) | L(2) | L(5)), D3(L(0) | L(17) | L(4) | L(5)),
	    D3(L(0) | L(17)), D3(L(17) | L(5)), END } },
	{ 0xf215, "IBS_OP_L2_DTLB_4K", D3(L(0) | L(17) | L(2)),
	  { D3(L(0) | L(2)), D3(L(0) | L(17)), D3(L(0) | L(17) | L(2) | L(3)),
	    D3(L(0) | L(17) | L(2) | L(6)), D3(L(0) | L(17) | L(2) | L(19)), END } },
	{ 0xf216, "IBS_OP_L2_DTLB_2M", D3(L(0) | L(17) | L(2) | L(6)),
	  { D3(L(0) | L(2) | L(6)), D3(L(0) | L(17) | L(6)), D3(L(0) | L(17) | L(2) | L(3) | L(6)),
	    D3(L(0) | L(17) | L(2)), D3(L(0) | L(17) | L(2) | L(6) | L(19)), END } },
	{ 0xf217, "IBS_OP_L2_DTLB_1G", D3(L(0) | L(17) | L(2) | L(19)),
	  { D3(L(0) | L(2) | L(19)), D3(L(0) | L(17) | L(19)),
	    D3(L(0) | L(17) | L(2) | L(3) | L(19)),
	    D3(L(0) | L(17) | L(2)), D3(L(0) | L(17) | L(2) | L(6) | L(19)), END } },
	{ 0xf219, "IBS_OP_DC_LOAD_LAT", MISS(0, 0, CYCLES),
	  { D3(L(0) | CYCLES), D3(L(1) | L(7) | CYCLES), MISS(0, 0, 0), END } },

	{ 0xf240, "IBS_OP_NB_LOCAL_ONLY", MISS(4, 0, 0),
	  { MISS(4, L(4), 0), NOT_MISS(4, 0), END } },
	{ 0xf241, "IBS_OP_NB_REMOTE_ONLY", MISS(4, L(4), 0),
	  { MISS(4, 0, 0), NOT_MISS(4, L(4)), END } },
	{ 0xf242, "IBS_OP_NB_LOCAL_L3", MISS(1, 0, 0),
	  { MISS(1, L(4), 0), MISS(2, 0, 0), NOT_MISS(1, 0), END } },
	{ 0xf243, "IBS_OP_NB_LOCAL_CACHE", MISS(2, 0, 0),
	  { MISS(2, L(4), 0), MISS(3, 0, 0), NOT_MISS(2, 0), END } },
	{ 0xf243, "IBS_OP_NB_LOCAL_CACHE", MISS(5, 0, 0),
	  { MISS(5, L(4), 0), MISS(4, 0, 0), END } },
	{ 0xf244, "IBS_OP_NB_REMOTE_CACHE", MISS(2, L(4), 0),
	  { MISS(2, 0, 0), MISS(3, L(4), 0), NOT_MISS(2, L(4)), END } },
	{ 0xf245, "IBS_OP_NB_LOCAL_DRAM", MISS(3, 0, 0),
	  { MISS(3, L(4), 0), MISS(2, 0, 0), NOT_MISS(3, 0), END } },
	{ 0xf245, "IBS_OP_NB_LOCAL_DRAM", MISS(0, L(6), 0),
	  { MISS(1, L(6), 0), MISS(0, L(7), 0), END } },
	{ 0xf246, "IBS_OP_NB_REMOTE_DRAM", MISS(3, L(4), 0),
	  { MISS(3, 0, 0), MISS(7, L(4), 0), NOT_MISS(3, L(4)), END } },
	{ 0xf247, "IBS_OP_NB_LOCAL_OTHER", MISS(7, 0, 0),
	  { MISS(7, L(4), 0), MISS(3, 0, 0), NOT_MISS(7, 0), END } },
	{ 0xf248, "IBS_OP_NB_REMOTE_OTHER", MISS(7, L(4), 0),
	  { MISS(7, 0, 0), MISS(6, L(4), 0), NOT_MISS(7, L(4)), END } },
	{ 0xf248, "IBS_OP_NB_REMOTE_OTHER", MISS(4, L(4) | L(6), 0),
	  { MISS(4, L(4) | L(7), 0), END } },
	{ 0xf249, "IBS_OP_NB_CACHE_MODIFIED", MISS(2, L(4), 0),
	  { MISS(2, L(5), 0), MISS(3, 0, 0), NOT_MISS(2, 0), END } },
	{ 0xf24a, "IBS_OP_NB_CACHE_OWNED", MISS(2, L(5), 0),
	  { MISS(2, 0, 0), MISS(3, L(5), 0), NOT_MISS(2, L(5)), END } },
	{ 0xf24b, "IBS_OP_NB_LOCAL_CACHE_LAT", MISS(2, 0, CYCLES),
	  { MISS(2, L(4), CYCLES), MISS(2, 0, 0), NOT_MISS(2, 0), END } },
	{ 0xf24c, "IBS_OP_NB_REMOTE_CACHE_LAT", MISS(2, L(4), CYCLES),
	  { MISS(2, 0, CYCLES), MISS(2, L(4), 0), NOT_MISS(2, L(4)), END } },
};

#define NR_IBS_CASES	(sizeof(ibs_cases) / sizeof(ibs_cases[0]))

static inline bool ibs_case_ends(const struct ibs_case *c, size_t i)
{
	return i == sizeof(c->no) / sizeof(c->no[0]) || c->no[i].data1 == ~UINT64_C(0);
}

#undef bit
#undef END

#endif
