/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm.c - compare the codes of our tables with libpfm4's encoding
 *
 * Most tables are generated from the vendors' lists, libpfm4's are typed from the manuals, so both
 * must agree exactly. Events are compared by name, or by the name in pfm_names.h. A mask with the
 * same name must have the same config; another one must be among the event's masks. Events that
 * libpfm4 lacks are listed by name, masks by number; types that it lacks are printed.
 */
#include "tests/tap.h"

#if __has_include(<perfmon/pfmlib_perf_event.h>)

#include <ctype.h>
#include <inttypes.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "events/data.h"
#include "events/encode.h"
#include "libutil/xalloc.h"
#include "tests/unit/events/pfm_names.h"

#define CHECKED_AGAINST 13 /* libpfm4 4.13: other versions may have fewer names, or more */
#define MASK_BITS UINT64_C(0xff00)
#define CODE_BITS UINT64_C(0xf000000ff)

/* The number of masks that libpfm4 lacks; NOT_THERE: 4.13 does not know the CPU. */
struct pair {
	const char *type, *pmu;
	int missing_masks;
};
#define NOT_THERE (-1)

struct known {
	uint64_t config;
	struct known *next;
};

struct tally {
	int equal, within, explained, missing_masks, missing_events;
};

/*
 * Differences between libpfm4 4.13 and the vendor's list, which is newer and which the tables
 * follow. Each was checked and is one of these.
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
	{ "nhm wsm_dp", "MACRO_INSTS.*", "libpfm4 gives its two masks one code" },
	{ "icl icx", "MEM_LOAD_MISC_RETIRED.*", "libpfm4 has 0xc4, all lists 0xd4" },
	{ "emr gnr adl_glc", "UNHALTED_REFERENCE_CYCLES.*",
	  "libpfm4 after 4.13 takes the fixed counter's code for perf, 0x300" },
	{ "glm", "CPU_CLK_UNHALTED.*", "libpfm4 forgets the code" },
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

static void add_masks(struct known **list, const char *pmu, int index)
{
	pfm_event_info_t event = { .size = sizeof(event) };

	if (pfm_get_event_info(index, PFM_OS_NONE, &event))
		return;
	add_known(list, pmu, event.name, NULL);
	for (int a = 0; a < event.nattrs; a++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (!pfm_get_event_attr_info(index, a, PFM_OS_NONE, &attr) &&
		    attr.type == PFM_ATTR_UMASK)
			add_known(list, pmu, event.name, attr.name);
	}
}

/* libpfm4's configs for @name and each of its masks; for all events if @name is NULL. */
static struct known *known_of(int pmu, const char *name)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };
	struct known *list = NULL;

	pfm_get_pmu_info((pfm_pmu_t)pmu, &info);
	for (int i = info.first_event; i >= 0; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };

		if (!name || (!pfm_get_event_info(i, PFM_OS_NONE, &event) &&
			      !strcasecmp(event.name, name)))
			add_masks(&list, info.name, i);
	}
	return list;
}

static void forget(struct known *list)
{
	while (list) {
		struct known *next = list->next;

		free(list);
		list = next;
	}
}

static int has_code(const struct known *list, uint64_t config)
{
	for (; list; list = list->next)
		if (!((list->config ^ config) & CODE_BITS))
			return 1;
	return 0;
}

/* The same config, or one that differs only in the mask, whose bits are in libpfm4's masks. */
static int is_known(const struct known *list, uint64_t config)
{
	uint64_t seen = 0;
	int code_seen = 0;

	for (; list; list = list->next) {
		if (list->config == config)
			return 1;
		if ((list->config ^ config) & ~MASK_BITS)
			continue;
		code_seen = 1;
		seen |= list->config & MASK_BITS;
	}
	return code_seen && !(config & MASK_BITS & ~seen);
}

/* Whether a list of words, separated by spaces, has a word. */
static int is_word_of(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return 1;
	return 0;
}

/* libpfm4's name of the event; NULL: listed as missing in libpfm4. */
static const char *their_name(const char *type, const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].ours, name) &&
		    is_word_of(names[i].types, strchr(type, '/') + 1))
			return names[i].theirs;
	return name;
}

