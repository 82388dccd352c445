/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_pfm.c - every code of our tables beside libpfm4's own encoding
 *
 * Most tables come from the vendors' lists, libpfm4's were typed in from the manuals: where both
 * know an event they must agree to the bit. An event that libpfm4 has under the same name must have
 * the same code; under another name, its code and mask must be among libpfm4's; what libpfm4 does
 * not have at all is counted and told.
 */
#include "tap.h"

#if __has_include(<perfmon/pfmlib_perf_event.h>)

#include <ctype.h>
#include <inttypes.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "event_data.h"
#include "event_encode.h"
#include "xalloc.h"

struct known {
	uint64_t config;
	struct known *next;
};

struct tally {
	unsigned int by_name, by_code, explained, unknown;
};

/*
 * Where libpfm4 4.13 and the vendor's list differ. The list is newer and the vendor's own, so the
 * tables keep to it; each was looked at and is one of these.
 */
static const struct {
	const char *pmus, *name, *why;
} differ[] = {
	{ "nhm", "INST_RETIRED.ANY_P", "0xc0 counts the same with mask 0 and, precisely, 1" },
	{ "nhm wsm_dp snb", "BR_INST_RETIRED.ALL_BRANCHES", "mask 4 is the precise form of 0" },
	{ "wsm_dp snb", "BR_MISP_RETIRED.ALL_BRANCHES", "mask 4 is the precise form of 0" },
	{ "ivb", "MOVE_ELIMINATION.INT_ELIMINATED", "libpfm4 has it and its opposite swapped" },
	{ "ivb", "MOVE_ELIMINATION.INT_NOT_ELIMINATED", "libpfm4 has it and its opposite swapped" },
	{ "hsw bdw", "L2_RQSTS.L2_PF_MISS", "masks changed in later revisions of the list" },
	{ "hsw bdw", "L2_RQSTS.L2_PF_HIT", "masks changed in later revisions of the list" },
	{ "hsw bdw", "L2_RQSTS.DEMAND_DATA_RD_HIT", "masks changed in later revisions" },
	{ "hsw bdw", "L2_RQSTS.RFO_HIT", "masks changed in later revisions of the list" },
	{ "hsw bdw", "L2_RQSTS.CODE_RD_HIT", "masks changed in later revisions of the list" },
	{ "hsw bdw skl skx clx", "UOPS_RETIRED.TOTAL_CYCLES", "16 or 10: more than can retire" },
	{ "skl skx clx", "UOPS_RETIRED.STALL_CYCLES", "mask 1 is not listed on Skylake" },
	{ "icl icx spr emr gnr adl_glc", "TOPDOWN.BACKEND_BOUND_SLOTS",
	  "libpfm4 takes perf's metric, no counter" },
	{ "spr emr gnr adl_glc", "TOPDOWN.MEMORY_BOUND_SLOTS",
	  "libpfm4 takes perf's metric, no counter" },
	{ "spr emr", "ARITH.IDIV_ACTIVE", "cycles: the list has counter mask 1" },
	{ "knl", "PAGE_WALKS.D_SIDE_WALKS", "libpfm4 puts counter mask 1 to the edge" },
	{ "knl", "PAGE_WALKS.I_SIDE_WALKS", "libpfm4 puts counter mask 1 to the edge" },
	{ "knl", "PAGE_WALKS.WALKS", "libpfm4 puts counter mask 1 to the edge" },
	{ "glm", "CPU_CLK_UNHALTED.CORE_P", "libpfm4 forgets the code" },
	{ "glm", "CPU_CLK_UNHALTED.REF", "libpfm4 forgets the code" },
};

static int encode(const char *pmu, const char *event, const char *mask, uint64_t *ret)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	char name[300];
	int err;

	snprintf(name, sizeof(name), "%s::%s%s%s", pmu, event, mask ? ":" : "", mask ? mask : "");
	err = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (!err && !attr.config1)
		*ret = attr.config;
	return err || attr.config1;
}

static int find_pmu(const char *name)
{
	for (int p = 0; p < PFM_PMU_MAX; p++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (!pfm_get_pmu_info((pfm_pmu_t)p, &info) && !strcmp(info.name, name))
			return p;
	}
	return -1;
}

