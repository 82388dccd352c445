/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.c - the table of CPU types
 *
 * The numbers are those that OProfile 0.9.8/0.9.9 (header version 0x12) and 1.x (0x13) write into
 * sample files. They are part of the file format: never change them.
 */
#include "events/cpu/type.h"

#include <string.h>

#define HEADER_VERSION_1X 0x13	/* as in libdb, which events/ may not use */

/* event for cycles, default event, and the nearest type that OProfile knows */
#define X86		CPU_CLOCK_EVENT, CPU_CLOCK_EVENT ":100000:0:1:1", NULL
#define NEW_INTEL	CPU_CLOCK_EVENT, CPU_CLOCK_EVENT ":100000:0:1:1", "i386/arch_perfmon"
#define NEW_AMD		CPU_CLOCK_EVENT, CPU_CLOCK_EVENT ":100000:0:1:1", "x86-64/generic"
#define P4		"GLOBAL_POWER_EVENTS", "GLOBAL_POWER_EVENTS:100000:1:1:1", NULL
#define CPU_CYCLES	"CPU_CYCLES", "CPU_CYCLES:100000:0:1:1", NULL
#define NEW_ARM		"CPU_CYCLES", "CPU_CYCLES:100000:0:1:1", "arm/armv8-ca57"
#define CYCLES		"CYCLES", "CYCLES:100000:0:1:1", NULL
#define CPU_CLK		"CPU_CLK", "CPU_CLK:100000:0:1:1", NULL
#define IA64		"CPU_CYCLES", "CPU_CYCLES:1000000:0:1:1", NULL
#define S390		"CPU_CYCLES", "CPU_CYCLES:4127518:0:1:1", NULL
#define RTC		NULL, "RTC_INTERRUPTS:1024:0:1:1", NULL
#define EVENT(name)	NULL, #name ":100000:0:1:1", NULL
#define NONE		NULL, NULL, NULL

