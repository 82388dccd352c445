// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arm.c - compare the codes of Arm's tables with those of the architecture
 *
 * Arm Architecture Reference Manual for A-profile (DDI 0487), "Common event numbers" and
 * "Recommended IMPLEMENTATION DEFINED event numbers" of the Performance Monitors Extension, copied
 * by hand; the tables are generated from the lists of the cores. A core need not have all events,
 * but one with such a name has that number, and a number up to 0x3f has no other name.
 */
#include "tests/tap.h"

#include <glob.h>

#include "events/data.h"
#include "libutil/file.h"

/* The names of successive numbers; NULL: reserved or unused. */
static const char *const common[0x40] = {
	"SW_INCR", "L1I_CACHE_REFILL", "L1I_TLB_REFILL", "L1D_CACHE_REFILL",
	"L1D_CACHE", "L1D_TLB_REFILL", "LD_RETIRED", "ST_RETIRED",
	"INST_RETIRED", "EXC_TAKEN", "EXC_RETURN", "CID_WRITE_RETIRED",
	"PC_WRITE_RETIRED", "BR_IMMED_RETIRED", "BR_RETURN_RETIRED", "UNALIGNED_LDST_RETIRED",
	"BR_MIS_PRED", "CPU_CYCLES", "BR_PRED", "MEM_ACCESS",
	"L1I_CACHE", "L1D_CACHE_WB", "L2D_CACHE", "L2D_CACHE_REFILL",
	"L2D_CACHE_WB", "BUS_ACCESS", "MEMORY_ERROR", "INST_SPEC",
	"TTBR_WRITE_RETIRED", "BUS_CYCLES", "STACK", "L1D_CACHE_ALLOCATE",
	"L2D_CACHE_ALLOCATE", "BR_RETIRED", "BR_MIS_PRED_RETIRED", "STALL_FRONTEND",
	"STALL_BACKEND", "L1D_TLB", "L1I_TLB", "L2I_CACHE",
	"L2I_CACHE_REFILL", "L3D_CACHE_ALLOCATE", "L3D_CACHE_REFILL", "L3D_CACHE",
	"L3D_CACHE_WB", "L2D_TLB_REFILL", "L2I_TLB_REFILL", "L2D_TLB",
	"L2I_TLB", "REMOTE_ACCESS", "LL_CACHE", "LL_CACHE_MISS",
	"DTLB_WALK", "ITLB_WALK", "LL_CACHE_RD", "LL_CACHE_MISS_RD",
	"REMOTE_ACCESS_RD", "L1D_CACHE_LMISS_RD", "OP_RETIRED", "OP_SPEC",
	"STALL", "STALL_SLOT_BACKEND", "STALL_SLOT_FRONTEND", "STALL_SLOT",
};

/* 0x40 and up */
static const char *const recommended[] = {
	"L1D_CACHE_RD", "L1D_CACHE_WR", "L1D_CACHE_REFILL_RD", "L1D_CACHE_REFILL_WR",
	"L1D_CACHE_REFILL_INNER", "L1D_CACHE_REFILL_OUTER", "L1D_CACHE_WB_VICTIM",
	"L1D_CACHE_WB_CLEAN",
	"L1D_CACHE_INVAL", NULL, NULL, NULL,
	"L1D_TLB_REFILL_RD", "L1D_TLB_REFILL_WR", "L1D_TLB_RD", "L1D_TLB_WR",
	"L2D_CACHE_RD", "L2D_CACHE_WR", "L2D_CACHE_REFILL_RD", "L2D_CACHE_REFILL_WR",
	NULL, NULL, "L2D_CACHE_WB_VICTIM", "L2D_CACHE_WB_CLEAN",
	"L2D_CACHE_INVAL", NULL, NULL, NULL,
	"L2D_TLB_REFILL_RD", "L2D_TLB_REFILL_WR", "L2D_TLB_RD", "L2D_TLB_WR",
	"BUS_ACCESS_RD", "BUS_ACCESS_WR", "BUS_ACCESS_SHARED", "BUS_ACCESS_NOT_SHARED",
	"BUS_ACCESS_NORMAL", "BUS_ACCESS_PERIPH", "MEM_ACCESS_RD", "MEM_ACCESS_WR",
	"UNALIGNED_LD_SPEC", "UNALIGNED_ST_SPEC", "UNALIGNED_LDST_SPEC", NULL,
	"LDREX_SPEC", "STREX_PASS_SPEC", "STREX_FAIL_SPEC", "STREX_SPEC",
	"LD_SPEC", "ST_SPEC", "LDST_SPEC", "DP_SPEC",
	"ASE_SPEC", "VFP_SPEC", "PC_WRITE_SPEC", "CRYPTO_SPEC",
	"BR_IMMED_SPEC", "BR_RETURN_SPEC", "BR_INDIRECT_SPEC", NULL,
	"ISB_SPEC", "DSB_SPEC", "DMB_SPEC", "CSDB_SPEC",
	NULL, "EXC_UNDEF", "EXC_SVC", "EXC_PABORT",
	"EXC_DABORT", NULL, "EXC_IRQ", "EXC_FIQ",
	"EXC_SMC", NULL, "EXC_HVC", "EXC_TRAP_PABORT",
	"EXC_TRAP_DABORT", "EXC_TRAP_OTHER", "EXC_TRAP_IRQ", "EXC_TRAP_FIQ",
	"RC_LD_SPEC", "RC_ST_SPEC",
};

