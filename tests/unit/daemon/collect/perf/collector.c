// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collector.c - the perf collector on this machine, end to end
 *
 * Runs it as root on programs with known results; short-lived ones are in
 * short_lived.c.
 */
#include "tests/unit/daemon/collect/perf/truth.h"

#define PERIOD_NS 200000

/* User samples of one process: those between two offsets of one file are "in". */
static void tally_process(struct tally *t, const struct seen *s)
{
	char *path = NULL;

	if (!s->user || s->tgid != t->tgid)
		return;
	if (s->cookie == OP_NO_COOKIE || t->collector->cookie_path(t->collector, s->cookie, &path))
		t->other++;
	else if (strcmp(path, t->path) || s->pc < t->from || s->pc >= t->to)
		t->out++;
	else
		t->in++;
	free(path);
}

/* From now on every sample of the process is in its loop. */
static void check_all_in_loop(struct tally *t)
{
	struct collector *c = t->collector;

	CHECK(!c->drain(c, true, take_words, t, NULL), "flush");
	t->in = t->out = t->other = 0;
	drain_until(c, t, &t->in, 200);
	stop_spinning((pid_t)t->tgid);
	finish(c, t);
	CHECK((double)(t->out + t->other) <= 0.01 * (double)t->in, "%llu in, %llu out, %llu other",
	      (unsigned long long)t->in, (unsigned long long)t->out, (unsigned long long)t->other);
}

TEST(busy_child_is_seen_at_its_function)
{
	struct tally t = {.sample = tally_process, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};

	open_or_skip(c, PERIOD_NS, 0);
	t.path = self_path();
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	t.tgid = (uint32_t)start_spinning(self_path());
	check_all_in_loop(&t);
	c->close(c);
}

TEST(process_from_before_is_known)
{
	struct tally t = {.sample = tally_process, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};

	t.tgid = (uint32_t)start_spinning(self_path());
	open_or_skip(c, PERIOD_NS, 0);
	t.path = self_path();
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	check_all_in_loop(&t);
	c->close(c);
}

TEST(nothing_is_sampled_while_stopped)
{
	struct tally t = {.collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};
	uint64_t before;
	pid_t pid;

	open_or_skip(c, PERIOD_NS, 0);
	pid = start_spinning(self_path());
	burn_ms(20);
	c->drain(c, true, take_words, &t, NULL);
	CHECK(t.state.samples == 0, "samples before start");
	CHECK(!c->start(c, &e), "start: %s", e.text);
	drain_until(c, &t, &t.state.samples, 100);
	CHECK(!c->stop(c, &e), "stop: %s", e.text);
	c->drain(c, true, take_words, &t, NULL);
	before = t.state.samples;
	burn_ms(20);
	c->drain(c, true, take_words, &t, NULL);
	CHECK(t.state.samples == before, "samples while stopped");
	CHECK(!c->start(c, &e), "start: %s", e.text);
	drain_until(c, &t, &t.state.samples, before + 100);
	finish(c, &t);
	stop_spinning(pid);
	c->close(c);
}

/* Nobody reads: first the queue fills, then the ring. */
TEST(losses_of_full_rings_are_counted)
{
	struct tally t = {.collector = collector_perf()};
	struct collector_status status;
	struct collector *c = t.collector;
	double end = now_s() + DEADLINE_S;
	struct op_error e = {""};
	pid_t pid;

	open_or_skip(c, 100000, 1); /* a page: some 80 samples */
	pid = start_spinning(self_path());
	CHECK(!c->start(c, &e), "start: %s", e.text);
	while (totals(c).lost[LOST_RING] < 1000 && now_s() < end)
		usleep(100000);
	c->status(c, &status);
	CHECK(status.queues_full, "the queue was not full");
	finish(c, &t);
	CHECK(totals(c).lost[LOST_RING] >= 1000, "lost %llu in %d s",
	      (unsigned long long)totals(c).lost[LOST_RING], DEADLINE_S);
	stop_spinning(pid);
	c->close(c);
}

TEST(bad_rates_are_refused)
{
	struct collector *c = collector_perf();
	struct collector_event event = {.count = 14999, .kernel = true, .user = true};
	struct collector_config config = {.events = &event, .nr_events = 1, .clock_khz = 1000000};
	struct op_error e = {""};

	CHECK(c->open(c, &config, &e) == -EINVAL && strstr(e.text, "expected at least"), "%s",
	      e.text);
	event = (struct collector_event){.count = 100000};
	CHECK(c->open(c, &config, &e) == -EINVAL, "%s", e.text);
}

int main(int argc, char **argv)
{
	return truth_main(argc, argv);
}
