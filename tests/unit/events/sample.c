/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.c - codes of each vendor, looked up by hand
 *
 * The tables are generated from lists; these codes were compared with the manuals by a person. The
 * comments name the manuals.
 */
#include "tests/tap.h"

#include "events/data.h"
#include "events/encode.h"
#include "events/request.h"

struct sample {
	const char *event;	/* "NAME" or "NAME:MASK" */
	uint64_t config;	/* mask in bits 8-15, code in 0-7; AMD's bits 8-11 in 32-35 */
};

static void check(const char *type, const struct sample *samples, size_t nr)
{
	struct event_table *t = NULL;
	struct op_error e = { "" };

	event_table_open(cpu_type_by_name(type), &t, &e);
	CHECK(t, "%s: %s", type, e.text);
	for (size_t i = 0; t && i < nr; i++) {
		struct event_request r = { .kernel = true, .user = true };
		struct event_choice c;
		const char *colon = strchr(samples[i].event, ':');
		int len = colon ? (int)(colon - samples[i].event) : (int)strlen(samples[i].event);

		snprintf(r.name, sizeof(r.name), "%.*s", len, samples[i].event);
		snprintf(r.mask, sizeof(r.mask), "%s", colon ? colon + 1 : "");
		if (event_request_resolve(t, &r, 0, &c, &e)) {
			CHECK(0, "%s: %s", type, e.text);
			continue;
		}
		CHECK(event_perf_config(t->type, c.event, &c.mask) == samples[i].config,
		      "%s: %s is 0x%llx, the manual has 0x%llx", type, samples[i].event,
		      (unsigned long long)event_perf_config(t->type, c.event, &c.mask),
		      (unsigned long long)samples[i].config);
	}
	event_table_free(t);
}

#define CHECK_SAMPLE(type, samples) check(type, samples, sizeof(samples) / sizeof((samples)[0]))

/*
 * Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3B: "Precise Events for the
 * Skylake Microarchitecture" and "Non-Architectural Performance Events of the Processor Core
 * Supported by Skylake Microarchitecture".
 */
TEST(intel_skylake)
{
	static const struct sample samples[] = {
		{ "MEM_INST_RETIRED:lock_loads", 0x21d0 },
		{ "MEM_INST_RETIRED:split_loads", 0x41d0 },
		{ "MEM_INST_RETIRED:split_stores", 0x42d0 },
		{ "MEM_INST_RETIRED:all_loads", 0x81d0 },
		{ "MEM_INST_RETIRED:all_stores", 0x82d0 },
		{ "MEM_LOAD_RETIRED:l1_hit", 0x01d1 },
		{ "MEM_LOAD_RETIRED:l2_hit", 0x02d1 },
		{ "MEM_LOAD_RETIRED:l3_hit", 0x04d1 },
		{ "MEM_LOAD_RETIRED:l1_miss", 0x08d1 },
		{ "MEM_LOAD_RETIRED:l2_miss", 0x10d1 },
		{ "MEM_LOAD_RETIRED:l3_miss", 0x20d1 },
		{ "MEM_LOAD_L3_HIT_RETIRED:xsnp_miss", 0x01d2 },
		{ "MEM_LOAD_L3_HIT_RETIRED:xsnp_hit", 0x02d2 },
		{ "MEM_LOAD_L3_HIT_RETIRED:xsnp_hitm", 0x04d2 },
		{ "MEM_LOAD_L3_HIT_RETIRED:xsnp_none", 0x08d2 },
		{ "BR_INST_RETIRED:near_call", 0x02c4 },
		{ "BR_INST_RETIRED:near_return", 0x08c4 },
		{ "BR_INST_RETIRED:near_taken", 0x20c4 },
		{ "BR_INST_RETIRED:far_branch", 0x40c4 },
		{ "BR_MISP_RETIRED:conditional", 0x01c5 },
		{ "BR_MISP_RETIRED:near_taken", 0x20c5 },
		{ "LD_BLOCKS:store_forward", 0x0203 },
		{ "LD_BLOCKS:no_sr", 0x0803 },
	};

	CHECK_SAMPLE("i386/skylake", samples);
}

