/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_quality.c - lost samples, with their reasons, and hidden kernel addresses
 *
 * Our sessions have stats/counts. Those of the original's daemon have copies of the kernel's
 * statistics, two of which count lost samples; those of its operf have a file for each event that
 * was throttled, and a log beside the sessions.
 */
#include "pp/report/data_quality.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/select/event_scale.h"

#define OPERF_LOG_MAX	(16u << 20)	/* bytes */

static uint64_t read_number(const char *dir, const char *file)
{
	char *path = path_join(dir, file);
	uint64_t n = 0;

	if (file_read_u64(path, &n))
		n = 0;
	free(path);
	return n;
}

/* Sum of cpuN/@file over all CPUs. */
static uint64_t read_per_cpu(const char *stats, const char *file)
{
	struct dirent *entry;
	DIR *dir = opendir(stats);
	uint64_t sum = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		char *cpu;

		if (strncmp(entry->d_name, "cpu", 3))
			continue;
		cpu = path_join(stats, entry->d_name);
		sum += read_number(cpu, file);
		free(cpu);
	}
	if (dir)
		closedir(dir);
	return sum;
}

static void notice_overflows(const struct report_session *s, struct notices *notices)
{
	char *stats = path_join(s->samples, "stats");
	uint64_t lost = read_number(stats, "event_lost_overflow") +
			read_per_cpu(stats, "sample_lost_overflow");

	if (lost)
		notice_add(notices, "session '%s': the kernel lost %" PRIu64 " samples: its "
			   "buffers were full; sample less often or enlarge the buffers", s->label,
			   lost);
	free(stats);
}

static bool is_throttled(const char *dir, const char *event)
{
	char *path = path_join(dir, event);
	uint64_t n = 1;		/* operf's files are empty */
	bool throttled = *event != '.' && (file_read_u64(path, &n) || n);

	free(path);
	return throttled;
}

/* stats/throttled/EVENT [RP-10]. */
static void notice_throttled(const struct report_session *s, struct notices *notices)
{
	char *path = path_join(s->samples, "stats/throttled");
	struct strbuf events = STRBUF_INIT;
	struct dirent **entries = NULL;
	int nr = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < nr; i++) {
		if (is_throttled(path, entries[i]->d_name))
			strbuf_addf(&events, "%s%s", events.len ? ", " : "", entries[i]->d_name);
		free(entries[i]);
	}
	if (events.len)
		notice_add(notices, "session '%s': samples are missing: the kernel throttled %s; "
			   "sample less often", s->label, events.text);
	free(entries);
	free(path);
	strbuf_free(&events);
}

/* Add up the lines about the last run in operf's log. */
static void add_operf_counts(const char *text, uint64_t *samples, uint64_t *lost)
{
	for (; text; text = strchr(text, '\n')) {
		size_t len;
		uint64_t n;

		text += strspn(text, "\n");
		len = strcspn(text, ":\n");
		if (strncmp(text, "Nr. ", 4) || text[len] != ':' || text[len + 1] != ' ')
			continue;
		n = strtoull(text + len + 2, NULL, 10);
		if (!strncmp(text, "Nr. non-backtrace samples", len))
			*samples = n;
		else if (memmem(text, len, " lost ", 6) || memmem(text, len, " dropped ", 9))
			*lost += n;
	}
}

/* The log covers all runs of operf; the last one made the current session [RP-10]. */
static void notice_operf_losses(const struct report_session *s, struct notices *notices)
{
	static const char heading[] = "-- OProfile/operf Statistics --";
	int dir_len = (int)(path_base(s->samples) - s->samples);
	char *path = xasprintf("%.*soperf.log", dir_len, s->samples), *text = NULL, *last = NULL;
	uint64_t samples = 0, lost = 0;
	size_t len;

	if (!strcmp(s->name, SESSION_CURRENT) && !file_read_all(path, OPERF_LOG_MAX, &text, &len))
		for (char *next = text; (next = strstr(next, heading)) != NULL; next++)
			last = next;
	if (last)
		add_operf_counts(strchr(last, '\n'), &samples, &lost);
	if (lost > samples / 10000)
		notice_add(notices, "session '%s': operf lost %" PRIu64 " samples and recorded %"
			   PRIu64 "; '%s' has the reasons", s->label, lost, samples, path);
	free(text);
	free(path);
}

static void notice_losses(const struct report_session *s, struct notices *notices)
{
	struct strbuf reasons = STRBUF_INIT;
	char share[PERCENT_TEXT];
	const char *advice;
	uint64_t lost = 0;

	for (int i = 0; i < NR_LOSS_REASONS; i++) {
		uint64_t n = s->counts.lost[i];

		lost += n;
		if (n)
			strbuf_addf(&reasons, "%s%" PRIu64 " (%s)", reasons.len ? ", " : "", n,
				    loss_text(i));
	}
	advice = losses_advice(s->counts.lost, s->counts.received);
	if (lost)
		notice_add(notices, "session '%s': lost %" PRIu64 " of %" PRIu64 " samples (%s): "
			   "%s%s%s", s->label, lost, s->counts.received,
			   number_format_percent(share, (double)lost, s->counts.received
						 ? (double)s->counts.received : (double)lost),
			   reasons.text, advice ? "; " : "", advice ? advice : "");
	if (s->counts.filtered)
		notice_add(notices, "session '%s': %" PRIu64 " of %" PRIu64 " samples were not "
			   "recorded: outside the images of --image", s->label,
			   s->counts.filtered, s->counts.received);
	if (s->counts.throttled)
		notice_add(notices, "session '%s': %" PRIu64 " interrupts were skipped to keep the "
			   "machine usable; sample less often", s->label, s->counts.throttled);
	if (s->counts.idle)
		notice_add_kind(notices, NOTICE_DETAIL, "session '%s': %" PRIu64 " of %" PRIu64
				" samples were not recorded: the CPU was idle; --idle records them",
				s->label, s->counts.idle, s->counts.received);
	if (s->counts.disturbed)
		notice_add(notices, "session '%s': KVM guests disturbed the counters during %"
			   PRIu64 " samples: others may be missing", s->label, s->counts.disturbed);
	if (s->nr_failed)
		notice_add(notices, "session '%s': samples of %u CPUs are missing, first of CPU "
			   "%u: an event was found without a counter %" PRIu64 " times", s->label,
			   s->nr_failed, s->first_failed, s->counts.event_errors);
	strbuf_free(&reasons);
}

