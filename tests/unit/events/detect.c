/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detect.c - CPU types and events of other machines, from their /proc and /sys */
#include "tests/tap.h"

#include "events/cpu/machine_events.h"
#include "events/cpu/pfm_names.h"
#include "events/encode.h"
#include "events/request.h"
#include "tests/unit/tmpdir.h"

/* Write @text to @path below the test's folder. */
static void put(const char *path, const char *text)
{
	char *full = path_join(tmpdir, path);

	file_make_parent_dirs(full, 0755);
	if (file_write_atomic(full, text, strlen(text), 0644))
		exit(1);
	free(full);
}

#define PMU "sys/bus/event_source/devices/"

static void x86(const char *vendor, int family, int model, int stepping)
{
	char text[300];

	snprintf(text, sizeof(text),
		 "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\n"
		 "model name\t: Some CPU\nstepping\t: %d\n\nprocessor\t: 1\n",
		 vendor, family, model, stepping);
	put("proc/cpuinfo", text);
}

static const struct {
	const char *vendor;
	int family, model, stepping;
	const char *type;
} machines[] = {
	{ "GenuineIntel", 6, 0x17, 10, "i386/core_2" },
	{ "GenuineIntel", 6, 0x1a, 5, "i386/nehalem" },
	{ "GenuineIntel", 6, 0x2a, 7, "i386/sandybridge" },
	{ "GenuineIntel", 6, 0x3c, 3, "i386/haswell" },
	{ "GenuineIntel", 6, 0x55, 4, "i386/skylake-x" },
	{ "GenuineIntel", 6, 0x55, 7, "i386/cascadelake" },
	{ "GenuineIntel", 6, 0x9e, 9, "i386/skylake" },
	{ "GenuineIntel", 6, 0x6a, 6, "i386/icelake-x" },
	{ "GenuineIntel", 6, 0x8f, 8, "i386/sapphirerapids" },
	{ "GenuineIntel", 6, 0xaf, 3, "i386/sierraforest" },
	{ "GenuineIntel", 6, 0xbe, 0, "i386/alderlake-e" },
	{ "GenuineIntel", 6, 0xfe, 0, "i386/arch_perfmon" },
	{ "GenuineIntel", 19, 1, 0, "i386/arch_perfmon" },
	{ "CentaurHauls", 7, 0x3b, 0, "i386/arch_perfmon" },
	{ "GenuineIntel", 6, 0x1c, 2, "i386/atom" },
	{ "GenuineIntel", 6, 0x57, 1, "i386/knightslanding" },
	{ "AuthenticAMD", 0x0f, 0x41, 2, "x86-64/hammer" },
	{ "AuthenticAMD", 0x10, 4, 3, "x86-64/family10" },
	{ "AuthenticAMD", 0x15, 2, 0, "x86-64/family15h" },
	{ "AuthenticAMD", 0x17, 0x08, 2, "x86-64/zen1" },
	{ "AuthenticAMD", 0x17, 0x71, 0, "x86-64/zen2" },
	{ "AuthenticAMD", 0x19, 0x01, 1, "x86-64/zen3" },
	{ "AuthenticAMD", 0x19, 0x11, 1, "x86-64/zen4" },
	{ "AuthenticAMD", 0x19, 0x50, 0, "x86-64/zen3" },
	{ "AuthenticAMD", 0x1a, 0x02, 1, "x86-64/zen5" },
	{ "AuthenticAMD", 0x1a, 0x50, 0, "x86-64/zen6" },
	{ "AuthenticAMD", 0x1c, 0, 0, "x86-64/generic" },
	{ "HygonGenuine", 0x18, 0, 1, "x86-64/zen1" },
};

TEST(x86_machines)
{
	struct cpu_kinds kinds;

	tmpdir_make();
	put(PMU "cpu/type", "4\n");
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		x86(machines[i].vendor, machines[i].family, machines[i].model,
		    machines[i].stepping);
		cpu_detect(tmpdir, &kinds);
		CHECK(kinds.nr == 1 && !strcmp(kinds.kind[0].type->name, machines[i].type),
		      "%s %x %x: %u kinds, %s, not %s", machines[i].vendor, machines[i].family,
		      machines[i].model, kinds.nr, kinds.kind[0].type->name, machines[i].type);
		CHECK(!strcmp(kinds.kind[0].pmu, "cpu"), "%s", kinds.kind[0].pmu);
	}
}