/* The same volume, "Non-Architectural Performance Events for Processors Based on Intel Core
 * Microarchitecture", and the architectural events. */
TEST(intel_core_2)
{
	static const struct sample samples[] = {
		{ "L1D_CACHE_LOCK_DURATION", 0x1042 },
		{ "L1D_ALL_REF", 0x0143 },
		{ "L1D_ALL_CACHE_REF", 0x0243 },
		{ "L1D_REPL", 0x0f45 },
		{ "L1D_M_REPL", 0x0046 },
		{ "L1D_M_EVICT", 0x0047 },
		{ "L1D_PEND_MISS", 0x0048 },
		{ "CPU_CLK_UNHALTED", 0x003c },
		{ "CPU_CLK_UNHALTED:1", 0x013c },
		{ "INST_RETIRED_ANY_P", 0x00c0 },
		{ "LLC_REFS", 0x4f2e },
		{ "LLC_MISSES", 0x412e },
		{ "BR_INST_RETIRED:1", 0x01c4 },
		{ "BR_MISS_PRED_RETIRED", 0x00c5 },
	};

	CHECK_SAMPLE("i386/core_2", samples);
}

/*
 * BIOS and Kernel Developer's Guide for AMD Family 10h Processors (31116), section 3.14; the masks
 * as AMD has them in Linux's arch/x86/events/amd/core.c.
 */
