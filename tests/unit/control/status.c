// SPDX-License-Identifier: GPL-2.0-or-later
/* status.c - the output of opcontrol --status, from answers of the daemon */
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/status.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(answer_values)
{
	static const char answer[] = "pid 12\nstate running\nevents A:1 B:2\nvmlinux\n"
				     "vmlinux_more x\nlast";
	char buf[16];

	CHECK(answer_value(answer, "pid", buf, sizeof(buf)) && !strcmp(buf, "12"), "%s", buf);
	CHECK(answer_value(answer, "events", buf, sizeof(buf)) && !strcmp(buf, "A:1 B:2"), "%s",
	      buf);
	CHECK(answer_value(answer, "vmlinux", buf, sizeof(buf)) && !*buf, "%s", buf);
	CHECK(answer_value(answer, "last", buf, sizeof(buf)) && !*buf, "%s", buf);
	CHECK(!answer_value(answer, "vm", buf, sizeof(buf)) && !*buf, "only whole keys");
	CHECK(!answer_value("", "pid", buf, sizeof(buf)), "empty answer");
	CHECK(answer_value(answer, "events", buf, 4) && !strcmp(buf, "A:1"), "truncated: %s", buf);
}

TEST(periods)
{
	const struct {
		uint64_t ns;
		const char *text;
	} cases[] = { { 0, "0 ns" }, { 999, "999 ns" }, { 38521, "38.521 us" }, { 1000000, "1 ms" },
		      { 2500000000, "2.5 s" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[32];

		format_period(cases[i].ns, buf, sizeof(buf));
		CHECK(!strcmp(buf, cases[i].text), "%s", buf);
	}
}

/* The output for @answer, which the caller frees. */
static char *print(const char *answer)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	status_print_running(answer, out);
	fclose(out);
	return text;
}

TEST(status_of_losses)
{
	char *text = print("pid 1\nreceived 1000000\nlost.ring_overflow 310000\n"
			     "lost.no_mapping 2\n");

	CHECK(strstr(text, "\nSamples lost: 310002\n"
			   "  310000 the perf ring was full: the daemon was too slow\n"
			   "  2 the address was outside the task's mappings\n"
			   "  to lose fewer: sample less often, or leave the daemon more CPU time"),
	      "%s", text);
	free(text);
	text = print("pid 1\nreceived 1000000\nlost.ring_overflow 100\n"
		     "lost.no_mapping 9999\n");
	CHECK(!strstr(text, "to lose fewer"), "%s", text);
	free(text);
}

/* Run warn_of_losses() and return what it wrote to stderr. */
static char *losses_of(uint64_t received, uint64_t lost, const char *answer)
{
	struct cpu_counts cpu = { .received = received, .lost[LOST_RING] = lost,
				  .recorded = received - lost };
	struct session_counts c = { .nr_cpus = 1, .cpu = &cpu };
	char *stats = session_stats_path(tmpdir, SESSION_CURRENT, NULL), *text = NULL;
	int kept = dup(STDERR_FILENO);

	CHECK(!file_make_dirs(stats, 0755) && !session_counts_write(stats, &c), "%s", stats);
	free(stats);
	CHECK(freopen(tmpdir_path("stderr"), "w", stderr) != NULL, "stderr");
	warn_of_losses(tmpdir, answer);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	CHECK(!file_read_all(tmpdir_path("stderr"), 4096, &text, NULL), "stderr");
	return text;
}

TEST(warning_of_losses)
{
	char *text;

	tmpdir_make();
	set_program_name("opcontrol");
	text = losses_of(1000, 310, "");
	CHECK(!strcmp(text, "opcontrol: warning: lost 310 of 1000 samples (31.0 %), because the "
			    "daemon did not run in time; sample less often, or leave the daemon "
			    "more CPU time\n"), "%s", text);
	free(text);
	text = losses_of(1000, 310, "drain.wait_longest_ns 1640000000\n");
	CHECK(strstr(text, "because the daemon got no CPU for 1.6 s; "), "%s", text);
	free(text);
	text = losses_of(1000, 310, "drain.wait_longest_ns 16400000\ndrain.queues_full 3\n");
	CHECK(strstr(text, "because the daemon recorded too slowly; "), "%s", text);
	free(text);
	text = losses_of(1000, 310, "drain.queues_full 3\npriority.capped_s 7\n");
	CHECK(strstr(text, "because the daemon needed more than its budget of CPU time for 7 s; "),
	      "%s", text);
	free(text);
	text = losses_of(1000, 310, "priority.capped_s 7\n");
	CHECK(strstr(text, "because the daemon did not run in time; "), "%s", text);
	free(text);
	text = losses_of(100000, 10, "");
	CHECK(!*text, "%s", text);
	free(text);
	tmpdir_remove();
}

TEST(status_of_the_choice)
{
	char *text = print("pid 1\ncollector perf\nno_bpf '/sys/kernel/btf/vmlinux' is missing: it "
			   "needs BTF; use --collector=perf\n");

	CHECK(strstr(text, "\nCollector: perf\n"
			   "Not bpf: '/sys/kernel/btf/vmlinux' is missing: it needs BTF\n"), "%s",
	      text);
	free(text);
}

