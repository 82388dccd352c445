// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pfm-dump.c - print libpfm4's tables as text, for events/gen/generate
 *
 *	cc pfm-dump.c -o pfm-dump -lpfm && ./pfm-dump [PMU...]	(default: every core PMU)
 *
 * A line for each event and unit mask, fields separated by tabs:
 *	PMU  EVENT  MASK  CONFIG  MASK-BITS  FLAGS
 * CONFIG is the raw code for perf_event_open(2), hex; "-" if libpfm4 has none.
 * MASK is "-" for an event without masks. FLAGS: "d" the default mask, "m" needs a further MSR.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

/* CONFIG of @name, "pmu::EVENT:MASK". False: libpfm4 cannot encode it. */
static bool encode(const char *name, uint64_t *ret_config, bool *ret_more)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};

	if (pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg))
		return false;
	*ret_config = attr.config;
	*ret_more = attr.config1 || attr.config2;
	return true;
}

static void print_line(const char *pmu, const char *event, const pfm_event_attr_info_t *mask)
{
	char name[512];
	uint64_t config;
	bool more = false;

	snprintf(name, sizeof(name), "%s::%s%s%s", pmu, event, mask ? ":" : "",
		 mask ? mask->name : "");
	printf("%s\t%s\t%s\t", pmu, event, mask ? mask->name : "-");
	if (encode(name, &config, &more))
		printf("0x%" PRIx64, config);
	else
		printf("-");
	printf("\t0x%" PRIx64 "\t%s%s\n", mask ? (uint64_t)mask->code : 0,
	       mask && mask->is_dfl ? "d" : "", more ? "m" : "");
}

static void dump_event(const char *pmu, int index)
{
	pfm_event_info_t info = {.size = sizeof(info)};
	int nr_masks = 0;

	if (pfm_get_event_info(index, PFM_OS_NONE, &info))
		return;
	for (int i = 0; i < info.nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};

		if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &mask) ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		print_line(pmu, info.name, &mask);
		nr_masks++;
	}
	if (!nr_masks)
		print_line(pmu, info.name, NULL);
}

static bool is_wanted(const pfm_pmu_info_t *pmu, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], pmu->name))
			return true;
	return argc == 1 && pmu->type == PFM_PMU_TYPE_CORE;
}

int main(int argc, char **argv)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS) {
		fprintf(stderr, "pfm-dump: cannot initialize libpfm4\n");
		return 1;
	}
	for (int p = PFM_PMU_NONE; p < PFM_PMU_MAX; p++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		if (pfm_get_pmu_info(p, &pmu) || !is_wanted(&pmu, argc, argv))
			continue;
		for (int i = pmu.first_event; i >= 0; i = pfm_get_event_next(i))
			dump_event(pmu.name, i);
	}
	return 0;
}
