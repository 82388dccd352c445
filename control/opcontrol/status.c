// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * status.c - print the status: OProfile's lines first, exactly, then ours
 *
 * While a daemon runs, the values come from the daemon, not from a set-up that may be pending
 * (CTL-98).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/status.h"
#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/message.h"
#include "libutil/number.h"

#define LATE_NS		(50 * NS_PER_MS)	/* below this, no ring fills */

void format_period(uint64_t ns, char *buf, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { NS_PER_SECOND, "s" }, { NS_PER_MS, "ms" }, { 1000, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (ns < units[i].ns && i < 3)
		i++;
	snprintf(buf, size, "%.6g %s", (double)(ns * 1000 / units[i].ns) / 1000, units[i].name);
}

void format_lateness(uint64_t wait_ns, uint64_t queues_full, uint64_t capped_s, char *buf,
		     size_t size)
{
	if (queues_full && capped_s)
		snprintf(buf, size, "needed more than its budget of CPU time for %" PRIu64 " s",
			 capped_s);
	else if (queues_full)
		snprintf(buf, size, "recorded too slowly");
	else if (wait_ns >= LATE_NS)
		snprintf(buf, size, "got no CPU for %.1f s", (double)wait_ns / 1e9);
	else
		snprintf(buf, size, "did not run in time");
}

static void print_number_unless_0(const char *label, uint64_t n, FILE *out)
{
	if (n)
		fprintf(out, "%s: %" PRIu64 "\n", label, n);
}

/* Print the default by its name in --vmlinux, because an empty value would look like an error. */
static void print_vmlinux(const char *vmlinux, FILE *out)
{
	fprintf(out, "vmlinux file: %s\n", strcmp(vmlinux, VMLINUX_DEFAULT) ? vmlinux : "kallsyms");
}

/* Sizes that are set, or that stacks enlarge. */
static void print_sizes(const struct setup *s, FILE *out)
{
	static const char *const labels[] = {
		[BUFFER_EVENTS] = "Buffer size",
		[BUFFER_WATERSHED] = "CPU buffer watershed",
		[BUFFER_CPU] = "CPU buffer size",
	};

	for (enum buffer_id i = 0; i < NR_BUFFERS; i++) {
		uint64_t used = buffer_size_used(s->buffer_sizes, i, s->callgraph_depth);

		if (s->buffer_sizes[i])
			fprintf(out, "%s: %" PRIu64 "\n", labels[i], s->buffer_sizes[i]);
		else if (s->callgraph_depth && s->collector != COLLECTOR_PERF &&
			 s->collector != COLLECTOR_BPF)
			fprintf(out, "%s: %" PRIu64 " (for call graphs of this depth)\n",
				labels[i], used);
	}
}

static void print_unwind(const struct setup *s, FILE *out)
{
	if (!s->callgraph_depth)
		return;
	if (s->frame_pointers_only)
		fprintf(out, "Stacks unwound by: frame pointers only\n");
	else
		fprintf(out, "Stacks unwound by: unwind tables, at most %" PRIu64 " MB\n",
			s->unwind_memory ? s->unwind_memory : OP_UNWIND_MEMORY / 1024);
}

void status_print_setup(const struct setup *s, FILE *out)
{
	struct strbuf spec = STRBUF_INIT;

	fprintf(out, "Daemon not running\nSession-dir: %s\n", s->session_dir);
	for (size_t i = 0; i < s->nr_events; i++) {
		strbuf_reset(&spec);
		event_request_format(&s->events[i], &spec);
		fprintf(out, "Event %zu: %s\n", i, spec.text);
	}
	strbuf_free(&spec);
	if (s->max_cost == MAX_COST_NONE)
		fprintf(out, "Bound on the cost of sampling by time: none\n");
	else if (s->max_cost != MAX_COST_DEFAULT)
		fprintf(out, "Bound on the cost of sampling by time: %g %% of each CPU\n",
			s->max_cost);
	fprintf(out, "Separate options:%s%s%s%s%s%s\n", s->separate_lib ? " library" : "",
		s->separate_kernel ? " kernel" : "", s->separate_thread ? " thread" : "",
		s->separate_cpu ? " cpu" : "", s->separate_cgroup ? " cgroup" : "",
		s->separate_lib || s->separate_thread || s->separate_cpu ||
		s->separate_cgroup ? "" : " none");
	print_vmlinux(s->vmlinux, out);
	fprintf(out, "Image filter: %s\n", *s->image_filter ? s->image_filter : "none");
	fprintf(out, "Call-graph depth: %" PRIu64 "\n", s->callgraph_depth);
	if (s->callgraph_depth && s->call_arcs)
		fprintf(out, "Call arcs: also in {cg} files\n");
	print_sizes(s, out);
	print_unwind(s, out);
	fprintf(out, "Collector: %s\n", collector_request_name(s->collector));
	if (*s->model)
		fprintf(out, "Model: %s\n", s->model);
}

/* The answer's number for @key, 0 if it has none. */
static uint64_t answer_number(const char *answer, const char *key)
{
	char text[32];
	uint64_t n = 0;

	if (answer_value(answer, key, text, sizeof(text)))
		(void)number_parse_u64(text, &n);
	return n;
}

static void print_events(const char *answer, FILE *out)
{
	char events[4096], *rest = events, *word;
	int i = 0;

	answer_value(answer, "events", events, sizeof(events));
	while ((word = strsep(&rest, " ")))
		if (*word)
			fprintf(out, "Event %d: %s\n", i++, word);
}

static void print_separate(const char *answer, FILE *out)
{
	char words[256], *rest = words, *word;

	answer_value(answer, "separate", words, sizeof(words));
	fprintf(out, "Separate options:");
	while ((word = strsep(&rest, " ")))
		if (*word)
			fprintf(out, " %s", strcmp(word, "lib") ? word : "library");
	fprintf(out, "\n");
}

static void print_kernel_image(const char *answer, FILE *out)
{
	char vmlinux[1024], symbols[32];

	answer_value(answer, "vmlinux", vmlinux, sizeof(vmlinux));
	answer_value(answer, "kernel_symbols", symbols, sizeof(symbols));
	print_vmlinux(!*vmlinux && !strcmp(symbols, "none") ? VMLINUX_NONE : vmlinux, out);
}

static void print_originals(const char *answer, FILE *out)
{
	char state[32], text[4096];

	answer_value(answer, "state", state, sizeof(state));
	fprintf(out, "Daemon %s: pid %" PRIu64 "\n", state, answer_number(answer, "pid"));
	answer_value(answer, "session_dir", text, sizeof(text));
	fprintf(out, "Session-dir: %s\n", text);
	print_events(answer, out);
	print_separate(answer, out);
	print_kernel_image(answer, out);
	answer_value(answer, "image_filter", text, sizeof(text));
	fprintf(out, "Image filter: %s\n", *text && strcmp(text, "all") ? text : "none");
	fprintf(out, "Call-graph depth: %" PRIu64 "\n", answer_number(answer, "callgraph_depth"));
	print_number_unless_0("Buffer size", answer_number(answer, "buffer_size"), out);
	print_number_unless_0("CPU buffer watershed", answer_number(answer, "buffer_watershed"),
			      out);
	print_number_unless_0("CPU buffer size", answer_number(answer, "cpu_buffer_size"), out);
}

static void print_model(const char *answer, FILE *out)
{
	char model[64], type[64], period[32];
	uint64_t ns = answer_number(answer, "period_ns");

	if (!answer_value(answer, "model", model, sizeof(model)))
		return;
	answer_value(answer, "cpu_type", type, sizeof(type));
	format_period(ns, period, sizeof(period));
	if (ns)
		fprintf(out, "Model: %s, a sample every %s on each CPU (clock %" PRIu64 " MHz)\n",
			model, period, answer_number(answer, "clock_khz") / 1000);
	else if (*type)
		fprintf(out, "Model: %s, by the counters of CPU type %s\n", model, type);
	else
		fprintf(out, "Model: %s\n", model);
}

/* "SPEC ENABLED_NS RUNNING_NS" of an event; prints events that were counted part of the time. */
static void print_share(char *value, FILE *out)
{
	char *enabled_text = strchr(value, ' '), *running_text;
	uint64_t enabled, running;

	running_text = enabled_text ? strchr(enabled_text + 1, ' ') : NULL;
	if (!running_text)
		return;
	*enabled_text = *running_text = '\0';
	if (number_parse_u64(enabled_text + 1, &enabled) ||
	    number_parse_u64(running_text + 1, &running) || running >= enabled / 100 * 99)
		return;
	fprintf(out, "Multiplexed: %s was counted %.1f %% of the time\n", value,
		100.0 * (double)running / (double)enabled);
}

static void print_shares(const char *answer, FILE *out)
{
	char key[32], value[256];

	for (int i = 0; i < SETUP_MAX_EVENTS; i++) {
		snprintf(key, sizeof(key), "event.%d", i);
		if (answer_value(answer, key, value, sizeof(value)))
			print_share(value, out);
	}
}

static void print_kernel_symbols(const char *answer, FILE *out)
{
	char symbols[32];

	if (!answer_value(answer, "kernel_symbols", symbols, sizeof(symbols)))
		return;
	fprintf(out, "Kernel symbols: %s%s\n", symbols, strcmp(symbols, "hidden") ? "" :
		" (set kernel.kptr_restrict to 1 before --start)");
}

static void print_losses(const char *answer, FILE *out)
{
	uint64_t lost[NR_LOSS_REASONS], all = 0;
	const char *advice;
	char key[64];

	for (int reason = 0; reason < NR_LOSS_REASONS; reason++) {
		snprintf(key, sizeof(key), "lost.%s", loss_name(reason));
		lost[reason] = answer_number(answer, key);
		all += lost[reason];
	}
	fprintf(out, "Samples lost: %" PRIu64 "\n", all);
	for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
		if (lost[reason])
			fprintf(out, "  %" PRIu64 " %s\n", lost[reason], loss_text(reason));
	advice = losses_advice(lost, answer_number(answer, "received"));
	if (advice)
		fprintf(out, "  to lose fewer: %s\n", advice);
}

/* [CC-63] */
static void print_priority(const char *answer, FILE *out)
{
	char record[32], drain[32], longest[32], most[32];

	if (!answer_value(answer, "priority", record, sizeof(record)))
		return;
	if (!answer_value(answer, "drain.priority", drain, sizeof(drain))) {
		fprintf(out, "Priority: %s\n", record);
		return;
	}
	fprintf(out, "Priority: %s to drain, %s to record\n", drain, record);
	format_period(answer_number(answer, "drain.wait_longest_ns"), longest, sizeof(longest));
	format_period(answer_number(answer, "drain.wait_most_ns"), most, sizeof(most));
	fprintf(out, "Longest wait of the drain: %s (99.9 %% up to %s)\n", longest, most);
	print_number_unless_0("Queues full", answer_number(answer, "drain.queues_full"), out);
}

static void print_event_errors(const char *answer, FILE *out)
{
	for (unsigned int cpu = 0; cpu < COUNTS_MAX_CPUS; cpu++) {
		char key[40];
		uint64_t seconds;

		snprintf(key, sizeof(key), "event_errors.cpu%u", cpu);
		seconds = answer_number(answer, key);
		if (seconds)
			fprintf(out, "Events without a counter: CPU %u, found %" PRIu64
				" times, once a second\n", cpu, seconds);
	}
}

static double percent(uint64_t part, uint64_t of)
{
	return 100.0 * (double)part / (double)of;
}

/* How the stacks of this session ended, so that users know how complete call graphs are. */
static void print_stacks(const char *answer, FILE *out)
{
	uint64_t ends[COUNTS_STACK_ENDS], all = 0, guessed, bare, memory;
	char key[64];

	for (unsigned int i = 0; i < COUNTS_STACK_ENDS; i++) {
		snprintf(key, sizeof(key), "stacks.%s", counts_stack_end_name(i));
		ends[i] = answer_number(answer, key);
		all += ends[i];
	}
	if (!all)
		return;
	fprintf(out, "Call stacks: %" PRIu64, all);
	for (unsigned int i = 0; i < COUNTS_STACK_ENDS; i++)
		if (ends[i])
			fprintf(out, ", %.1f %% %s", percent(ends[i], all),
				counts_stack_end_text(i));
	fprintf(out, "\n");
	guessed = answer_number(answer, "stacks_guessed");
	if (guessed)
		fprintf(out, "  %.1f %% partly unwound by frame pointers, without a table\n",
			percent(guessed, all));
	bare = answer_number(answer, "stacks_interpreter");
	if (bare)
		fprintf(out, "  %.1f %% without interpreted functions%s\n", percent(bare, all),
			answer_value(answer, "collector", key, sizeof(key)) &&
			!strcmp(key, "bpf") ? "" : ", which --collector=bpf finds");
	memory = answer_number(answer, "stacks_memory");
	if (memory)
		fprintf(out, "  index of %" PRIu64 " kB in memory\n", memory / 1024);
	print_number_unless_0("Call stacks lost", answer_number(answer, "stacks_lost"), out);
	print_number_unless_0("Call arcs lost", answer_number(answer, "arcs_lost"), out);
}

static void print_tables(const char *answer, FILE *out)
{
	char how[32];

	if (!answer_value(answer, "unwind", how, sizeof(how)))
		return;
	if (strcmp(how, "tables")) {
		fprintf(out, "Stacks unwound by: frame pointers only\n");
		return;
	}
	fprintf(out, "Stacks unwound by: %" PRIu64 " unwind tables, %" PRIu64 " of %" PRIu64
		" kB", answer_number(answer, "unwind.tables"),
		answer_number(answer, "unwind.bytes") / 1024,
		answer_number(answer, "unwind.limit") / 1024);
	if (answer_number(answer, "unwind.refused"))
		fprintf(out, "; %" PRIu64 " images without a usable table",
			answer_number(answer, "unwind.refused"));
	fprintf(out, "\n");
}

/* Made code that may have no symbols. [JT-6] */
static void print_made_code(const char *answer, FILE *out)
{
	print_number_unless_0("Processes with ignored JIT symbol files",
			      answer_number(answer, "jit.refused"), out);
	print_number_unless_0("Processes with damaged JIT symbol files",
			      answer_number(answer, "jit.damaged"), out);
}

/* Only if IBS events are sampled. */
static void print_ibs(const char *answer, FILE *out)
{
	char text[32];

	if (!answer_value(answer, "ibs.derived_events", text, sizeof(text)))
		return;
	fprintf(out, "IBS samples: %" PRIu64 " fetches, %" PRIu64 " ops (%" PRIu64
		" with an invalid address); %s derived events\n",
		answer_number(answer, "ibs.fetch_samples"), answer_number(answer, "ibs.op_samples"),
		answer_number(answer, "ibs.op_invalid_rip"), text);
	print_number_unless_0("IBS log lines omitted",
			      answer_number(answer, "ibs.log_lines_left_out"), out);
}

void status_print_running(const char *answer, FILE *out)
{
	char text[64], size[32], trouble[1024];

	print_originals(answer, out);
	if (answer_value(answer, "collector", text, sizeof(text)))
		fprintf(out, "Collector: %s\n", text);
	if (answer_value(answer, "no_bpf", trouble, sizeof(trouble)))	/* advice: opdoctor */
		fprintf(out, "Not bpf: %.*s\n", (int)strcspn(trouble, ";"), trouble);
	print_model(answer, out);
	print_shares(answer, out);
	print_kernel_symbols(answer, out);
	fprintf(out, "Samples received: %" PRIu64 "\n", answer_number(answer, "received"));
	fprintf(out, "Samples recorded: %" PRIu64 "\n", answer_number(answer, "recorded"));
	print_number_unless_0("Samples filtered out", answer_number(answer, "filtered"), out);
	print_number_unless_0("Samples of idle CPUs, left out", answer_number(answer, "idle"), out);
	print_losses(answer, out);
	print_priority(answer, out);
	print_number_unless_0("Samples while KVM guests disturbed the counters",
			      answer_number(answer, "disturbed"), out);
	print_event_errors(answer, out);
	print_ibs(answer, out);
	print_stacks(answer, out);
	print_tables(answer, out);
	print_made_code(answer, out);
	if (answer_value(answer, "trouble", trouble, sizeof(trouble)))
		fprintf(out, "Samples are being lost: %s\n", trouble);
	print_number_unless_0("Interrupts throttled", answer_number(answer, "throttled"), out);
	if (answer_value(answer, "session_bytes", size, sizeof(size)))
		fprintf(out, "Session size: %" PRIu64 " kB\n",
			answer_number(answer, "session_bytes") / 1024);
}

void warn_of_losses(const char *session_dir, const char *answer)
{
	char *stats_dir = session_stats_path(session_dir, SESSION_CURRENT, NULL);
	struct session_counts counts = { 0 };
	struct cpu_counts all;
	const char *advice;
	char cause[80];
	uint64_t lost;
	int err = session_counts_read(stats_dir, &counts);

	free(stats_dir);
	if (err)
		return;
	session_counts_total(&counts, &all);
	session_counts_free(&counts);
	advice = losses_advice(all.lost, all.received);
	lost = all.lost[LOST_RING] + all.lost[LOST_EVENT_BUFFER] + all.lost[LOST_CPU_BUFFER];
	format_lateness(answer_number(answer, "drain.wait_longest_ns"),
			answer_number(answer, "drain.queues_full"),
			answer_number(answer, "priority.capped_s"), cause, sizeof(cause));
	if (advice)
		report_warning("lost %" PRIu64 " of %" PRIu64 " samples (%.1f %%), because the "
			       "daemon %s; %s", lost, all.received, percent(lost, all.received),
			       cause, advice);
}