TEST(status_of_priority)
{
	char *text = print("pid 1\npriority deadline\ndrain.priority nice\n"
			   "drain.wait_longest_ns 12300000\ndrain.wait_most_ns 500000\n");

	CHECK(strstr(text, "Priority: nice to drain, deadline to record\n"
			   "Longest wait of the drain: 12.3 ms (99.9 % up to 500 us)\n"), "%s",
	      text);
	CHECK(!strstr(text, "Queues full"), "%s", text);
	free(text);
	text = print("pid 1\npriority normal\n");
	CHECK(strstr(text, "Priority: normal\n"), "%s", text);
	free(text);
}

TEST(status_of_stacks)
{
	char *text = print("pid 1\nstate running\ncollector module\ncallgraph_depth 16\n"
			     "unwind tables\nunwind.tables 12\nunwind.bytes 2097152\n"
			     "unwind.limit 67108864\nunwind.refused 1\nstacks.complete 970\n"
			     "stacks.truncated 20\nstacks.untold 10\nstacks_guessed 5\n"
			     "stacks_interpreter 20\n"
			     "stacks_lost 3\narcs_lost 4\nstacks_memory 65536\n");

	CHECK(strstr(text, "\nCall stacks: 1000, 97.0 % complete, 2.0 % cut at the depth asked for"
			   ", 1.0 % of unknown end\n"
			   "  0.5 % partly unwound by frame pointers, without a table\n"
			   "  2.0 % without interpreted functions, which --collector=bpf finds\n"
			   "  index of 64 kB in memory\nCall stacks lost: 3\nCall arcs lost: 4\n"
			   "Stacks unwound by: 12 unwind tables, 2048 of 65536 kB; 1 images "
			   "without a usable table\n"), "%s", text);
	free(text);
	text = print("pid 1\nunwind fp\n");
	CHECK(strstr(text, "\nStacks unwound by: frame pointers only\n"), "%s", text);
	free(text);
}

TEST(status_of_made_code)
{
	char *text = print("pid 1\nstate running\njit.refused 2\njit.damaged 3\n");

	CHECK(strstr(text, "\nProcesses with ignored JIT symbol files: 2\n"
			   "Processes with damaged JIT symbol files: 3\n"), "%s", text);
	free(text);
	text = print("pid 1\nstate running\n");
	CHECK(!strstr(text, "JIT"), "%s", text);
	free(text);
}

TEST(status_of_counters)
{
	char *text = print("pid 1\nstate running\ncollector module\nmodel intel\n"
			     "cpu_type i386/skylake\nperiod_ns 0\n"
			     "events A:1000:0:1:1 B:500:65:0:1\n"
			     "event.0 A:1000:0:1:1 1000000 1000000\n"
			     "event.5 B:500:65:0:1 1000000 250000\n"
			     "event.6 C:500:65:0:1\nevent.7 D:1:1:1:1 0 0\nthrottled 7\n");

	CHECK(strstr(text, "\nEvent 0: A:1000:0:1:1\nEvent 1: B:500:65:0:1\n"), "%s", text);
	CHECK(strstr(text, "\nModel: intel, by the counters of CPU type i386/skylake\n"
		     "Multiplexed: B:500:65:0:1 was counted 25.0 % of the time\n"), "%s", text);
	CHECK(!strstr(text, "Multiplexed: A") && !strstr(text, "Multiplexed: D"), "%s", text);
	CHECK(strstr(text, "\nInterrupts throttled: 7\n"), "%s", text);
	free(text);
	text = print("pid 1\nstate running\nmodel timer\ncpu_type timer\nperiod_ns 1000000\n"
		       "clock_khz 2000000\n");
	CHECK(strstr(text, "\nModel: timer, a sample every 1 ms on each CPU (clock 2000 MHz)\n"),
	      "%s", text);
	free(text);
}

TEST(status_of_idle_and_disturbed_cpus)
{
	char *text = print("pid 1\nstate running\nreceived 100\nrecorded 40\nidle 60\n"
			   "disturbed 5\nevent_errors.cpu0 1\nevent_errors.cpu12 7\n");

	CHECK(strstr(text, "\nSamples of idle CPUs, left out: 60\n"), "%s", text);
	CHECK(strstr(text, "\nSamples while KVM guests disturbed the counters: 5\n"), "%s", text);
	CHECK(strstr(text, "\nEvents without a counter: CPU 0, found 1 times, once a second\n"
			   "Events without a counter: CPU 12, found 7 times"), "%s", text);
	free(text);
	text = print("pid 1\nstate running\nreceived 100\nrecorded 100\n");
	CHECK(!strstr(text, "idle") && !strstr(text, "KVM") && !strstr(text, "without a counter"),
	      "%s", text);
	free(text);
}

TEST(status_of_ibs)
{
	char *text = print("pid 1\nstate running\nmodel ibs\nibs.fetch_samples 3\n"
			     "ibs.op_samples 20\nibs.op_invalid_rip 1\nibs.derived_events 44\n"
			     "ibs.log_lines_left_out 5\n");

	CHECK(strstr(text, "\nIBS samples: 3 fetches, 20 ops (1 with an invalid address); "
			   "44 derived events\nIBS log lines omitted: 5\n"), "%s", text);
	free(text);
	text = print("pid 1\nstate running\nmodel timer\n");
	CHECK(!strstr(text, "IBS"), "%s", text);
	free(text);
}

TEST_MAIN()