TEST(amd_family10)
{
	static const struct sample samples[] = {
		{ "CPU_CLK_UNHALTED", 0x76 },
		{ "RETIRED_INSTRUCTIONS", 0xc0 },
		{ "RETIRED_UOPS", 0xc1 },
		{ "RETIRED_BRANCH_INSTRUCTIONS", 0xc2 },
		{ "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS", 0xc3 },
		{ "RETIRED_TAKEN_BRANCH_INSTRUCTIONS", 0xc4 },
		{ "RETIRED_TAKEN_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xc5 },
		{ "RETIRED_FAR_CONTROL_TRANSFERS", 0xc6 },
		{ "DATA_CACHE_ACCESSES", 0x40 },
		{ "DATA_CACHE_MISSES", 0x41 },
		{ "INSTRUCTION_CACHE_FETCHES", 0x80 },
		{ "INSTRUCTION_CACHE_MISSES", 0x81 },
		{ "REQUESTS_TO_L2:3", 0x37d },
		{ "L2_CACHE_MISS:3", 0x37e },
		{ "L2_CACHE_FILL_WRITEBACK:1", 0x17f },
		{ "DATA_PREFETCHES:1", 0x167 },
		{ "DATA_PREFETCHES:2", 0x267 },
		{ "PREFETCH_INSTRUCTIONS_DISPATCHED:1", 0x14b },
		{ "L1_DTLB_AND_L2_DTLB_MISS:7", 0x746 },
		{ "DISPATCHED_FPU_OPS:1", 0x100 },
		{ "DISPATCHED_FPU_OPS_FAST_FLAG", 0x02 },
		{ "SEGMENT_REGISTER_LOADS:0x7f", 0x7f20 },
	};

	CHECK_SAMPLE("x86-64/family10", samples);
}

/* Zen keeps the numbers of the retirement events: PMCx076 and PMCx0C0 to PMCx0CA. */
TEST(amd_zen)
{
	static const struct sample samples[] = {
		{ "CPU_CLK_UNHALTED", 0x76 },	{ "ls_not_halted_cyc", 0x76 },
		{ "ex_ret_instr", 0xc0 },	{ "ex_ret_brn", 0xc2 },
		{ "ex_ret_brn_misp", 0xc3 },	{ "ex_ret_brn_tkn", 0xc4 },
		{ "ex_ret_brn_tkn_misp", 0xc5 }, { "ex_ret_brn_far", 0xc6 },
		{ "ex_ret_near_ret", 0xc8 },	{ "ex_ret_near_ret_mispred", 0xc9 },
		{ "ex_ret_brn_ind_misp", 0xca },
	};

	CHECK_SAMPLE("x86-64/zen3", samples);
	CHECK_SAMPLE("x86-64/zen4", samples);
}

/* Arm Architecture Reference Manual (DDI 0487), "PMU events", with the numbers that Arm has in
 * Linux's include/linux/perf/arm_pmuv3.h. */
TEST(arm_common)
{
	static const struct sample samples[] = {
		{ "SW_INCR", 0x00 },		{ "L1I_CACHE_REFILL", 0x01 },
		{ "L1I_TLB_REFILL", 0x02 },	{ "L1D_CACHE_REFILL", 0x03 },
		{ "L1D_CACHE", 0x04 },		{ "L1D_TLB_REFILL", 0x05 },
		{ "LD_RETIRED", 0x06 },		{ "ST_RETIRED", 0x07 },
		{ "INST_RETIRED", 0x08 },	{ "EXC_TAKEN", 0x09 },
		{ "EXC_RETURN", 0x0a },		{ "CID_WRITE_RETIRED", 0x0b },
		{ "PC_WRITE_RETIRED", 0x0c },	{ "BR_IMMED_RETIRED", 0x0d },
		{ "BR_RETURN_RETIRED", 0x0e },	{ "UNALIGNED_LDST_RETIRED", 0x0f },
		{ "BR_MIS_PRED", 0x10 },	{ "CPU_CYCLES", 0x11 },
		{ "BR_PRED", 0x12 },		{ "MEM_ACCESS", 0x13 },
		{ "L1I_CACHE", 0x14 },		{ "L1D_CACHE_WB", 0x15 },
		{ "L2D_CACHE", 0x16 },		{ "L2D_CACHE_REFILL", 0x17 },
	};

	CHECK_SAMPLE("arm/armv8-pmuv3", samples);
}

/* Arm Cortex-X4 Core Technical Reference Manual, "Performance Monitors events". */
TEST(arm_cortex_x4)
{
	static const struct sample samples[] = {
		{ "CPU_CYCLES", 0x11 },
		{ "STALL_SLOT", 0x3f },
		{ "L1D_CACHE_REFILL_OUTER", 0x45 },
		{ "L3D_CACHE_RD", 0xa0 },
		{ "L3D_CACHE_LMISS_RD", 0x400b },
		{ "TRB_WRAP", 0x400c },
		{ "FP_FIXED_OPS_SPEC", 0x80c1 },
		{ "BR_INDNR_TAKEN_RETIRED", 0x810c },
		{ "BR_IND_RETIRED", 0x811d },
		{ "L1D_TLB_RW", 0x8130 },
		{ "L2D_CACHE_REFILL_PRFM", 0x814e },
		{ "L3D_CACHE_MISS", 0x8152 },
		{ "STALL_BACKEND_RENAME", 0x816d },
		{ "L1I_LFB_HIT_RD_FHWPRF", 0x8260 },
	};

	CHECK_SAMPLE("arm/armv8-x4", samples);
}

/* Arm Cortex-A520 Core Technical Reference Manual, the same section: events of this core only. */
TEST(arm_cortex_a520)
{
	static const struct sample samples[] = {
		{ "L2D_WS_MODE", 0xc3 },
		{ "L1D_WS_MODE_ENTRY", 0xc4 },
		{ "LL_WS_MODE", 0xc8 },
		{ "L2D_WALK_TLB", 0xd0 },
		{ "L2D_CACHE_STASH_DROPPED", 0xd6 },
		{ "L2D_CACHE_REFILL_HWPRF_PATTERN", 0xdc },
		{ "L3D_CACHE_HWPRF_STRIDE", 0xde },
		{ "STALL_BACKEND_ILOCK_VPU", 0xe6 },
		{ "STALL_SLOT_BACKEND_ILOCK", 0xee },
		{ "SVE_INST_RETIRED", 0x8002 },
		{ "BUS_REQ_RD_PERCYC", 0x8125 },
		{ "STALL_BACKEND_ILOCK", 0x816c },
		{ "BUS_REQ_RD", 0x818d },
		{ "DTLB_WALK_HWPRF", 0x82fa },
	};

	CHECK_SAMPLE("arm/armv8-ca520", samples);
}

TEST_MAIN()
