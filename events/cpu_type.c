/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_type.c - the table of CPU types
 *
 * Numbers are those that OProfile 0.9.8/0.9.9 (header version 0x12) and 1.x (0x13) write into
 * sample files. They are part of the file format: never renumber.
 */
#include "cpu_type.h"

#include <string.h>

#define HEADER_VERSION_1X 0x13	/* sample_header.h has it for those who may use libdb */

static const struct cpu_type cpu_types[] = {
	/* name, pretty name, number in 0.9.9, number in 1.x, counters */
	{ "i386/ppro",                  "Pentium Pro",                             0,  0,  2 },
	{ "i386/pii",                   "PII",                                     1,  1,  2 },
	{ "i386/piii",                  "PIII",                                    2,  2,  2 },
	{ "i386/athlon",                "Athlon",                                  3,  3,  4 },
	{ "timer",                      "CPU with timer interrupt",                4,  4,  1 },
	{ "rtc",                        "CPU with RTC device",                     5, -1,  1 },
	{ "i386/p4",                    "P4 / Xeon",                               6,  5,  8 },
	{ "ia64/ia64",                  "IA64",                                    7, -1,  4 },
	{ "ia64/itanium",               "Itanium",                                 8, -1,  4 },
	{ "ia64/itanium2",              "Itanium 2",                               9, -1,  4 },
	{ "x86-64/hammer",              "AMD64 processors",                       10,  6,  4 },
	{ "i386/p4-ht",                 "P4 / Xeon with 2 hyper-threads",         11,  7,  4 },
	{ "alpha/ev4",                  "Alpha EV4",                              12, -1,  2 },
	{ "alpha/ev5",                  "Alpha EV5",                              13, -1,  3 },
	{ "alpha/pca56",                "Alpha PCA56",                            14, -1,  3 },
	{ "alpha/ev6",                  "Alpha EV6",                              15, -1,  2 },
	{ "alpha/ev67",                 "Alpha EV67",                             16,  8, 20 },
	{ "i386/p6_mobile",             "Pentium M (P6 core)",                    17,  9,  2 },
	{ "arm/xscale1",                "ARM/XScale PMU1",                        18, 10,  3 },
	{ "arm/xscale2",                "ARM/XScale PMU2",                        19, 11,  5 },
	{ "ppc64/power4",               "ppc64 POWER4",                           20, 12,  8 },
	{ "ppc64/power5",               "ppc64 POWER5",                           21, 13,  6 },
	{ "ppc64/power5+",              "ppc64 POWER5+",                          22, 14,  6 },
	{ "ppc64/970",                  "ppc64 970",                              23, 15,  8 },
	{ "mips/20K",                   "MIPS 20K",                               24, 16,  1 },
	{ "mips/24K",                   "MIPS 24K",                               25, 17,  2 },
	{ "mips/25K",                   "MIPS 25K",                               26, 18,  2 },
	{ "mips/34K",                   "MIPS 34K",                               27, 19,  2 },
	{ "mips/5K",                    "MIPS 5K",                                28, 20,  2 },
	{ "mips/r10000",                "MIPS R10000",                            29, 21,  2 },
	{ "mips/r12000",                "MIPS R12000",                            30, 22,  4 },
	{ "mips/rm7000",                "QED RM7000",                             31, 23,  1 },
	{ "mips/rm9000",                "PMC-Sierra RM9000",                      32, 24,  2 },
	{ "mips/sb1",                   "Sibyte SB1",                             33, 25,  4 },
	{ "mips/vr5432",                "NEC VR5432",                             34, 26,  2 },
	{ "mips/vr5500",                "NEC VR5500",                             35, 27,  2 },
	{ "ppc/e500",                   "e500",                                   36, 28,  4 },
	{ "ppc/e500v2",                 "e500v2",                                 37, 29,  4 },
	{ "i386/core",                  "Core Solo / Duo",                        38, 30,  2 },
	{ "ppc/7450",                   "PowerPC G4",                             39, 31,  6 },
	{ "i386/core_2",                "Core 2",                                 40, 32,  2 },
	{ "ppc64/power6",               "ppc64 POWER6",                           41, 33,  4 },
	{ "ppc64/970MP",                "ppc64 970MP",                            42, 34,  8 },
	{ "ppc64/cell-be",              "ppc64 Cell Broadband Engine",            43, -1,  8 },
	{ "x86-64/family10",            "AMD64 family10",                         44, 35,  4 },
	{ "ppc64/pa6t",                 "ppc64 PA6T",                             45, -1,  6 },
	{ "arm/mpcore",                 "ARM 11MPCore",                           46, 36,  2 },
	{ "arm/armv6",                  "ARM V6 PMU",                             47, 37,  3 },
	{ "ppc64/power5++",             "ppc64 POWER5++",                         48, 38,  6 },
	{ "ppc/e300",                   "e300",                                   49, 39,  4 },
	{ "avr32",                      "AVR32",                                  50, -1,  3 },
	{ "arm/armv7",                  "ARM Cortex-A8",                          51, 40,  5 },
	{ "i386/arch_perfmon",          "Intel Architectural Perfmon",            52, 41,  0 },
	{ "x86-64/family11h",           "AMD64 family11h",                        53, 42,  4 },
	{ "ppc64/power7",               "ppc64 POWER7",                           54, 43,  6 },
	{ "ppc64/ibm-compat-v1",        "ppc64 compat version 1",                 55, -1,  4 },
	{ "i386/core_i7",               "Intel Core/i7",                          56, 44,  4 },
	{ "i386/atom",                  "Intel Atom",                             57, 45,  2 },
	{ "mips/loongson2",             "Loongson2",                              58, 46,  2 },
	{ "i386/nehalem",               "Intel Nehalem microarchitecture",        59, 47,  4 },
	{ "arm/armv7-ca9",              "ARM Cortex-A9",                          60, 48,  7 },
	{ "mips/74K",                   "MIPS 74K",                               61, 49,  4 },
	{ "mips/1004K",                 "MIPS 1004K",                             62, 50,  2 },
	{ "x86-64/family12h",           "AMD64 family12h",                        63, 51,  4 },
	{ "x86-64/family14h",           "AMD64 family14h",                        64, 52,  4 },
	{ "x86-64/family15h",           "AMD64 family15h",                        65, 53,  6 },
	{ "i386/westmere",              "Intel Westmere microarchitecture",       66, 54,  4 },
	{ "arm/armv7-scorpion",         "ARMv7 Scorpion",                         67, 55,  5 },
	{ "arm/armv7-scorpionmp",       "ARMv7 ScorpionMP",                       68, 56,  5 },
	{ "i386/sandybridge",           "Intel Sandy Bridge microarchitecture",   69, 57,  8 },
	{ "tile/tile64",                "TILE64",                                 70, 58,  2 },
	{ "tile/tilepro",               "TILEPro",                                71, 59,  4 },
	{ "tile/tilegx",                "TILE-GX",                                72, 60,  4 },
	{ "s390/z10",                   "IBM System z10",                         73, 61,  1 },
	{ "s390/z196",                  "IBM zEnterprise z196",                   74, 62,  1 },
	{ "i386/ivybridge",             "Intel Ivy Bridge microarchitecture",     75, 63,  8 },
	{ "arm/armv7-ca5",              "ARM Cortex-A5",                          76, 64,  3 },
	{ "arm/armv7-ca7",              "ARM Cortex-A7",                          77, 65,  5 },
	{ "arm/armv7-ca15",             "ARM Cortex-A15",                         78, 66,  7 },
	{ "i386/haswell",               "Intel Haswell microarchitecture",        79, 67,  4 },
	{ "s390/zEC12",                 "IBM zEnterprise EC12",                   80, 68,  1 },
	{ "x86-64/generic",             "AMD64 generic",                          81, 69,  4 },
	{ "ppc64/architected_events_v1","IBM Power Architected Events V1",        82, 70,  6 },
	{ "ppc64/power8",               "ppc64 POWER8",                           83, 71,  6 },
	{ "ppc/e500mc",                 "e500mc",                                 -1, 72,  4 },
	{ "ppc/e6500",                  "e6500",                                  -1, 73,  6 },
	{ "i386/silvermont",            "Intel Silvermont microarchitecture",     -1, 74,  2 },
	{ "arm/armv7-krait",            "ARMv7 Krait",                            -1, 75,  5 },
	{ "arm/armv8-xgene",            "APM X-Gene",                             -1, 76,  6 },
	{ "i386/broadwell",             "Intel Broadwell microarchitecture",      -1, 77,  4 },
	{ "arm/armv8-ca57",             "ARM Cortex-A57",                         -1, 78,  6 },
	{ "arm/armv8-ca53",             "ARM Cortex-A53",                         -1, 79,  6 },
	{ "i386/skylake",               "Intel Skylake microarchitecture",        -1, 80,  4 },
	{ "i386/goldmont",              "Intel Goldmont microarchitecture",       -1, 81,  4 },
	{ "i386/goldmontplus",          "Intel Goldmont Plus microarchitecture",  -1, 82,  4 },
	{ "s390/z13",                   "IBM z13",                                -1, 83,  1 },
	{ "arm/armv7-ca17",             "ARM Cortex-A17",                         -1, 84,  7 },
	{ "ppc64/power9",               "ppc64 POWER9",                           -1, 85,  6 },
	{ "i386/knightslanding",        "Intel Knights Landing",                  -1, 86,  4 },
	{ "arm/armv8-thunderx2",        "Cavium ThunderX2",                       -1, 87,  6 },
};

#define NR_CPU_TYPES (sizeof(cpu_types) / sizeof(cpu_types[0]))

const struct cpu_type *cpu_type_by_name(const char *name)
{
	for (size_t i = 0; i < NR_CPU_TYPES; i++)
		if (!strcmp(cpu_types[i].name, name))
			return &cpu_types[i];
	return NULL;
}

const struct cpu_type *cpu_type_by_number(uint32_t number, uint32_t header_version)
{
	for (size_t i = 0; i < NR_CPU_TYPES; i++) {
		const struct cpu_type *t = &cpu_types[i];
		int n = header_version >= HEADER_VERSION_1X ? t->number_1x : t->number_099;

		if (n >= 0 && (uint32_t)n == number)
			return t;
	}
	return NULL;
}
