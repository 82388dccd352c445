// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bound.c - keep what sampling costs below a bound
 *
 * By time the period is lengthened. It becomes one of a few round ones, or the one of the session
 * that is continued: samples of another period cannot be added to it [CC-34], and two measurements
 * never agree exactly.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "control/plan/plan.h"
#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/count.h"

#define RESERVE		0.8		/* of the bound: caches are colder at a low rate */
#define MEASUREMENTS_MAX 3
#define COST_ASSUMED_NS	(40 * 1000)	/* if it cannot be measured: 200 samples a second at 1 % */
#define MORE_SAMPLES	4		/* times as many are worth a new session */

/* ---- the period ---- */

/* The shortest round period that is not shorter than @ns. */
static uint64_t round_period(double ns)
{
	static const unsigned int steps[] = { 100, 125, 160, 200, 250, 320, 400, 500, 625, 800 };
	uint64_t unit = 1;

	for (;; unit *= 10)
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			if ((double)(steps[i] * unit) >= ns || unit >= NS_PER_SECOND)
				return steps[i] * unit;
}

/*
 * An earlier period may use the whole bound, so that the cost may be measured as a quarter more
 * than when it was chosen. It is given up if many more samples would fit: not because the machine
 * was busier when the session began, but because the bound was changed.
 */
uint64_t bounded_period(uint64_t asked_ns, uint64_t cost_ns, double max_cost, uint64_t earlier_ns)
{
	double least = (double)(cost_ns ? cost_ns : COST_ASSUMED_NS) * 100 / max_cost;
	uint64_t period;

	if ((double)asked_ns >= least / RESERVE)
		return asked_ns;
	period = round_period(least / RESERVE);
	if (period < asked_ns)
		period = asked_ns;
	if (earlier_ns >= asked_ns && (double)earlier_ns >= least &&
	    earlier_ns <= MORE_SAMPLES * period)
		return earlier_ns;
	return period;
}

/* The count whose period, rounded down, is @ns. */
static uint64_t count_of_period(uint64_t ns, uint64_t clock_khz)
{
	uint64_t count = count_scale(ns, clock_khz, NS_PER_MS - 1, NS_PER_MS);

	return count < UINT32_MAX ? count : UINT32_MAX;	/* oprofiled's limit */
}

static uint64_t period_of_count(uint64_t count, uint64_t clock_khz)
{
	return count_scale(count, NS_PER_MS, 0, clock_khz);
}

/*
 * 0: unknown. What disturbs a measurement makes it larger, so try again before a session cannot be
 * continued because of it.
 */
static uint64_t measure_cost(const struct setup *s, measure_cost_fn *measure, uint64_t earlier_ns)
{
	uint64_t least = 0, ns;

	for (int i = 0; i < MEASUREMENTS_MAX; i++) {
		if (!measure(s->callgraph_depth, s->frame_pointers_only, &ns) &&
		    (!least || ns < least))
			least = ns;
		if (least && (!earlier_ns ||
			      (double)least * 100 / s->max_cost <= (double)earlier_ns))
			break;
	}
	return least;
}

void event_plan_bound(struct event_plan *p, const struct collector_choice *c,
		      const struct setup *s, measure_cost_fn *measure, uint64_t earlier_ns)
{
	struct event_option *event = &p->events[0];
	struct cost_bound b = { .max_cost = s->max_cost };

	snprintf(b.event, sizeof(b.event), "%s:%" PRIu64, p->settled[0].name, p->settled[0].count);
	if (!c->counts)
		b.asked_ns = b.period_ns = period_of_count(event->count, c->clock_khz);
	if (b.max_cost > MAX_COST_NONE)
		b.cost_ns = measure_cost(s, measure, c->counts ? 0 : earlier_ns);
	if (!c->counts && b.max_cost > MAX_COST_NONE)
		b.period_ns = bounded_period(b.asked_ns, b.cost_ns, b.max_cost, earlier_ns);
	if (cost_bound_applies(&b)) {
		event->count = count_of_period(b.period_ns, c->clock_khz);
		b.period_ns = period_of_count(event->count, c->clock_khz);
	}
	p->bound = b;
}

uint64_t session_timer_period(const char *session_dir)
{
	char *stats_dir = session_stats_path(session_dir, SESSION_CURRENT, NULL);
	struct session_info info;
	int err = session_info_read(stats_dir, &info);

	free(stats_dir);
	return err ? 0 : info.period_ns;
}

/* ---- what users read ---- */

static void add_rate(struct strbuf *out, uint64_t period_ns)
{
	double rate = (double)NS_PER_SECOND / (double)period_ns;

	strbuf_addf(out, rate < 10 ? "%.2g/s" : "%.0f/s", rate);
}

void cost_bound_explain(const struct cost_bound *b, struct strbuf *out)
{
	add_rate(out, b->period_ns);
	strbuf_add(out, " instead of ");
	add_rate(out, b->asked_ns);
	strbuf_addf(out, " (%s), to cost less than %g %% of each CPU ", b->event,
		    b->max_cost);
	if (b->cost_ns)
		strbuf_addf(out, "at %.1f us a sample", (double)b->cost_ns / 1000);
	else
		strbuf_add(out, "(what a sample costs could not be measured)");
	strbuf_add(out, "; --exact-count samples as requested");
}

void cost_bound_warn(const struct cost_bound *b, uint64_t rate, struct strbuf *out)
{
	double cost = (double)(rate * b->cost_ns) * 100 / (double)NS_PER_SECOND;
	double most = b->max_cost > COUNTERS_MAX_COST ? b->max_cost : COUNTERS_MAX_COST;
	uint64_t times = (uint64_t)(cost / MAX_COST_DEFAULT);

	if (b->max_cost <= MAX_COST_NONE || cost <= most)
		return;
	times += (double)times * MAX_COST_DEFAULT < cost;
	strbuf_addf(out, "sampling takes about %.0f %% of the busiest CPU: %" PRIu64 " samples a "
		    "second at %.1f us each; use a count %" PRIu64 " times as large, or "
		    "--exact-count to accept that", cost, rate, (double)b->cost_ns / 1000,
		    times);
}