TEST(no_counters_is_a_timer)
{
	struct cpu_kinds kinds;

	tmpdir_make();
	x86("AuthenticAMD", 0x19, 0x11, 1);
	cpu_detect(tmpdir, &kinds);
	CHECK(kinds.nr == 1 && !strcmp(kinds.kind[0].type->name, "timer"), "%s",
	      kinds.kind[0].type->name);
	x86("GenuineIntel", 6, 0x9e, 9);
	cpu_detect(tmpdir, &kinds);
	CHECK(!strcmp(kinds.kind[0].type->name, "timer"), "Intel in a virtual machine");
	put("proc/cpuinfo", "");
	cpu_detect(tmpdir, &kinds);
	CHECK(!strcmp(kinds.kind[0].type->name, "timer"), "empty");
	cpu_detect("/nowhere", &kinds);
	CHECK(!strcmp(kinds.kind[0].type->name, "timer"), "nothing at all");
}

TEST(hybrid_intel)
{
	struct cpu_kinds kinds;
	struct event_table *p = NULL, *e_core = NULL;
	struct op_error e = { "" };

	tmpdir_make();
	x86("GenuineIntel", 6, 0xcc, 0);
	put(PMU "cpu_core/cpus", "0-7\n");
	put(PMU "cpu_atom/cpus", "8-15\n");
	cpu_detect(tmpdir, &kinds);
	CHECK(kinds.nr == 2 && !strcmp(kinds.kind[0].type->name, "i386/pantherlake-p") &&
		      !strcmp(kinds.kind[1].type->name, "i386/pantherlake-e"),
	      "%u kinds, %s", kinds.nr, kinds.kind[0].type->name);
	x86("GenuineIntel", 6, 0x9a, 3);
	cpu_detect(tmpdir, &kinds);
	CHECK(kinds.nr == 2, "%u kinds", kinds.nr);
	CHECK(!strcmp(kinds.kind[0].type->name, "i386/alderlake-p") &&
		      !strcmp(kinds.kind[0].cpus, "0-7"),
	      "P cores");
	CHECK(!strcmp(kinds.kind[1].type->name, "i386/alderlake-e") &&
		      !strcmp(kinds.kind[1].pmu, "cpu_atom") && !strcmp(kinds.kind[1].cpus, "8-15"),
	      "E cores");
	CHECK(!machine_events_load(tmpdir, &kinds.kind[0], &p, &e), "%s", e.text);
	CHECK(!machine_events_load(tmpdir, &kinds.kind[1], &e_core, &e), "%s", e.text);
	CHECK(p && e_core && p->nr != e_core->nr, "each kind has events of its own");
	event_table_free(p);
	event_table_free(e_core);
}

TEST(arm_cores)
{
	static const struct {
		int implementer, part;
		const char *type;
	} cores[] = {
		{ 0x41, 0xd0c, "arm/armv8-neoverse-n1" }, { 0xc0, 0xac3, "arm/armv8-ampereone" },
		{ 0x41, 0xd80, "arm/armv8-ca520" },	  { 0x41, 0xd4d, "arm/armv8-ca715" },
		{ 0x41, 0xd81, "arm/armv8-ca720" },	  { 0x41, 0xd87, "arm/armv8-ca725" },
		{ 0x41, 0xd82, "arm/armv8-x4" },	  { 0x41, 0xd85, "arm/armv8-x925" },
		{ 0x61, 0x022, "arm/armv8-pmuv3" }, /* of another vendor */
	};
	struct cpu_kinds kinds;
	char text[100];

	tmpdir_make();
	put(PMU "armv8_pmuv3_0/cpus", "0-3\n");
	for (size_t i = 0; i < ARRAY_SIZE(cores); i++) {
		snprintf(text, sizeof(text),
			 "processor\t: 0\nCPU implementer\t: 0x%x\nCPU part\t: 0x%x\n\n",
			 cores[i].implementer, cores[i].part);
		put("proc/cpuinfo", text);
		cpu_detect(tmpdir, &kinds);
		CHECK(kinds.nr == 1 && !strcmp(kinds.kind[0].type->name, cores[i].type),
		      "0x%x 0x%x: %s, not %s", cores[i].implementer, cores[i].part,
		      kinds.kind[0].type->name, cores[i].type);
	}
}

