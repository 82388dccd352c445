/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - what became of every sample, per CPU, and the statistics block of the log
 *
 * The collector counts what was received and what it lost; the daemon counts what it recorded,
 * filtered out on request, or lost. The sums of a session satisfy
 * received = recorded + filtered + idle + lost, + those under way while sampling runs.
 */
#ifndef DAEMON_RECORD_STATS_H
#define DAEMON_RECORD_STATS_H

#include "daemon/collect/collector.h"
#include "daemon/record/trans.h"
#include "libdb/session/session.h"
#include "libutil/strbuf.h"

struct stats {
	uint64_t dumps;			/* drains with words */
	uint64_t samples;		/* that the daemon decoded, without callers */
	uint64_t kernel_samples;
	uint64_t unfiled[NR_LOSS_REASONS];	/* lost because a sample file had no room */
	uint64_t stacks_left_out;	/* stacks of samples that were lost or filtered out */

	/* Of the daemon only, since it started; .received stays 0. COUNTS_MAX_CPUS of them. */
	struct cpu_counts *cpu;
	unsigned int nr_cpus;		/* highest number seen, plus one */
};

void stats_init(struct stats *s);
void stats_free(struct stats *s);

/* The counts of @cpu; a number that is too high means the last CPU. Stays valid. */
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

/* Stacks that are incomplete, except those cut at the requested depth. */
uint64_t stats_stacks_aborted(const struct cpu_counts *c);

/*
 * Set @ret to the sums of what the collector and the daemon counted since they started; free it
 * with session_counts_free(). What the collector does not know is 0.
 */
void stats_collect(const struct stats *s, struct collector *collector, struct session_counts *ret);

/* Append the statistics block (OProfile's labels) for the session's @counts. */
void stats_format(const struct stats *s, const struct trans_stats *words,
		  const struct session_counts *counts, struct strbuf *out);

/* Write files with the module's names to @stats_dir, in which OProfile's opreport finds losses. */
int stats_write_copies(const char *stats_dir, const struct session_counts *counts);

#endif
