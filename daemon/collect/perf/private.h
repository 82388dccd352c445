/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - what collector.c and answers.c share */
#ifndef DAEMON_COLLECT_PERF_PRIVATE_H
#define DAEMON_COLLECT_PERF_PRIVATE_H

#include "daemon/collect/collector.h"
#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/callers.h"
#include "daemon/collect/perf/cgroups.h"
#include "daemon/collect/perf/comms.h"
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/emit.h"
#include "daemon/collect/perf/modules.h"
#include "daemon/collect/perf/order.h"
#include "daemon/collect/perf/process.h"
#include "daemon/collect/perf/rings.h"
#include "daemon/collect/perf/targets.h"
#include "libutil/list.h"

struct perf_collector {
	struct collector collector;
	int epoll_fd, timer_fd;
	uint64_t reread_at, modules_at;
	struct perf_order *order;
	struct perf_cookies *cookies;
	struct perf_cgroups *cgroups;		/* NULL: not told */
	struct perf_comms *comms;		/* the same */
	struct perf_processes processes;
	struct perf_modules modules;
	struct perf_attribute attribute;
	struct perf_callers callers;
	struct perf_emit emit;
	struct perf_cpu_state states[COUNTS_MAX_CPUS];
	bool by_time;
	char cpu_type[48];
	struct perf_counter *counters;		/* the setup's of @rings */
	const struct collector_targets *wanted;	/* NULL: the whole machine */
	struct perf_targets targets;
	struct perf_rings rings;
};

static inline struct perf_collector *perf_collector_of(struct collector *c)
{
	return container_of(c, struct perf_collector, collector);
}

/* Slots of struct collector. */
int perf_cookie_path(struct collector *c, op_word cookie, char **ret_path);
int perf_cookie_fd(struct collector *c, op_word cookie);
int perf_cookie_build_id(struct collector *c, op_word cookie, unsigned char *id, size_t *len);
int perf_cgroup_path(struct collector *c, uint64_t id, char **ret_path);
int perf_counts(struct collector *c, struct session_counts *counts);
int perf_event_times(struct collector *c, unsigned int counter, uint64_t *ret_enabled_ns,
		     uint64_t *ret_running_ns);
uint64_t perf_throttled(struct collector *c, unsigned int counter);
void perf_status(struct collector *c, struct collector_status *ret);

#endif