static const char big_little[] =
	"processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd03\n\n"
	"processor\t: 4\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd09\n\n";

TEST(arm_without_a_pmu_is_a_timer)
{
	struct cpu_kinds kinds;

	tmpdir_make();
	put("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n");
	cpu_detect(tmpdir, &kinds);
	CHECK(!strcmp(kinds.kind[0].type->name, "timer"), "%s", kinds.kind[0].type->name);
}

TEST(big_little)
{
	struct cpu_kinds kinds;

	tmpdir_make();
	put("proc/cpuinfo", big_little);
	put(PMU "armv8_cortex_a53/cpus", "0-3\n");
	put(PMU "armv8_cortex_a73/cpus", "4-7\n");
	cpu_detect(tmpdir, &kinds);
	CHECK(kinds.nr == 2 && !strcmp(kinds.kind[0].type->name, "arm/armv8-ca53") &&
		      !strcmp(kinds.kind[1].type->name, "arm/armv8-ca73") &&
		      !strcmp(kinds.kind[1].cpus, "4-7"),
	      "%u kinds, %s", kinds.nr, kinds.kind[0].type->name);
}

static uint64_t config_of(const struct event_table *t, const char *text)
{
	struct event_request request;
	struct event_choice choice;
	struct op_error e = { "" };

	if (event_request_parse(text, false, &request, &e) ||
	    event_request_resolve(t, &request, 0, &choice, &e)) {
		CHECK(0, "%s: %s", text, e.text);
		return ~(uint64_t)0;
	}
	return event_perf_config(t->type, choice.event, &choice.mask);
}

