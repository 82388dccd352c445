// SPDX-License-Identifier: GPL-2.0-or-later
/* end.c - write statistics and throttled events, and warn about lost samples */
#include "operf/end.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/machine/rights.h"
#include "control/opcontrol/status.h"
#include "daemon/collect/perf/copy_size.h"
#include "daemon/priority.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/message.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "oprofilefs/op_abi.h"

#define TRUNCATED_SHARE	100	/* warn if one in so many stacks is truncated [OF-34] */

static uint64_t sum_lost(const struct cpu_counts *c)
{
	uint64_t sum = 0;

	for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
		sum += c->lost[reason];
	return sum;
}

/* OProfile's labels, in its order. */
static void log_statistics(const struct operf_end *end, const struct cpu_counts *c)
{
	const struct stats *s = recorder_stats(end->recorder);
	const uint64_t *lost = c->lost;
	const struct {
		const char *label;
		uint64_t value;
	} lines[] = {
		{ "Nr. non-backtrace samples", s->samples },
		{ "Nr. kernel samples", s->kernel_samples },
		{ "Nr. user space samples", s->samples - s->kernel_samples },
		{ "Nr. samples lost due to sample address not in expected range for domain",
		  lost[LOST_INVALID_PC] },
		{ "Nr. lost kernel samples", lost[LOST_KERNEL_RANGE] },
		{ "Nr. samples lost due to sample file open failure", lost[LOST_SAMPLE_FILE] },
		{ "Nr. samples lost due to no permanent mapping",
		  lost[LOST_NO_MAPPING] + lost[LOST_STALE_MAPPINGS] },
		{ "Nr. user context kernel samples lost due to no app info available",
		  lost[LOST_NO_APP] },
		{ "Nr. user samples lost due to no app info available",
		  lost[LOST_NO_MM] + lost[LOST_UNKNOWN_IMAGE] },
		{ "Nr. backtraces skipped due to no file mapping",
		  c->stacks_lost + s->stacks_left_out },
		{ "Nr. hypervisor samples dropped due to address out-of-range",
		  lost[LOST_NO_MODE] },
		{ "Nr. samples lost reported by perf_events kernel", lost[LOST_RING] },
	};
	struct strbuf text = STRBUF_INIT;

	strbuf_add(&text, "\n-- OProfile/operf Statistics --\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		strbuf_addf(&text, "%s: %" PRIu64 "\n", lines[i].label, lines[i].value);
	log_text(text.text);
	strbuf_free(&text);
}

/* ---- throttled ---- */

static void write_throttled(const struct operf_end *end, const char *event, uint64_t nr)
{
	char *dir = session_stats_path(end->session_dir, SESSION_CURRENT, "throttled");
	char *path = path_join(dir, event), text[32];
	uint64_t before;
	int err;

	if (file_read_u64(path, &before))
		before = 0;
	snprintf(text, sizeof(text), "%" PRIu64 "\n", nr + before);
	err = file_make_dirs(dir, 0755);
	if (!err)
		err = file_write_atomic(path, text, strlen(text), 0644);
	if (err)
		report_warning("cannot write '%s': %s", path, strerror(-err));
	free(path);
	free(dir);
}

static void warn_throttled(const struct operf_end *end)
{
	if (!end->collector->throttled)
		return;
	for (unsigned int i = 0; i < end->plan->nr; i++) {
		const struct sfile_event *event = recorder_event(end->recorder, i);
		uint64_t nr = event ? end->collector->throttled(end->collector, i) : 0;

		if (!nr)
			continue;
		write_throttled(end, event->name, nr);
		report_warning("the kernel throttled event '%s' %" PRIu64 " times, so its samples "
			       "are not evenly spread; use a larger count", event->name, nr);
	}
}

/* ---- lost samples, or no samples ---- */

static void warn_lost(const struct operf_end *end, const struct cpu_counts *c)
{
	const char *advice = losses_advice(c->lost, c->received);
	struct collector_status status = { .copy_bytes = 0 };
	uint64_t lost = sum_lost(c);
	char why[80] = "";
	int most = 0;

	if (lost * LOSS_SHARE <= c->received)	/* [OF-32] */
		return;
	for (int reason = 1; reason < NR_LOSS_REASONS; reason++)
		if (c->lost[reason] > c->lost[most])
			most = reason;
	if (most == LOST_RING) {
		end->collector->status(end->collector, &status);
		format_lateness(status.wait_longest_ns, status.queues_full,
				priority_seconds_capped(), why, sizeof(why));
	}
	report_warning("lost %" PRIu64 " of %" PRIu64 " samples (%.2f %%), most of them because "
		       "%s%s; %s%ssee '%s'", lost, c->received,
		       100.0 * (double)lost / (double)c->received,
		       *why ? "operf " : loss_text(most), why, advice ? advice : "",
		       advice ? "; " : "", end->log);
}

/* Stacks truncated at the end of the copied stack memory, and what would copy more [OF-34]. */
static void warn_truncated(const struct operf_end *end, const struct cpu_counts *c)
{
	struct collector_status status = { .copy_bytes = 0 };
	uint64_t truncated = c->stacks[OP_STACK_SHORT_COPY], all = 0;
	const char *advice = "; use a larger count";

	for (int i = 0; i < COUNTS_STACK_ENDS; i++)
		all += c->stacks[i];
	if (truncated * TRUNCATED_SHARE <= all)
		return;
	end->collector->status(end->collector, &status);
	if (status.copy_bytes >= PERF_COPY_BYTES_MAX)
		advice = " at most";
	else if (rights_ring_bytes())
		advice = "; raise the limit of locked memory (ulimit -l, "
			 "kernel.perf_event_mlock_kb) or use a larger count";
	report_warning("%.1f %% of the call stacks lack their outermost callers: %" PRIu32
		       " bytes of each stack were copied%s",
		       100.0 * (double)truncated / (double)all, status.copy_bytes, advice);
}

static double milliseconds(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e3 +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e3;
}

static void warn_no_samples(const struct operf_end *end)
{
	double used = end->usage ? milliseconds(end->usage) : 0;
	const char *advice = cost_bound_applies(&end->plan->bound) ? "use --exact-count" :
								     "use a smaller count";

	if (!end->command)
		report_warning("no samples: the profiled processes were idle, or the count is too "
			       "large");
	else if (end->period_ns && used * 1e6 < 3.0 * (double)end->period_ns)
		report_warning("no samples: '%s' ended after %.1f ms of CPU time, with a sample "
			       "every %.3f ms; %s", end->command, used,
			       (double)end->period_ns / 1e6, advice);
	else if (used < 10)
		report_warning("no samples: '%s' ended after %.1f ms of CPU time; %s",
			       end->command, used, advice);
	else
		report_warning("no samples: '%s' used %.0f ms of CPU time, but the event was too "
			       "rare, or the program is privileged and only root may profile it",
			       end->command, used);
}

void operf_end_report(const struct operf_end *end)
{
	struct session_counts counts;
	struct cpu_counts total;
	const char *trouble = recorder_trouble(end->recorder);

	recorder_counts(end->recorder, &counts);
	session_counts_total(&counts, &total);
	free(counts.cpu);
	log_statistics(end, &total);
	warn_throttled(end);
	if (!total.received)
		warn_no_samples(end);
	warn_lost(end, &total);
	warn_truncated(end, &total);
	if (*trouble)
		report_warning("%s", trouble);
}