static const struct cpu_type cpu_types[] = {
	/* name, pretty name, number in 0.9.9, number in 1.x, counters, events */
	{ "i386/ppro",             "Pentium Pro",                         0,  0,  2, X86 },
	{ "i386/pii",              "PII",                                 1,  1,  2, X86 },
	{ "i386/piii",             "PIII",                                2,  2,  2, X86 },
	{ "i386/athlon",           "Athlon",                              3,  3,  4, X86 },
	{ "timer",                 "CPU with timer interrupt",            4,  4,  1, NONE },
	{ "rtc",                   "CPU with RTC device",                 5, -1,  1,
	  RTC },
	{ "i386/p4",               "P4 / Xeon",                           6,  5,  8, P4 },
	{ "ia64/ia64",             "IA64",                                7, -1,  4, IA64 },
	{ "ia64/itanium",          "Itanium",                             8, -1,  4, IA64 },
	{ "ia64/itanium2",         "Itanium 2",                           9, -1,  4, IA64 },
	{ "x86-64/hammer",         "AMD64 processors",                   10,  6,  4, X86 },
	{ "i386/p4-ht",            "P4 / Xeon with 2 hyper-threads",     11,  7,  4, P4 },
	{ "alpha/ev4",             "Alpha EV4",                          12, -1,  2, CYCLES },
	{ "alpha/ev5",             "Alpha EV5",                          13, -1,  3, CYCLES },
	{ "alpha/pca56",           "Alpha PCA56",                        14, -1,  3, CYCLES },
	{ "alpha/ev6",             "Alpha EV6",                          15, -1,  2, CYCLES },
	{ "alpha/ev67",            "Alpha EV67",                         16,  8, 20, CYCLES },
	{ "i386/p6_mobile",        "Pentium M (P6 core)",                17,  9,  2, X86 },
	{ "arm/xscale1",           "ARM/XScale PMU1",                    18, 10,  3, CPU_CYCLES },
	{ "arm/xscale2",           "ARM/XScale PMU2",                    19, 11,  5, CPU_CYCLES },
	{ "ppc64/power4",          "ppc64 POWER4",                       20, 12,  8, CYCLES },
	{ "ppc64/power5",          "ppc64 POWER5",                       21, 13,  6, CYCLES },
	{ "ppc64/power5+",         "ppc64 POWER5+",                      22, 14,  6, CYCLES },
	{ "ppc64/970",             "ppc64 970",                          23, 15,  8, CYCLES },
	{ "mips/20K",              "MIPS 20K",                           24, 16,  1, CYCLES },
	{ "mips/24K",              "MIPS 24K",                           25, 17,  2,
	  EVENT(INSTRUCTIONS) },
	{ "mips/25K",              "MIPS 25K",                           26, 18,  2, CYCLES },
	{ "mips/34K",              "MIPS 34K",                           27, 19,  2,
	  EVENT(INSTRUCTIONS) },
	{ "mips/5K",               "MIPS 5K",                            28, 20,  2, CYCLES },
	{ "mips/r10000",           "MIPS R10000",                        29, 21,  2,
	  EVENT(INSTRUCTIONS_GRADUATED) },
	{ "mips/r12000",           "MIPS R12000",                        30, 22,  4,
	  EVENT(INSTRUCTIONS_GRADUATED) },
	{ "mips/rm7000",           "QED RM7000",                         31, 23,  1,
	  EVENT(INSTRUCTIONS_ISSUED) },
	{ "mips/rm9000",           "PMC-Sierra RM9000",                  32, 24,  2,
	  EVENT(INSTRUCTIONS_ISSUED) },
	{ "mips/sb1",              "Sibyte SB1",                         33, 25,  4,
	  EVENT(INSN_SURVIVED_STAGE7) },
	{ "mips/vr5432",           "NEC VR5432",                         34, 26,  2,
	  EVENT(INSTRUCTIONS_EXECUTED) },
	{ "mips/vr5500",           "NEC VR5500",                         35, 27,  2,
	  EVENT(INSTRUCTIONS_EXECUTED) },
	{ "ppc/e500",              "e500",                               36, 28,  4, CPU_CLK },
	{ "ppc/e500v2",            "e500v2",                             37, 29,  4, CPU_CLK },
	{ "i386/core",             "Core Solo / Duo",                    38, 30,  2, X86 },
	{ "ppc/7450",              "PowerPC G4",                         39, 31,  6, NONE },
	{ "i386/core_2",           "Core 2",                             40, 32,  2, X86 },
	{ "ppc64/power6",          "ppc64 POWER6",                       41, 33,  4, CYCLES },
	{ "ppc64/970MP",           "ppc64 970MP",                        42, 34,  8, CYCLES },
	{ "ppc64/cell-be",         "ppc64 Cell Broadband Engine",        43, -1,  8, CYCLES },
	{ "x86-64/family10",       "AMD64 family10",                     44, 35,  4, X86 },
	{ "ppc64/pa6t",            "ppc64 PA6T",                         45, -1,  6, CYCLES },
	{ "arm/mpcore",            "ARM 11MPCore",                       46, 36,  2, CPU_CYCLES },
	{ "arm/armv6",             "ARM V6 PMU",                         47, 37,  3, CPU_CYCLES },
	{ "ppc64/power5++",        "ppc64 POWER5++",                     48, 38,  6, CYCLES },
	{ "ppc/e300",              "e300",                               49, 39,  4, CPU_CLK },
	{ "avr32",                 "AVR32",                              50, -1,  3, CPU_CYCLES },
	{ "arm/armv7",             "ARM Cortex-A8",                      51, 40,  5, CPU_CYCLES },
	{ "i386/arch_perfmon",     "Intel Architectural Perfmon",        52, 41,  0, X86 },
	{ "x86-64/family11h",      "AMD64 family11h",                    53, 42,  4, X86 },
	{ "ppc64/power7",          "ppc64 POWER7",                       54, 43,  6, CYCLES },
	{ "ppc64/ibm-compat-v1",   "ppc64 compat version 1",             55, -1,  4, CYCLES },
	{ "i386/core_i7",          "Intel Core/i7",                      56, 44,  4, X86 },
	{ "i386/atom",             "Intel Atom",                         57, 45,  2, X86 },
	{ "mips/loongson2",        "Loongson2",                          58, 46,  2, X86 },
	{ "i386/nehalem",          "Intel Nehalem microarchitecture",    59, 47,  4, X86 },
	{ "arm/armv7-ca9",         "ARM Cortex-A9",                      60, 48,  7, CPU_CYCLES },
	{ "mips/74K",              "MIPS 74K",                           61, 49,  4,
	  EVENT(INSTRUCTIONS) },
	{ "mips/1004K",            "MIPS 1004K",                         62, 50,  2,
	  EVENT(INSTRUCTIONS) },
	{ "x86-64/family12h",      "AMD64 family12h",                    63, 51,  4, X86 },
	{ "x86-64/family14h",      "AMD64 family14h",                    64, 52,  4, X86 },
	{ "x86-64/family15h",      "AMD64 family15h",                    65, 53,  6, X86 },
	{ "i386/westmere",         "Intel Westmere microarchitecture",   66, 54,  4, X86 },
	{ "arm/armv7-scorpion",    "ARMv7 Scorpion",                     67, 55,  5, CPU_CYCLES },
	{ "arm/armv7-scorpionmp",  "ARMv7 ScorpionMP",                   68, 56,  5, CPU_CYCLES },
	{ "i386/sandybridge",      "Intel Sandy Bridge microarchitecture", 69, 57,  8, X86 },
	{ "tile/tile64",           "TILE64",                             70, 58,  2,
	  EVENT(ONE) },
	{ "tile/tilepro",          "TILEPro",                            71, 59,  4,
	  EVENT(ONE) },
	{ "tile/tilegx",           "TILE-GX",                            72, 60,  4,
	  EVENT(ONE) },
	{ "s390/z10",              "IBM System z10",                     73, 61,  1, S390 },
	{ "s390/z196",             "IBM zEnterprise z196",               74, 62,  1, S390 },
	{ "i386/ivybridge",        "Intel Ivy Bridge microarchitecture", 75, 63,  8, X86 },
	{ "arm/armv7-ca5",         "ARM Cortex-A5",                      76, 64,  3, CPU_CYCLES },
	{ "arm/armv7-ca7",         "ARM Cortex-A7",                      77, 65,  5, CPU_CYCLES },
	{ "arm/armv7-ca15",        "ARM Cortex-A15",                     78, 66,  7, CPU_CYCLES },
	{ "i386/haswell",          "Intel Haswell microarchitecture",    79, 67,  4, X86 },
	{ "s390/zEC12",            "IBM zEnterprise EC12",               80, 68,  1, S390 },
	{ "x86-64/generic",        "AMD64 generic",                      81, 69,  4, X86 },
	{ "ppc64/architected_events_v1", "IBM Power Architected Events V1",    82, 70,  6, CYCLES },
	{ "ppc64/power8",          "ppc64 POWER8",                       83, 71,  6, CYCLES },
	{ "ppc/e500mc",            "e500mc",                             -1, 72,  4, CPU_CLK },
	{ "ppc/e6500",             "e6500",                              -1, 73,  6, CPU_CLK },
	{ "i386/silvermont",       "Intel Silvermont microarchitecture", -1, 74,  2, X86 },
	{ "arm/armv7-krait",       "ARMv7 Krait",                        -1, 75,  5, CPU_CYCLES },
	{ "arm/armv8-xgene",       "APM X-Gene",                         -1, 76,  6, CPU_CYCLES },
	{ "i386/broadwell",        "Intel Broadwell microarchitecture",  -1, 77,  4, X86 },
	{ "arm/armv8-ca57",        "ARM Cortex-A57",                     -1, 78,  6, CPU_CYCLES },
	{ "arm/armv8-ca53",        "ARM Cortex-A53",                     -1, 79,  6, CPU_CYCLES },
	{ "i386/skylake",          "Intel Skylake microarchitecture",    -1, 80,  4, X86 },
	{ "i386/goldmont",         "Intel Goldmont microarchitecture",   -1, 81,  4, X86 },
	{ "i386/goldmontplus",     "Intel Goldmont Plus microarchitecture", -1, 82,  4, X86 },
	{ "s390/z13",              "IBM z13",                            -1, 83,  1, S390 },
	{ "arm/armv7-ca17",        "ARM Cortex-A17",                     -1, 84,  7, CPU_CYCLES },
	{ "ppc64/power9",          "ppc64 POWER9",                       -1, 85,  6, CYCLES },
	{ "i386/knightslanding",   "Intel Knights Landing",              -1, 86,  4, X86 },
	{ "arm/armv8-thunderx2",   "Cavium ThunderX2",                   -1, 87,  6, CPU_CYCLES },

	/* unknown to OProfile: see cpu_type_header_number() */
	{ "i386/cascadelake",      "Intel Cascade Lake",                 -1, -1,  8, NEW_INTEL },
	{ "i386/skylake-x",        "Intel Skylake server",               -1, -1,  8, NEW_INTEL },
	{ "i386/icelake",          "Intel Ice Lake",                     -1, -1,  8, NEW_INTEL },
	{ "i386/icelake-x",        "Intel Ice Lake server",              -1, -1,  8, NEW_INTEL },
	{ "i386/rocketlake",       "Intel Rocket Lake",                  -1, -1,  8, NEW_INTEL },
	{ "i386/tigerlake",        "Intel Tiger Lake",                   -1, -1,  8, NEW_INTEL },
	{ "i386/sapphirerapids",   "Intel Sapphire Rapids",              -1, -1,  8, NEW_INTEL },
	{ "i386/emeraldrapids",    "Intel Emerald Rapids",               -1, -1,  8, NEW_INTEL },
	{ "i386/graniterapids",    "Intel Granite Rapids",               -1, -1,  8, NEW_INTEL },
	{ "i386/sierraforest",     "Intel Sierra Forest",                -1, -1,  8, NEW_INTEL },
	{ "i386/grandridge",       "Intel Grand Ridge",                  -1, -1,  8, NEW_INTEL },
	{ "i386/alderlake-p",      "Intel Alder Lake, performance core", -1, -1,  8, NEW_INTEL },
	{ "i386/alderlake-e",      "Intel Alder Lake, efficient core",   -1, -1,  6, NEW_INTEL },
	{ "i386/meteorlake-p",     "Intel Meteor Lake, performance core", -1, -1,  8, NEW_INTEL },
	{ "i386/meteorlake-e",     "Intel Meteor Lake, efficient core",  -1, -1,  8, NEW_INTEL },
	{ "i386/arrowlake-p",      "Intel Arrow Lake, performance core", -1, -1, 10, NEW_INTEL },
	{ "i386/arrowlake-e",      "Intel Arrow Lake, efficient core",   -1, -1,  8, NEW_INTEL },
	{ "i386/lunarlake-p",      "Intel Lunar Lake, performance core", -1, -1, 10, NEW_INTEL },
	{ "i386/lunarlake-e",      "Intel Lunar Lake, efficient core",   -1, -1,  8, NEW_INTEL },
	{ "i386/tremont",          "Intel Tremont",                      -1, -1,  4, NEW_INTEL },
	{ "x86-64/family16h",      "AMD64 family16h",                    -1, -1,  4, NEW_AMD },
	{ "x86-64/zen1",           "AMD Zen 1",                          -1, -1,  6, NEW_AMD },
	{ "x86-64/zen2",           "AMD Zen 2",                          -1, -1,  6, NEW_AMD },
	{ "x86-64/zen3",           "AMD Zen 3",                          -1, -1,  6, NEW_AMD },
	{ "x86-64/zen4",           "AMD Zen 4",                          -1, -1,  6, NEW_AMD },
	{ "x86-64/zen5",           "AMD Zen 5",                          -1, -1,  6, NEW_AMD },
	{ "x86-64/zen6",           "AMD Zen 6",                          -1, -1,  6, NEW_AMD },
	{ "arm/armv8-pmuv3",       "ARMv8 PMUv3",                        -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca72",        "ARM Cortex-A72",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca73",        "ARM Cortex-A73",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca76",        "ARM Cortex-A76",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca78",        "ARM Cortex-A78",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca510",       "ARM Cortex-A510",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca710",       "ARM Cortex-A710",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca55",        "ARM Cortex-A55",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca35",        "ARM Cortex-A35",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca75",        "ARM Cortex-A75",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca77",        "ARM Cortex-A77",                     -1, -1,  6, NEW_ARM },
	{ "arm/armv8-x1",          "ARM Cortex-X1",                      -1, -1,  6, NEW_ARM },
	{ "arm/armv8-x2",          "ARM Cortex-X2",                      -1, -1,  6, NEW_ARM },
	{ "arm/armv8-neoverse-n1", "ARM Neoverse N1",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-neoverse-n2", "ARM Neoverse N2",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-neoverse-n3", "ARM Neoverse N3",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-neoverse-v1", "ARM Neoverse V1",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-neoverse-v2", "ARM Neoverse V2",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-neoverse-v3", "ARM Neoverse V3",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-a64fx",       "Fujitsu A64FX",                      -1, -1,  8, NEW_ARM },
	{ "arm/armv8-ampereone",   "Ampere AmpereOne",                   -1, -1,  6, NEW_ARM },
	{ "arm/armv8-hip08",       "HiSilicon Kunpeng 920",              -1, -1, 12, NEW_ARM },
	{ "arm/armv8-x3",          "ARM Cortex-X3",                      -1, -1,  6, NEW_ARM },
	{ "arm/armv8-x4",          "ARM Cortex-X4",                      -1, -1,  6, NEW_ARM },
	{ "i386/pantherlake-p",    "Intel Panther Lake, performance core", -1, -1, 10, NEW_INTEL },
	{ "i386/pantherlake-e",    "Intel Panther Lake, efficient core", -1, -1,  8, NEW_INTEL },
	{ "arm/armv8-ca520",       "ARM Cortex-A520",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca715",       "ARM Cortex-A715",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca720",       "ARM Cortex-A720",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-ca725",       "ARM Cortex-A725",                    -1, -1,  6, NEW_ARM },
	{ "arm/armv8-x925",        "ARM Cortex-X925",                    -1, -1,  6, NEW_ARM },
};

#define NR_CPU_TYPES (sizeof(cpu_types) / sizeof(cpu_types[0]))

const struct cpu_type *cpu_type_by_name(const char *name)
{
	for (size_t i = 0; i < NR_CPU_TYPES; i++)
		if (!strcmp(cpu_types[i].name, name))
			return &cpu_types[i];
	return NULL;
}

static int number_of(const struct cpu_type *type, uint32_t header_version)
{
	return header_version >= HEADER_VERSION_1X ? type->number_1x : type->number_099;
}

const struct cpu_type *cpu_type_by_number(uint32_t number, uint32_t header_version)
{
	for (size_t i = 0; i < NR_CPU_TYPES; i++) {
		int n = number_of(&cpu_types[i], header_version);

		if (n >= 0 && (uint32_t)n == number)
			return &cpu_types[i];
	}
	return NULL;
}

const struct cpu_type *cpu_type_at(size_t i)
{
	return i < NR_CPU_TYPES ? &cpu_types[i] : NULL;
}

int cpu_type_header_number(const struct cpu_type *type, uint32_t header_version)
{
	int n = number_of(type, header_version);

	if (n < 0 && type->stand_in)
		n = number_of(cpu_type_by_name(type->stand_in), header_version);
	return n;
}