/* A CPU without a table has the events of the architecture and of the kernel, and raw codes. */
TEST(unknown_cpu)
{
	struct event_table *t = NULL;
	struct op_error e = { "" };
	struct cpu_kinds kinds;

	tmpdir_make();
	x86("GenuineIntel", 6, 0xfe, 0);
	put(PMU "cpu/events/cpu-cycles", "event=0x3c\n");
	put(PMU "cpu/events/stalls", "event=0xa3,umask=0x4,cmask=0x10,inv\n");
	put(PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put(PMU "cpu/events/ref-cycles", "event=0x00,umask=0x3\n");
	put(PMU "cpu/events/bad", "event=0x1,umask=0x100\n");
	put(PMU "cpu/events/slots.scale", "1\n");
	cpu_detect(tmpdir, &kinds);
	CHECK(!machine_events_load(tmpdir, &kinds.kind[0], &t, &e), "%s", e.text);
	if (!t)
		return;
	CHECK(t->nr == 7 + 2, "%zu events", t->nr);
	CHECK(config_of(t, "CPU_CLK_UNHALTED:100000") == 0x3c, "cycles");
	CHECK(config_of(t, "LLC_MISSES:6000") == 0x412e, "misses");
	CHECK(config_of(t, "cpu-cycles:6000") == 0x3c, "by the kernel's name");
	CHECK(config_of(t, "stalls:6000") == 0x108004a3, "with bits beside the mask: %llx",
	      (unsigned long long)config_of(t, "stalls:6000"));
	CHECK(config_of(t, "r1a8:6000") == 0x1a8, "raw");
	CHECK(config_of(t, "r1d701c2:6000") == 0x18401c2, "raw, without privilege and enable: %llx",
	      (unsigned long long)config_of(t, "r1d701c2:6000"));
	CHECK(!event_table_find(t, "mem-loads") && !event_table_find(t, "ref-cycles") &&
		      !event_table_find(t, "bad"),
	      "what an event select cannot say");
	event_table_free(t);
}

/* With libpfm4, its names are accepted if the table lacks them, on this machine only. */
TEST(names_of_libpfm4)
{
	struct event_request request;
	struct event_choice choice;
	struct op_error e = { "" };
	struct event_table *t = NULL;
	struct cpu_kind kind = { .type = cpu_type_by_name("i386/arch_perfmon"), .nr_counters = 4 };
	uint64_t config;

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	if (!pfm_name_config("MEM_LOAD_RETIRED.L1_HIT", &config))
		SKIP("libpfm4 is not installed");
	CHECK(config == 0x1d1, "%llx", (unsigned long long)config);
	CHECK(!pfm_name_config("NO_SUCH", &config), "unknown");
	CHECK(!pfm_name_config("perf::PERF_COUNT_SW_CPU_CLOCK", &config), "not the CPU's");
	CHECK(!machine_events_load("", &kind, &t, &e), "%s", e.text);
	CHECK(config_of(t, "MEM_LOAD_RETIRED.L1_HIT:6000") == 0x1d1, "code");
	event_request_parse("MEM_LOAD_RETIRED.L1_HIT:6000", false, &request, &e);
	CHECK(!event_request_resolve(t, &request, 0, &choice, &e) &&
		      !strcmp(choice.event->name, "MEM_LOAD_RETIRED_L1_HIT"),
	      "name without a dot");
	event_table_free(t);
	CHECK(!machine_events_load("/nonexistent", &kind, &t, &e), "%s", e.text);
	CHECK(event_request_resolve(t, &request, 0, &choice, &e), "of another machine");
	event_table_free(t);
}

TEST(encodings)
{
	static const struct {
		const char *type, *name;
		uint64_t code;
		uint32_t mask, extra;
		uint64_t config;
	} cases[] = {
		{ "i386/skylake", "r1", 0x3c, 0, 0, 0x3c },
		{ "i386/skylake", "r1", 0x0d, 1, EXTRA_NONE | EXTRA_EDGE | 1u << 24, 0x104010d },
		{ "i386/skylake", "r1", 0xc2, 2, EXTRA_NONE | EXTRA_INV | 0x10u << 24, 0x108002c2 },
		{ "x86-64/zen3", "r1", 0x1c7, 0, 0, 0x1000000c7 },
		{ "x86-64/zen3", "r1", 0xfff, 0xff, EXTRA_NONE, 0xf0000ffff },
		{ "arm/armv8-ca53", "r1", 0x11, 0, 0, 0x11 },
		{ "arm/armv8-neoverse-n1", "r1", 0x4006, 0, 0, 0x4006 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct cpu_type *type = cpu_type_by_name(cases[i].type);
		struct event event = { .code = cases[i].code };
		struct mask_choice mask = { cases[i].mask, cases[i].extra, NULL };
		uint64_t config = event_perf_config(type, &event, &mask), code;
		uint32_t value, extra;

		CHECK(config == cases[i].config, "case %zu: 0x%llx", i, (unsigned long long)config);
		event_from_config(type, config, &code, &value, &extra);
		CHECK(code == cases[i].code && value == cases[i].mask, "case %zu back", i);
		CHECK((extra | EXTRA_NONE) == (cases[i].extra | EXTRA_NONE), "case %zu bits", i);
	}
}

/* Bits that an event select does not have are errors. */
TEST(unsupported_bits)
{
	static const struct {
		const char *type;
		uint64_t config, unknown;
	} cases[] = {
		{ "i386/skylake", 0xffff, 0 },
		{ "i386/skylake", 0xfffcffff & ~UINT64_C(0x100000), 0 },
		{ "i386/skylake", 0x5300c0, 0 },	/* as manuals write it */
		{ "i386/skylake", 0x10000003c, UINT64_C(0x100000000) },
		{ "i386/skylake", 0x20000000003c, UINT64_C(0x200000000000) },
		{ "x86-64/zen3", 0x1000000c7, 0 },
		{ "x86-64/zen3", 0x10000000000000c0, UINT64_C(0x1000000000000000) },
		{ "arm/armv8-pmuv3", 0x816d, 0 },
		{ "arm/armv8-pmuv3", 0x10011, 0x10000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t unknown = event_config_unknown(cpu_type_by_name(cases[i].type),
							cases[i].config);

		CHECK(unknown == cases[i].unknown, "case %zu: 0x%llx", i,
		      (unsigned long long)unknown);
	}
}

/* Any machine has at least one kind of CPU, and counters or a timer. */
TEST(this_machine)
{
	struct cpu_kinds kinds;

	cpu_detect("", &kinds);
	CHECK(kinds.nr >= 1, "none");
	for (unsigned int i = 0; i < kinds.nr; i++)
		CHECK(!kinds.kind[i].nr_counters == !strcmp(kinds.kind[i].type->name, "timer"),
		      "%s has %u counters", kinds.kind[i].type->name, kinds.kind[i].nr_counters);
}

TEST_MAIN()
