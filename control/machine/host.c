// SPDX-License-Identifier: GPL-2.0-or-later
/* host.c - the real machine */
#include "control/machine/host.h"
#include "control/machine/rights.h"
#include "daemon/collect/perf/sample_cost.h"
#include "libdb/session/session.h"

void host_init(struct host *h)
{
	*h = (struct host){
		.root = "",
		.try_cycles = rights_try_cycles,
		.sample_cost = perf_sample_cost,
		.load = driver_ready,
		.reload = driver_reload,
		.watchdog = "/proc/sys/kernel/nmi_watchdog",
		.watchdog_kept = SESSION_RUN_DIR "/nmi_watchdog",
	};
	driver_init(&h->driver);
}

void host_free(struct host *h)
{
	driver_free(&h->driver);
}