static void add_known(struct known **list, const char *pmu, const char *event, const char *mask)
{
	struct known *k = xcalloc(1, sizeof(*k));

	if (encode(pmu, event, mask, &k->config)) {
		free(k);
		return;
	}
	k->next = *list;
	*list = k;
}

/* Every config that libpfm4 has for the PMU. */
static struct known *all_known(int pmu, const char *name)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };
	struct known *list = NULL;

	pfm_get_pmu_info((pfm_pmu_t)pmu, &info);
	for (int i = info.first_event; i >= 0; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };

		if (pfm_get_event_info(i, PFM_OS_NONE, &event))
			continue;
		add_known(&list, name, event.name, NULL);
		for (int a = 0; a < event.nattrs; a++) {
			pfm_event_attr_info_t attr = { .size = sizeof(attr) };

			if (!pfm_get_event_attr_info(i, a, PFM_OS_NONE, &attr) &&
			    attr.type == PFM_ATTR_UMASK)
				add_known(&list, name, event.name, attr.name);
		}
	}
	return list;
}

/* The same config; or the same code with all of its mask's bits in libpfm4's masks. */
static int is_known(const struct known *list, uint64_t config)
{
	const uint64_t mask_bits = 0xff00;
	uint64_t seen = 0;
	int code_seen = 0;

	for (; list; list = list->next) {
		if (list->config == config)
			return 1;
		if ((list->config & ~mask_bits) != (config & ~mask_bits))
			continue;
		code_seen = 1;
		seen |= list->config & mask_bits;
	}
	return code_seen && !(config & mask_bits & ~seen);
}

static int is_explained(const char *pmu, const char *event, const char *mask)
{
	char name[200];

	snprintf(name, sizeof(name), "%s.%s", event, mask ? mask : "");
	for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++)
		if (strstr(differ[i].pmus, pmu) && !strcmp(name, differ[i].name))
			return 1;
	return 0;
}

static void check_mask(const struct event_table *t, const struct event *event,
		       const struct unit_mask *m, const char *pmu, const struct known *known,
		       struct tally *tally)
{
	struct mask_choice choice = { m->value, m->extra, m };
	uint64_t ours = event_perf_config(t->type, event, &choice), theirs;
	char mask[EVENT_NAME_MAX_LEN + 1] = "";

	for (size_t i = 0; m->name && m->name[i]; i++)
		mask[i] = (char)toupper((unsigned char)m->name[i]);
	/*
	 * An Arm event is a code alone; elsewhere libpfm4 would put its own default mask in. On
	 * Atom its masks are parts, of which it adds what is missing, and the vendor's are whole.
	 */
	if ((*mask || !strncmp(pmu, "arm", 3)) && strcmp(pmu, "atom") &&
	    !encode(pmu, event->name, *mask ? mask : NULL, &theirs)) {
		if (ours == theirs)
			tally->by_name++;
		else if (is_explained(pmu, event->name, mask))
			tally->explained++;
		else
			CHECK(0, "%s: %s:%s is 0x%" PRIx64 ", libpfm4 has 0x%" PRIx64,
			      t->type->name, event->name, mask, ours, theirs);
	} else if (is_known(known, ours)) {
		tally->by_code++;
	} else {
		tally->unknown++;
		if (getenv("EVENTS_PFM_VERBOSE"))
			printf("# %s: not in libpfm4: 0x%" PRIx64 " %s %s\n", t->type->name, ours,
			       event->name, mask);
	}
}

/* 1: libpfm4 does not know the PMU, or cannot encode for it. */
static int compare(const char *type, const char *pmu)
{
	struct event_table *t = NULL;
	struct tally tally = { 0 };
	struct op_error e = { "" };
	int index = find_pmu(pmu);
	struct known *known;

	if (index < 0)
		return 1;
	known = all_known(index, pmu);
	if (!known)
		return 1;
	event_table_open(cpu_type_by_name(type), &t, &e);
	CHECK(t, "%s: %s", type, e.text);
	for (size_t i = 0; t && i < t->nr; i++) {
		const struct event *event = &t->events[i];

		for (size_t m = 0; !event->ext && m < event->masks->nr; m++)
			check_mask(t, event, &event->masks->masks[m], pmu, known, &tally);
	}
	printf("# %s and %s: %u equal by name, %u by code, %u explained, %u not in libpfm4\n", type,
	       pmu, tally.by_name, tally.by_code, tally.explained, tally.unknown);
	CHECK(tally.by_name + tally.by_code > 0, "%s: nothing to compare", type);
	event_table_free(t);
	while (known) {
		struct known *next = known->next;

		free(known);
		known = next;
	}
	return 0;
}

