// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_cpu.c - what the perf collector itself costs
 *
 * Runs it as the daemon does, at 10,000 samples a second on each CPU, with the words thrown away,
 * and prints the share of one core it took (median of the runs) and what was lost meanwhile.
 * "perf_cpu SECONDS" runs for another time; needs root.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/collector.h"
#include "libdb/session/session.h"
#include "tests/bench/figures.h"

#define RUNS	5

static uint64_t nr_words;

static void throw_away(void *context, const op_word *words, size_t nr)
{
	(void)context;
	(void)words;
	nr_words += nr;
}

static double one_run(struct collector *c, double seconds)
{
	struct pollfd poll_fd = {.fd = c->poll_fd(c), .events = POLLIN};
	double cpu = cpu_seconds(), start = wall_seconds(), now;

	while ((now = wall_seconds()) < start + seconds) {
		poll(&poll_fd, 1, 200);
		c->drain(c, false, throw_away, NULL, NULL);
	}
	return 100 * (cpu_seconds() - cpu) / (now - start);
}

int main(int argc, char **argv)
{
	/* 1 GHz, so that a count is a nanosecond */
	const struct collector_event event = {.count = 100000, .kernel = true, .user = true};
	struct collector_config config = {.events = &event, .nr_events = 1, .clock_khz = 1000000};
	double seconds = argc > 1 ? atof(argv[1]) : 3, shares[RUNS];
	struct collector *c = collector_perf();
	struct session_counts counts = {0};
	struct cpu_counts total;
	struct op_error e;

	if (c->open(c, &config, &e) || c->start(c, &e)) {
		fprintf(stderr, "perf_cpu: %s\n", e.text);
		return 1;
	}
	for (int i = 0; i < RUNS; i++)
		shares[i] = one_run(c, seconds);
	c->stop(c, &e);
	c->drain(c, true, throw_away, NULL, NULL);
	c->counts(c, &counts);
	session_counts_total(&counts, &total);
	printf("bench perf_collector_cpu %.2f %%\n", median(shares, RUNS));
	printf("bench perf_collector_words %.2f words/sample\n",
	       (double)nr_words / (double)(total.received ? total.received : 1));
	fprintf(stderr,
		"perf_cpu: received %llu, lost in rings %llu, no mapping %llu, no mm %llu\n",
		(unsigned long long)total.received, (unsigned long long)total.lost[LOST_RING],
		(unsigned long long)total.lost[LOST_NO_MAPPING],
		(unsigned long long)total.lost[LOST_NO_MM]);
	c->close(c);
	free(counts.cpu);
	return 0;
}