static int is_explained(const char *pmu, const char *event, const char *mask)
{
	char name[200];

	snprintf(name, sizeof(name), "%s.%s", event, mask ? mask : "");
	for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++)
		if (is_word_of(differ[i].pmus, pmu) && !strcmp(name, differ[i].name))
			return 1;
	return 0;
}

static void check_mask(const struct event_table *t, const struct event *event,
		       const struct unit_mask *m, const char *pmu, const char *theirs,
		       const struct known *known, struct tally *tally)
{
	struct mask_choice choice = { m->value, m->extra, m };
	uint64_t ours = event_perf_config(t->type, event, &choice), config;
	char mask[EVENT_NAME_MAX_LEN + 1] = "";

	for (size_t i = 0; m->name && m->name[i]; i++)
		mask[i] = (char)toupper((unsigned char)m->name[i]);
	/*
	 * An Arm event is a code alone; elsewhere libpfm4 would put its own default mask in. On
	 * Atom its masks are parts, of which it adds what is missing, and the vendor's are whole.
	 */
	if ((*mask || !strncmp(pmu, "arm", 3)) && strcmp(pmu, "atom") &&
	    !encode(pmu, theirs, *mask ? mask : NULL, &config)) {
		if (ours == config)
			tally->equal++;
		else if (is_explained(pmu, event->name, mask))
			tally->explained++;
		else
			CHECK(0, "%s: %s:%s is 0x%" PRIx64 ", libpfm4 has 0x%" PRIx64,
			      t->type->name, event->name, mask, ours, config);
	} else if (is_known(known, ours)) {
		tally->within++;
	} else {
		tally->missing_masks++;
		if (getenv("EVENTS_PFM_VERBOSE"))
			printf("# %s: mask not in libpfm4: 0x%" PRIx64 " %s %s\n", t->type->name,
			       ours, event->name, mask);
	}
}

/* @all: the events of the PMU. @strict: our list of names is of the same version. */
static void check_event(const struct event_table *t, const struct event *event, const char *pmu,
			int index, const struct known *all, int strict, struct tally *tally)
{
	const char *theirs = their_name(t->type->name, event->name);
	struct known *known = theirs ? known_of(index, theirs) : NULL;
	uint64_t code = event_perf_config(t->type, event, &(struct mask_choice){ 0 });

	if (!known) {
		tally->missing_events++;
		CHECK(!theirs || !strict, "%s: %s (0x%" PRIx64 ") is not in libpfm4, and not in "
		      "events_pfm_names.h", t->type->name, event->name, code);
		CHECK(theirs || !has_code(all, code) || !strict, "%s: %s: libpfm4 does have the "
		      "code 0x%" PRIx64, t->type->name, event->name, code);
		return;
	}
	CHECK(has_code(known, code) || is_explained(pmu, event->name, "*"),
	      "%s: %s is 0x%" PRIx64 ", libpfm4's %s has 0x%" PRIx64, t->type->name, event->name,
	      code, theirs, known->config & CODE_BITS);
	for (size_t m = 0; m < event->masks->nr; m++)
		check_mask(t, event, &event->masks->masks[m], pmu, theirs, known, tally);
	forget(known);
}

static void check_table(const struct event_table *t, const struct pair *pair, int index,
			const struct known *all)
{
	int strict = pair->missing_masks != NOT_THERE &&
		     pfm_get_version() == (4 << 16 | CHECKED_AGAINST);
	struct tally tally = { 0 };

	for (size_t i = 0; i < t->nr; i++)
		if (!t->events[i].ext)
			check_event(t, &t->events[i], pair->pmu, index, all, strict, &tally);
	printf("# %s and %s: masks: %d equal by name, %d of the event's, %d explained, %d not in "
	       "libpfm4; %d events not in libpfm4\n", pair->type, pair->pmu, tally.equal,
	       tally.within, tally.explained, tally.missing_masks, tally.missing_events);
	if (strict)
		CHECK(tally.missing_masks == pair->missing_masks, "%s: %d masks are not in "
		      "libpfm4, that were %d (EVENTS_PFM_VERBOSE=1 lists them)", pair->type,
		      tally.missing_masks, pair->missing_masks);
	CHECK(tally.equal + tally.within > 0, "%s: nothing to compare", pair->type);
}

