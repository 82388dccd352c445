// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats.c - add up what was received, recorded and lost, and format it
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/stats.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

void stats_init(struct stats *s)
{
	memset(s, 0, sizeof(*s));
	s->cpu = xcalloc(COUNTS_MAX_CPUS, sizeof(*s->cpu));
}

void stats_free(struct stats *s)
{
	free(s->cpu);
	memset(s, 0, sizeof(*s));
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void stats_collect(const struct stats *s, struct collector *collector, struct session_counts *ret)
{
	struct session_counts own = { .nr_cpus = s->nr_cpus, .cpu = s->cpu };

	memset(ret, 0, sizeof(*ret));
	if (collector->counts(collector, ret))
		session_counts_free(ret);
	session_counts_add(ret, &own);
}

static void line(struct strbuf *out, const char *label, uint64_t value)
{
	strbuf_addf(out, "%s %" PRIu64 "\n", label, value);
}

static void format_cpu(struct strbuf *out, unsigned int cpu, const struct cpu_counts *c)
{
	strbuf_addf(out, "\n---- Statistics for cpu : %u\n", cpu);
	line(out, "Nr. samples lost cpu buffer overflow:",
	     c->lost[LOST_CPU_BUFFER] + c->lost[LOST_RING]);
	line(out, "Nr. samples received:", c->received);
	line(out, "Nr. backtrace aborted:", stats_stacks_aborted(c));
	line(out, "Nr. samples lost invalid pc:", c->lost[LOST_INVALID_PC]);
}

uint64_t stats_stacks_aborted(const struct cpu_counts *c)
{
	return c->stacks[OP_STACK_NO_TABLE] + c->stacks[OP_STACK_NO_MAPS] +
	       c->stacks[OP_STACK_BAD_FRAME] + c->stacks[OP_STACK_UNREADABLE] +
	       c->stacks[OP_STACK_SHORT_COPY];
}

/* Not in the original; only if stacks were taken. */
static void format_stacks(struct strbuf *out, const struct cpu_counts *all)
{
	uint64_t sum = 0;

	for (int i = 0; i < COUNTS_STACK_ENDS; i++)
		sum += all->stacks[i];
	if (!sum)
		return;
	line(out, "Nr. backtraces:", sum);
	for (int i = 0; i < COUNTS_STACK_ENDS; i++)
		if (all->stacks[i])
			strbuf_addf(out, "Nr. backtraces, %s: %" PRIu64 "\n",
				    counts_stack_end_name(i), all->stacks[i]);
	line(out, "Nr. backtraces with frames by frame pointer:", all->stacks_guessed);
	line(out, "Nr. backtraces lost:", all->stacks_lost);
	line(out, "Nr. call graph arcs lost due to sample file open failure:", all->arcs_lost);
}

/* Not in the original; only if there are any. [SS-26] */
static void format_jit(struct strbuf *out, const struct cpu_counts *all)
{
	if (all->jit_refused)
		line(out, "Nr. processes with refused JIT symbol files:", all->jit_refused);
	if (all->jit_damaged)
		line(out, "Nr. processes with damaged JIT symbol files:", all->jit_damaged);
}

/* OProfile's labels in its order, then our own. */
void stats_format(const struct stats *s, const struct trans_stats *words,
		  const struct session_counts *counts, struct strbuf *out)
{
	char date[LOG_DATE_SIZE];
	struct cpu_counts all;

	session_counts_total(counts, &all);
	strbuf_addf(out, "\n%s\n\n-- OProfile Statistics --\n", log_date(date));
	line(out, "Nr. sample dumps:", s->dumps);
	line(out, "Nr. non-backtrace samples:", all.recorded);
	line(out, "Nr. kernel samples:", s->kernel_samples);
	line(out, "Nr. lost samples (no kernel/user):", all.lost[LOST_NO_MODE]);
	line(out, "Nr. lost kernel samples:", all.lost[LOST_KERNEL_RANGE]);
	line(out, "Nr. incomplete code structs:", words->incomplete);
	line(out, "Nr. samples lost due to sample file open failure:", all.lost[LOST_SAMPLE_FILE]);
	/* collector and daemon both lose samples for this reason; the daemon's come first */
	uint64_t own_no_mapping = 0;

	for (unsigned int i = 0; i < s->nr_cpus; i++)
		own_no_mapping += s->cpu[i].lost[LOST_NO_MAPPING];
	line(out, "Nr. samples lost due to no permanent mapping:", own_no_mapping);
	line(out, "Nr. user context kernel samples lost due to no app info available:",
	     all.lost[LOST_NO_APP]);
	line(out, "Nr. samples lost due to buffer overflow:", all.lost[LOST_EVENT_BUFFER]);
	line(out, "Nr. samples lost due to no mapping:",
	     subtract(all.lost[LOST_NO_MAPPING], own_no_mapping));
	line(out, "Nr. backtraces skipped due to no file mapping:", s->stacks_left_out);
	line(out, "Nr. samples lost due to no mm:", all.lost[LOST_NO_MM]);
	line(out, "Nr. samples lost due to unknown image:", all.lost[LOST_UNKNOWN_IMAGE]);
	line(out, "Nr. samples lost in garbage:", all.lost[LOST_STREAM]);
	line(out, "Nr. samples lost due to lost changes of mappings:",
	     all.lost[LOST_STALE_MAPPINGS]);
	line(out, "Nr. samples lost inside BPF programs:", all.lost[LOST_IN_BPF]);
	line(out, "Nr. samples over a limit:", all.lost[LOST_LIMIT]);
	line(out, "Nr. samples that could not be read:", all.lost[LOST_UNREAD]);
	format_stacks(out, &all);
	format_jit(out, &all);
	for (unsigned int i = 0; i < counts->nr_cpus; i++)
		format_cpu(out, i, &counts->cpu[i]);
}

static int write_number(const char *dir, const char *file, uint64_t value)
{
	char *path = path_join(dir, file);
	char text[32];
	int err, n = snprintf(text, sizeof(text), "%" PRIu64 "\n", value);

	err = file_make_parent_dirs(path, 0755);
	if (!err)
		err = file_write_atomic(path, text, n, 0644);
	free(path);
	return err;
}

int stats_write_copies(const char *stats_dir, const struct session_counts *counts)
{
	struct cpu_counts all;
	char file[64];
	int err;

	session_counts_total(counts, &all);
	err = write_number(stats_dir, "event_lost_overflow", all.lost[LOST_EVENT_BUFFER]);
	for (unsigned int i = 0; !err && i < counts->nr_cpus; i++) {
		const struct cpu_counts *c = &counts->cpu[i];

		snprintf(file, sizeof(file), "cpu%u/sample_received", i);
		err = write_number(stats_dir, file, c->received);
		snprintf(file, sizeof(file), "cpu%u/sample_lost_overflow", i);
		if (!err)
			err = write_number(stats_dir, file,
					   c->lost[LOST_CPU_BUFFER] + c->lost[LOST_RING]);
		snprintf(file, sizeof(file), "cpu%u/backtrace_aborted", i);
		if (!err)
			err = write_number(stats_dir, file, stats_stacks_aborted(c));
	}
	return err;
}
