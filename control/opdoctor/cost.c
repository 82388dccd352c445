// SPDX-License-Identifier: GPL-2.0-or-later
/* cost.c - the clock, and what a sample costs here */
#include "control/opdoctor/probes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/plan/plan.h"
#include "libutil/clock.h"
#include "libutil/cpu_clock.h"

#define CLOCK_SOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define COUNT		100000		/* the default of CPU_CLK_UNHALTED */

/* Those that are read outside the CPU: each sample reads the clock. */
static bool is_slow(const char *source)
{
	return !strcmp(source, "hpet") || !strcmp(source, "acpi_pm") || !strcmp(source, "jiffies");
}

static void probe_clock(const struct machine *m, struct findings *f)
{
	char *source = machine_line(m, CLOCK_SOURCE);
	uint64_t khz = cpu_clock_khz();

	if (source && is_slow(source)) {
		finding_add(f, VERDICT_POOR, "clock", "the kernel reads the time from '%s', which "
			    "is slow: each sample costs more", source);
		finding_advise(f, "see dmesg for why the kernel does not trust the CPU's own clock "
			       "(x86: tsc)");
	} else {
		finding_add(f, VERDICT_OK, "clock", "%s%snominal CPU clock %" PRIu64 " MHz: "
			    "CPU_CLK_UNHALTED:%d by time is a sample every %.1f us",
			    source ? source : "", source ? ", " : "", khz / 1000, COUNT,
			    (double)COUNT * 1000 / (double)khz);
	}
	free(source);
}

static void add_cost(const struct machine *m, struct findings *f, const char *name, bool stacks)
{
	uint64_t ns, period;
	int err = m->host.sample_cost(stacks, false, &ns);

	if (err) {
		finding_add(f, VERDICT_NOTE, name, "not measured: %s", strerror(-err));
		return;
	}
	period = bounded_period(1, ns, MAX_COST_DEFAULT, 0);
	finding_add(f, VERDICT_OK, name, "%.1f us%s: opcontrol samples up to %" PRIu64 " times a "
		    "second on each CPU for at most %g %% of it", (double)ns / 1000,
		    stacks ? " with its call stack" : "", NS_PER_SECOND / (period ? period : 1),
		    MAX_COST_DEFAULT);
}

void probe_cost(const struct machine *m, struct findings *f)
{
	findings_begin(f, "time");
	probe_clock(m, f);
	add_cost(m, f, "cost of a sample", false);
	add_cost(m, f, "with a stack", true);
}