/* Later extensions: statistical profiling, activity monitors, trace, memory tagging, SVE */
static const struct {
	unsigned int code;
	const char *name;
} extensions[] = {
	{ 0xa0, "L3D_CACHE_RD" }, { 0xa1, "L3D_CACHE_WR" },
	{ 0xa2, "L3D_CACHE_REFILL_RD" }, { 0xa3, "L3D_CACHE_REFILL_WR" },
	{ 0x4000, "SAMPLE_POP" }, { 0x4001, "SAMPLE_FEED" }, { 0x4002, "SAMPLE_FILTRATE" },
	{ 0x4003, "SAMPLE_COLLISION" }, { 0x4004, "CNT_CYCLES" }, { 0x4005, "STALL_BACKEND_MEM" },
	{ 0x4006, "L1I_CACHE_LMISS" }, { 0x4009, "L2D_CACHE_LMISS_RD" },
	{ 0x400a, "L2I_CACHE_LMISS" }, { 0x400b, "L3D_CACHE_LMISS_RD" }, { 0x400c, "TRB_WRAP" },
	{ 0x400e, "TRB_TRIG" }, { 0x4010, "TRCEXTOUT0" }, { 0x4011, "TRCEXTOUT1" },
	{ 0x4012, "TRCEXTOUT2" }, { 0x4013, "TRCEXTOUT3" }, { 0x4018, "CTI_TRIGOUT4" },
	{ 0x4019, "CTI_TRIGOUT5" }, { 0x401a, "CTI_TRIGOUT6" }, { 0x401b, "CTI_TRIGOUT7" },
	{ 0x4020, "LDST_ALIGN_LAT" }, { 0x4021, "LD_ALIGN_LAT" }, { 0x4022, "ST_ALIGN_LAT" },
	{ 0x4024, "MEM_ACCESS_CHECKED" }, { 0x4025, "MEM_ACCESS_CHECKED_RD" },
	{ 0x4026, "MEM_ACCESS_CHECKED_WR" }, { 0x8000, "SIMD_INST_RETIRED" },
	{ 0x8002, "SVE_INST_RETIRED" }, { 0x8005, "ASE_INST_SPEC" }, { 0x8006, "SVE_INST_SPEC" },
	{ 0x8014, "FP_HP_SPEC" }, { 0x8018, "FP_SP_SPEC" }, { 0x801c, "FP_DP_SPEC" },
	{ 0x8074, "SVE_PRED_SPEC" }, { 0x8075, "SVE_PRED_EMPTY_SPEC" },
	{ 0x8076, "SVE_PRED_FULL_SPEC" }, { 0x8077, "SVE_PRED_PARTIAL_SPEC" },
	{ 0x8079, "SVE_PRED_NOT_FULL_SPEC" }, { 0x80bc, "SVE_LDFF_SPEC" },
	{ 0x80bd, "SVE_LDFF_FAULT_SPEC" }, { 0x80c0, "FP_SCALE_OPS_SPEC" },
	{ 0x80c1, "FP_FIXED_OPS_SPEC" }, { 0x80e3, "ASE_SVE_INT8_SPEC" },
	{ 0x80e7, "ASE_SVE_INT16_SPEC" }, { 0x80eb, "ASE_SVE_INT32_SPEC" },
	{ 0x80ef, "ASE_SVE_INT64_SPEC" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int find(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (names[i] && !strcmp(names[i], name))
			return (int)i;
	return -1;
}

/* -1: not in the lists above. */
static int architected(const char *name)
{
	int code = find(common, COUNT(common), name);

	if (code < 0 && (code = find(recommended, COUNT(recommended), name)) >= 0)
		code += (int)COUNT(common);
	for (size_t i = 0; i < COUNT(extensions) && code < 0; i++)
		if (!strcmp(extensions[i].name, name))
			code = (int)extensions[i].code;
	return code;
}

/* Returns the number of events that were compared. */
static size_t check_table(const struct event_table *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct event *event = &t->events[i];
		unsigned long long code = event->code;
		int right = architected(event->name);

		CHECK(right >= 0 || code >= COUNT(common), "%s: %s is 0x%llx, which is %s",
		      t->type->name, event->name, code, common[code]);
		CHECK(right < 0 || code == (unsigned int)right, "%s: %s is 0x%llx, the "
		      "architecture has 0x%x", t->type->name, event->name, code, right);
		nr += right >= 0;
	}
	return nr;
}

/* Folders with a table, also of unknown CPU types. */
static size_t nr_table_folders(void)
{
	char *dir = event_data_dir(), *pattern = path_join(dir, "arm/armv8-*/events");
	glob_t found;
	size_t nr = glob(pattern, 0, NULL, &found) ? 0 : found.gl_pathc;

	if (nr)
		globfree(&found);
	free(pattern);
	free(dir);
	return nr;
}

TEST(architected_events_have_their_codes)
{
	const struct cpu_type *type;
	size_t tables = 0;

	for (size_t i = 0; (type = cpu_type_at(i)); i++) {
		struct event_table *t = NULL;
		struct op_error e = { "" };
		size_t nr;

		if (strncmp(type->name, "arm/armv8-", strlen("arm/armv8-")) ||
		    event_table_open(type, &t, &e))
			continue;
		CHECK(event_table_find(t, "INST_RETIRED"), "%s: without what all cores have",
		      type->name);
		nr = check_table(t);
		CHECK(nr > 1, "%s: nothing to compare", type->name);
		printf("# %s: %zu of %zu events are the architecture's; the core's own are not "
		       "compared\n", type->name, nr, t->nr);
		event_table_free(t);
		tables++;
	}
	CHECK(tables && tables == nr_table_folders(), "%zu tables of CPU types, %zu folders",
	      tables, nr_table_folders());
}

TEST_MAIN()
