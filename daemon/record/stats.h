/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - what became of every sample, per CPU, and the statistics block of the log
 *
 * The collector counts what was received and what it lost itself; the daemon counts what it
 * recorded, left out on request, or lost. Their sum is the truth about a session:
 * received = recorded + filtered + lost, and while it runs also + those still under way.
 */
#ifndef DAEMON_RECORD_STATS_H
#define DAEMON_RECORD_STATS_H

#include "daemon/collect/collector.h"
#include "daemon/record/trans.h"
#include "libdb/session/session.h"
#include "libutil/strbuf.h"

struct stats {
	uint64_t dumps;			/* drains that brought words */
	uint64_t samples;		/* leaf samples seen by the daemon */
	uint64_t kernel_samples;
	uint64_t stacks_left_out;	/* stacks of samples that were lost or filtered out */

	/* Of the daemon alone since it started; .received stays 0. COUNTS_MAX_CPUS of them. */
	struct cpu_counts *cpu;
	unsigned int nr_cpus;		/* highest one seen, plus one */
};

void stats_init(struct stats *s);
void stats_free(struct stats *s);

/* The counters of @cpu; numbers beyond the last are its last one's. Stays valid. */
static inline struct cpu_counts *stats_cpu(struct stats *s, uint32_t cpu)
{
	if (cpu >= COUNTS_MAX_CPUS)
		cpu = COUNTS_MAX_CPUS - 1;
	if (cpu >= s->nr_cpus)
		s->nr_cpus = cpu + 1;
	return &s->cpu[cpu];
}

static inline void stats_lost(struct stats *s, uint32_t cpu, enum loss_reason reason, uint64_t nr)
{
	stats_cpu(s, cpu)->lost[reason] += nr;
}

/* Stacks that broke off, rather than being complete or cut at the depth asked for. */
uint64_t stats_stacks_aborted(const struct cpu_counts *c);

/*
 * @ret gets what the collector and the daemon counted since they started, added up; free with
 * session_counts_free(). What the collector could not tell is 0.
 */
void stats_collect(const struct stats *s, struct collector *collector, struct session_counts *ret);

/* Append the statistics block (OProfile's labels) for the session's @counts. */
void stats_format(const struct stats *s, const struct trans_stats *words,
		  const struct session_counts *counts, struct strbuf *out);

/* Files by the module's names below @stats_dir, where OProfile's opreport looks for overflows. */
int stats_write_copies(const char *stats_dir, const struct session_counts *counts);

#endif
