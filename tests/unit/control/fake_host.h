/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_host.h - a fake machine below tmpdir: CPUs, a module with its files, an NMI watchdog
 *
 * Like the real module, the fake one tests the watchdog when it is loaded.
 */
#ifndef TESTS_UNIT_CONTROL_FAKE_HOST_H
#define TESTS_UNIT_CONTROL_FAKE_HOST_H

#include <errno.h>
#include <stdarg.h>
#include "control/machine/collector_choice.h"
#include "control/machine/host.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

/* The fake module; fake_host() resets it. */
static struct {
	int load_err;			/* != 0: no module */
	const char *best;		/* the model that it chooses with "auto" */
	bool watchdog_blocks;		/* that model */
	unsigned int nr_counters, nr_sets;
	const char *cpu_type;
	int reload_err;
	int cycles;			/* rights_try_cycles() */
	int loads;
	char loaded[32];
} fake;

__attribute__((format(printf, 2, 3)))
static inline void put(const char *name, const char *format, ...)
{
	char *path = xstrdup(tmpdir_path(name)), text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	CHECK(!file_make_parent_dirs(path, 0755) &&
	      !file_write_atomic(path, text, strlen(text), 0644), "%s", path);
	free(path);
}

static inline bool fake_watchdog_is_on(void)
{
	uint64_t value = 0;

	return !file_read_u64(tmpdir_path("nmi_watchdog"), &value) && value;
}

static inline void put_counters(unsigned int nr, const char *cpu_type)
{
	char name[32];

	put("fs/nr_counters", "%u\n", nr);
	put("fs/cpu_type", "%s", cpu_type);
	file_remove_tree(tmpdir_path("fs/0"));
	for (unsigned int n = 0; n < nr * fake.nr_sets; n++) {
		snprintf(name, sizeof(name), "fs/%u/event", n);
		put(name, "0\n");
	}
}

/* Load the fake module: probe the machine and write the files. */
static inline void probe(const char *model)
{
	bool blocked = fake.watchdog_blocks && fake_watchdog_is_on();
	bool forced = *model && strcmp(model, "auto");
	const char *best = forced ? model : fake.best;

	fake.loads++;
	snprintf(fake.loaded, sizeof(fake.loaded), "%s", *model ? model : "auto");
	put("parameter", "%s\n", fake.loaded);
	if (forced && strcmp(model, fake.best) && strcmp(model, "timer"))
		put("fs/models", "%s: chosen, impossible: the CPU is another\ntimer: possible\n",
		    model);
	else if (!strcmp(best, "timer"))
		put("fs/models", "intel: impossible: no counters\ntimer: chosen\n");
	else if (blocked && forced)
		put("fs/models", "%s: chosen, impossible: perf has the counters, perhaps\n", best);
	else if (blocked)
		put("fs/models", "%s: impossible: perf has the counters, perhaps\nperf: chosen\n",
		    best);
	else
		put("fs/models", "%s: chosen\nperf: possible\ntimer: possible\n", best);
	put_counters(strcmp(best, "timer") ? fake.nr_counters : 0,
		     strcmp(best, "timer") ? fake.cpu_type : "timer");
}

static inline int fake_load(const struct driver *d, const char *model, struct op_error *e)
{
	(void)d;
	if (fake.load_err)
		return op_error_set(e, fake.load_err, "module not found");
	if (!fake.loads || (*model && strcmp(model, fake.loaded)))
		probe(model);
	return 0;
}

static inline int fake_reload(const struct driver *d, struct op_error *e)
{
	char same[sizeof(fake.loaded)];

	(void)d;
	if (fake.reload_err)
		return op_error_set(e, fake.reload_err, "it is in use");
	strcpy(same, fake.loaded);
	probe(same);
	return 0;
}

static inline int fake_cycles(void) { return fake.cycles; }

/* One Skylake with @pmus ("cpu", or "cpu_core cpu_atom" for an Alder Lake); "": no PMU. */
static inline void put_cpus(int model, const char *pmus)
{
	char *copy = xstrdup(pmus), *rest = copy, *pmu, name[100];
	int first = 0;

	put("root/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
	    "model\t\t: %d\nstepping\t: 3\n\n", model);
	while ((pmu = strsep(&rest, " ")))
		if (*pmu) {
			snprintf(name, sizeof(name), "root/sys/bus/event_source/devices/%s/cpus",
				 pmu);
			put(name, "%d-%d\n", first, first + 3);
			first += 4;
		}
	free(copy);
}

#define SKYLAKE		0x5e
#define ALDER_LAKE	0x97

/* With model intel, four general and three fixed counters. */
static inline struct host fake_host(void)
{
	struct host h;

	tmpdir_make();
	memset(&fake, 0, sizeof(fake));
	fake.best = "intel";
	fake.nr_counters = 7;
	fake.nr_sets = 4;
	fake.cpu_type = "i386/arch_perfmon";
	host_init(&h);
	h.driver.mount_point = xstrdup(tmpdir_path("fs"));
	h.driver.parameter = xstrdup(tmpdir_path("parameter"));
	h.root = xstrdup(tmpdir_path("root"));
	h.watchdog = xstrdup(tmpdir_path("nmi_watchdog"));
	h.watchdog_kept = xstrdup(tmpdir_path("run/kept"));
	h.try_cycles = fake_cycles;
	h.load = fake_load;
	h.reload = fake_reload;
	put_cpus(SKYLAKE, "cpu");
	put("nmi_watchdog", "1\n");
	return h;
}

static inline void fake_host_free(struct host *h)
{
	free((char *)h->driver.mount_point);
	free((char *)h->driver.parameter);
	free((char *)h->root);
	free((char *)h->watchdog);
	free((char *)h->watchdog_kept);
	host_free(h);
	tmpdir_remove();
}

#endif
