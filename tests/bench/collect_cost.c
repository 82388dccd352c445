// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect_cost.c - what stacks cost a collector while a load runs
 *
 *	collect_cost perf|bpf LOAD
 *
 * Runs the shell script LOAD twice; the first time makes unwind tables. Prints samples, bytes on
 * the rings, CPU time in ns, whole stacks and samples lost of the second time. The CPU time is that
 * of reading, attributing, unwinding and decoding here, without the interrupts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/collect/bpf/walker.h"
#include "daemon/collect/collector.h"
#include "daemon/record/trans.h"
#include "unwind/cache.h"

#define PERIOD_NS	100000
#define DEPTH		128
#define TABLES		((size_t)64 << 20)

struct sums {
	uint64_t received, lost, bytes, cpu_ns;
};

static uint64_t nr_stacks, nr_whole;

static void take_stack(void *context, const struct trans_state *leaf,
		       const struct trans_frame *frames, size_t nr, uint32_t counter,
		       unsigned int end)
{
	(void)context, (void)leaf, (void)frames, (void)nr, (void)counter;
	end &= OP_STACK_END_MASK;
	nr_stacks++;
	nr_whole += end == OP_STACK_COMPLETE || end == OP_STACK_NO_USER;
}

static void feed(void *trans, const op_word *words, size_t nr)
{
	trans_feed(trans, words, nr);
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static struct sums sums_of(struct collector *c)
{
	struct session_counts counts = {0};
	struct collector_status status;
	struct cpu_counts all;
	struct rusage used;
	struct sums s;

	c->counts(c, &counts);
	session_counts_total(&counts, &all);
	session_counts_free(&counts);
	c->status(c, &status);
	getrusage(RUSAGE_SELF, &used);
	s = (struct sums){.received = all.received - all.idle,
			  .bytes = status.ring_bytes,
			  .cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime)};
	for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
		s.lost += reason == LOST_IN_BPF ? 0 : all.lost[reason];
	return s;
}

static void run(struct collector *c, struct trans *trans, const char *load)
{
	struct op_error e = {""};
	pid_t pid = fork();

	if (!pid) {
		execlp("sh", "sh", load, (char *)NULL);
		_exit(127);
	}
	while (!waitpid(pid, NULL, WNOHANG)) {
		usleep(20000);
		c->drain(c, false, feed, trans, &e);
	}
	c->drain(c, true, feed, trans, &e);
}

int main(int argc, char **argv)
{
	static const struct trans_ops ops = {.stack = take_stack};
	struct collector_event event = {.count = PERIOD_NS, .kernel = true, .user = true};
	struct collector_config config = {.events = &event,
					  .nr_events = 1,
					  .clock_khz = 1000000,
					  .callgraph_depth = DEPTH};
	bool by_bpf = argc == 3 && !strcmp(argv[1], "bpf");
	struct collector *c = collector_perf();
	struct trans *trans = trans_new(&ops, NULL);
	struct op_error e = {"usage: collect_cost perf|bpf LOAD"};
	struct sums before, after;

	if (argc != 3 || unwind_cache_create(TABLES, &config.unwind) ||
	    (by_bpf && bpf_walker_load(TABLES, &config.walker, &e)) ||
	    c->open(c, &config, &e) || c->start(c, &e)) {
		fprintf(stderr, "collect_cost: %s\n", e.text);
		return 1;
	}
	run(c, trans, argv[2]);
	before = sums_of(c);
	nr_stacks = nr_whole = 0;
	run(c, trans, argv[2]);
	after = sums_of(c);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       after.received - before.received, after.bytes - before.bytes,
	       after.cpu_ns - before.cpu_ns, nr_stacks, nr_whole, after.lost - before.lost);
	c->close(c);
	bpf_walker_free(config.walker);
	unwind_cache_destroy(config.unwind);
	trans_free(trans);
	return 0;
}