/* 1: libpfm4 does not know the PMU, or cannot encode for it. */
static int compare(const struct pair *pair)
{
	int index = find_pmu(pair->pmu);
	struct known *all = index < 0 ? NULL : known_of(index, NULL);
	struct event_table *t = NULL;
	struct op_error e = { "" };

	if (!all)
		return 1;
	event_table_open(cpu_type_by_name(pair->type), &t, &e);
	CHECK(t, "%s: %s", pair->type, e.text);
	if (t)
		check_table(t, pair, index, all);
	event_table_free(t);
	forget(all);
	return 0;
}

static void compare_all(const struct pair *pairs, size_t nr)
{
	size_t missing = 0;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		SKIP("libpfm4 does not start");
	for (size_t i = 0; i < nr; i++) {
		if (compare(&pairs[i])) {
			printf("# %s: not compared, this libpfm4 does not have %s\n",
			       pairs[i].type, pairs[i].pmu);
			missing++;
		}
	}
	pfm_terminate();
	if (missing == nr)
		SKIP("this libpfm4 has none of these CPUs");
}

#define COMPARE(pairs) compare_all(pairs, sizeof(pairs) / sizeof((pairs)[0]))

TEST(intel)
{
	static const struct pair pairs[] = {
		{ "i386/core_2", "core", 7 }, { "i386/nehalem", "nhm", 14 },
		{ "i386/westmere", "wsm_dp", 1 }, { "i386/sandybridge", "snb", 1 },
		{ "i386/ivybridge", "ivb", 4 }, { "i386/haswell", "hsw", 5 },
		{ "i386/broadwell", "bdw", 6 }, { "i386/skylake", "skl", 8 },
		{ "i386/skylake-x", "skx", 8 }, { "i386/cascadelake", "clx", 8 },
		{ "i386/icelake", "icl", 3 }, { "i386/icelake-x", "icx", 2 },
		{ "i386/rocketlake", "icl", 5 }, { "i386/sapphirerapids", "spr", 24 },
		{ "i386/emeraldrapids", "emr", NOT_THERE },
		{ "i386/graniterapids", "gnr", NOT_THERE },
		{ "i386/alderlake-p", "adl_glc", NOT_THERE },
		{ "i386/alderlake-e", "adl_grt", NOT_THERE }, { "i386/silvermont", "slm", 2 },
		{ "i386/goldmont", "glm", 5 }, { "i386/tremont", "tmt", 44 },
		{ "i386/atom", "atom", 24 }, { "i386/knightslanding", "knl", 2 },
	};

	COMPARE(pairs);
}

TEST(amd)
{
	static const struct pair pairs[] = {
		{ "x86-64/hammer", "amd64_k8_revg", 0 },
		{ "x86-64/family10", "amd64_fam10h_istanbul", 0 },
		{ "x86-64/family11h", "amd64_fam11h_turion", 0 },
		{ "x86-64/family12h", "amd64_fam12h_llano", 0 },
		{ "x86-64/family14h", "amd64_fam14h_bobcat", 0 },
		{ "x86-64/family15h", "amd64_fam15h_interlagos", 0 },
		{ "x86-64/family16h", "amd64_fam16h", 0 },
		{ "x86-64/zen1", "amd64_fam17h_zen1", 4 },
		{ "x86-64/zen2", "amd64_fam17h_zen2", 15 },
		{ "x86-64/zen3", "amd64_fam19h_zen3", 12 },
		{ "x86-64/zen4", "amd64_fam19h_zen4", 2 },
		{ "x86-64/zen5", "amd64_fam1ah_zen5", NOT_THERE },
	};

	COMPARE(pairs);
}

#define ARM(type, pmu) { "arm/armv8-" type, "arm_" pmu, NOT_THERE }

/* Only libpfm4 for arm64 has these; siblings.c compares them on any machine. */
TEST(arm)
{
	static const struct pair pairs[] = {
		ARM("ca53", "ac53"), ARM("ca55", "ac55"), ARM("ca57", "ac57"), ARM("ca72", "ac72"),
		ARM("ca76", "ac76"), ARM("neoverse-n1", "n1"), ARM("neoverse-n2", "n2"),
		ARM("neoverse-n3", "n3"), ARM("neoverse-v1", "v1"), ARM("neoverse-v2", "v2"),
		ARM("neoverse-v3", "v3"), ARM("thunderx2", "thunderx2"), ARM("a64fx", "a64fx"),
		ARM("hip08", "kunpeng"),
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