static void compare_all(const char *const pairs[][2], size_t nr)
{
	size_t missing = 0;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		SKIP("libpfm4 does not start");
	for (size_t i = 0; i < nr; i++) {
		if (!compare(pairs[i][0], pairs[i][1]))
			continue;
		printf("# %s: this libpfm4 does not have %s\n", pairs[i][0], pairs[i][1]);
		missing++;
	}
	pfm_terminate();
	if (missing == nr)
		SKIP("this libpfm4 has none of these CPUs");
}

#define COMPARE(pairs) compare_all(pairs, sizeof(pairs) / sizeof((pairs)[0]))

TEST(intel)
{
	static const char *const pairs[][2] = {
		{ "i386/core_2", "core" },	   { "i386/nehalem", "nhm" },
		{ "i386/westmere", "wsm_dp" },	   { "i386/sandybridge", "snb" },
		{ "i386/ivybridge", "ivb" },	   { "i386/haswell", "hsw" },
		{ "i386/broadwell", "bdw" },	   { "i386/skylake", "skl" },
		{ "i386/skylake-x", "skx" },	   { "i386/cascadelake", "clx" },
		{ "i386/icelake", "icl" },	   { "i386/icelake-x", "icx" },
		{ "i386/rocketlake", "icl" },	   { "i386/sapphirerapids", "spr" },
		{ "i386/emeraldrapids", "emr" },   { "i386/graniterapids", "gnr" },
		{ "i386/alderlake-p", "adl_glc" }, { "i386/alderlake-e", "adl_grt" },
		{ "i386/silvermont", "slm" },	   { "i386/goldmont", "glm" },
		{ "i386/tremont", "tmt" },	   { "i386/atom", "atom" },
		{ "i386/knightslanding", "knl" },
	};

	COMPARE(pairs);
}

TEST(amd)
{
	static const char *const pairs[][2] = {
		{ "x86-64/hammer", "amd64_k8_revg" },
		{ "x86-64/family10", "amd64_fam10h_istanbul" },
		{ "x86-64/family11h", "amd64_fam11h_turion" },
		{ "x86-64/family12h", "amd64_fam12h_llano" },
		{ "x86-64/family14h", "amd64_fam14h_bobcat" },
		{ "x86-64/family15h", "amd64_fam15h_interlagos" },
		{ "x86-64/family16h", "amd64_fam16h" },
		{ "x86-64/zen1", "amd64_fam17h_zen1" },
		{ "x86-64/zen2", "amd64_fam17h_zen2" },
		{ "x86-64/zen3", "amd64_fam19h_zen3" },
		{ "x86-64/zen4", "amd64_fam19h_zen4" },
		{ "x86-64/zen5", "amd64_fam1ah_zen5" },
	};

	COMPARE(pairs);
}

TEST(arm)
{
	static const char *const pairs[][2] = {
		{ "arm/armv8-ca53", "arm_ac53" },      { "arm/armv8-ca55", "arm_ac55" },
		{ "arm/armv8-ca57", "arm_ac57" },      { "arm/armv8-ca72", "arm_ac72" },
		{ "arm/armv8-ca76", "arm_ac76" },      { "arm/armv8-neoverse-n1", "arm_n1" },
		{ "arm/armv8-neoverse-n2", "arm_n2" }, { "arm/armv8-neoverse-n3", "arm_n3" },
		{ "arm/armv8-neoverse-v1", "arm_v1" }, { "arm/armv8-neoverse-v2", "arm_v2" },
		{ "arm/armv8-neoverse-v3", "arm_v3" }, { "arm/armv8-thunderx2", "arm_thunderx2" },
		{ "arm/armv8-a64fx", "arm_a64fx" },    { "arm/armv8-hip08", "arm_kunpeng" },
	};

	COMPARE(pairs);
}

#else

TEST(codes_beside_libpfm4)
{
	SKIP("libpfm4 is not installed");
}

#endif

TEST_MAIN()