static bool is_incomplete(unsigned int end)
{
	return end != STACK_COMPLETE && end != STACK_NO_USER && end != STACK_UNKNOWN_END;
}

bool many_stacks_incomplete(const uint64_t *ends, uint64_t *ret_incomplete, uint64_t *ret_all)
{
	*ret_incomplete = *ret_all = 0;
	for (unsigned int i = 0; i < COUNTS_STACK_ENDS; i++) {
		*ret_all += i == STACK_UNKNOWN_END ? 0 : ends[i];
		*ret_incomplete += is_incomplete(i) ? ends[i] : 0;
	}
	return *ret_incomplete > *ret_all / 100;
}

static void notice_stacks(const struct report_session *s, struct notices *notices)
{
	struct strbuf reasons = STRBUF_INIT;
	char share[PERCENT_TEXT];
	uint64_t incomplete, all;

	if (!many_stacks_incomplete(s->counts.stacks, &incomplete, &all))
		return;
	for (unsigned int i = 0; i < COUNTS_STACK_ENDS; i++)
		if (s->counts.stacks[i] && is_incomplete(i))
			strbuf_addf(&reasons, "%s%" PRIu64 " (%s)", reasons.len ? ", " : "",
				    s->counts.stacks[i], stack_end_text(i));
	notice_add(notices, "session '%s': callers are missing: %" PRIu64 " of %" PRIu64
		   " stacks (%s) are incomplete: %s; see opdoctor(1)", s->label, incomplete, all,
		   number_format_percent(share, (double)incomplete, (double)all), reasons.text);
	strbuf_free(&reasons);
}

/* [IN-15] The BPF program misses a few, too, until it knows a process. */
static void notice_interpreters(const struct report_session *s, struct notices *notices)
{
	uint64_t all = 0, bare = s->counts.stacks_interpreter;

	for (unsigned int i = 0; i < COUNTS_STACK_ENDS; i++)
		all += s->counts.stacks[i];
	if (bare && strcmp(s->info.collector, "bpf"))
		notice_add(notices, "session '%s': %" PRIu64 " of %" PRIu64 " stacks show the C "
			   "functions of an interpreter instead of its program's; record with "
			   "opcontrol --collector=bpf", s->label, bare, all);
}

/* [CG-8] */
void stack_notices(const struct session_list *sessions, struct notices *notices)
{
	for (size_t i = 0; i < sessions->nr; i++)
		if (sessions->sessions[i].has_counts) {
			notice_stacks(&sessions->sessions[i], notices);
			notice_interpreters(&sessions->sessions[i], notices);
		}
}

/* [JT-6] [JT-20] */
static void notice_jit(const struct report_session *s, struct notices *notices)
{
	if (s->counts.jit_refused)
		notice_add(notices, "session '%s': ignored the JIT symbol files of %" PRIu64
			   " processes: not regular files, or owned by another user", s->label,
			   s->counts.jit_refused);
	if (s->counts.jit_damaged)
		notice_add(notices, "session '%s': the JIT symbol files of %" PRIu64 " processes "
			   "are damaged: some of their functions may have no name", s->label,
			   s->counts.jit_damaged);
}

/* [ME-3] */
static void notice_events(const struct report_session *s, struct notices *notices)
{
	for (size_t i = 0; i < s->times.nr; i++) {
		const struct event_time *t = &s->times.event[i];

		if (t->enabled_ns && !t->running_ns)
			notice_add(notices, "session '%s': event %s was never counted: it got no "
				   "turn on a counter", s->label, t->name);
	}
}

void multiplexed_notices(const struct session_list *sessions, struct notices *notices)
{
	for (size_t i = 0; i < sessions->nr; i++) {
		const struct event_times *times = &sessions->sessions[i].times;

		for (size_t k = 0; k < times->nr; k++) {
			struct strbuf text = STRBUF_INIT;

			if (!event_is_multiplexed(&times->event[k]))
				continue;
			event_multiplexed_text(times, &times->event[k], &text);
			notice_add(notices, "session '%s': %s", sessions->sessions[i].label,
				   text.text);
			strbuf_free(&text);
		}
	}
}

void data_quality_notices(const struct session_list *sessions, struct notices *notices)
{
	for (size_t i = 0; i < sessions->nr; i++) {
		const struct report_session *s = &sessions->sessions[i];

		if (s->has_counts) {
			notice_losses(s, notices);
			notice_jit(s, notices);
		} else {
			notice_overflows(s, notices);
			notice_throttled(s, notices);
			if (!s->has_info)
				notice_operf_losses(s, notices);
		}
		notice_events(s, notices);
		if (s->has_info && !s->has_counts)
			notice_add(notices, "session '%s': the number of lost samples is unknown, "
				   "perhaps because the disk was full", s->label);
		if (s->has_info && !strcmp(s->info.kernel_symbols, "hidden"))
			notice_add(notices, "session '%s': kernel samples have no symbols: "
				   "addresses were hidden by kernel.kptr_restrict or "
				   "kernel.perf_event_paranoid; see opdoctor(1)", s->label);
	}
}
