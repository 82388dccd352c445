// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd.c - 64 threads at once, with all samples counted: in each thread, in the summary, and in
 * the file of a builder
 *
 * No count depends on how fast or busy the machine is.
 */
#include "tests/unit/libsampler/seen.h"

#define NR_THREADS	64
#define NR_POINTS	20
#define WORK		2.5		/* of each, in intervals */

/* --- threads that wait, work on request, and wait again --- */

static struct member {
	pthread_t thread;
	clockid_t clock;
	atomic_int tid, is_done;
	int samples;
} crowd[NR_THREADS + 1];		/* the last one is the main thread */

static pthread_barrier_t gate, end_gate;
static uint64_t work_ns;

static void *attend(void *context)
{
	struct member *m = context;

	m->tid = gettid();
	pthread_barrier_wait(&gate);
	spend(work_ns);
	m->is_done = 1;
	pthread_barrier_wait(&end_gate);
	return NULL;
}

static void gather(uint64_t work)
{
	work_ns = work;
	pthread_barrier_init(&gate, NULL, NR_THREADS + 1);
	pthread_barrier_init(&end_gate, NULL, NR_THREADS + 1);
	crowd[NR_THREADS] = (struct member){
		.thread = pthread_self(), .clock = CLOCK_THREAD_CPUTIME_ID, .tid = gettid(),
	};
	for (int i = 0; i < NR_THREADS; i++) {
		CHECK(!pthread_create(&crowd[i].thread, NULL, attend, &crowd[i]), "thread %d", i);
		CHECK(!pthread_getcpuclockid(crowd[i].thread, &crowd[i].clock), "its clock");
	}
	for (int i = 0; i < NR_THREADS; i++)
		while (!crowd[i].tid)
			usleep(100);
}

static void wait_for_work(void)
{
	for (int i = 0; i < NR_THREADS; i++)
		while (!crowd[i].is_done)
			usleep(1000);
}

static void disperse(void)
{
	pthread_barrier_wait(&end_gate);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(crowd[i].thread, NULL);
}

/* --- a builder that counts for each thread, and passes samples to a ready one --- */

static struct sampler_builder ready;
static atomic_int points;
static int strangers;
static struct sampler_summary summary;

static void count_sample(void *unused, const struct sampler_sample *s)
{
	int i = 0;

	(void)unused;
	while (i <= NR_THREADS && crowd[i].tid != s->tid)
		i++;
	if (i <= NR_THREADS)
		crowd[i].samples += (int)s->weight;
	else
		strangers += (int)s->weight;
	ready.ops->sample(ready.context, s);
}

static void count_point(void *unused)
{
	(void)unused;
	points++;
}

static int pass_on(void *unused, const struct sampler_summary *s, struct sampler_error *e)
{
	(void)unused;
	summary = *s;
	return ready.ops->completed(ready.context, s, e);
}

static void free_ready(void *unused)
{
	(void)unused;
	sampler_builder_free(&ready);
}

static const struct sampler_builder_ops ops = {
	.size = sizeof(ops),
	.sample = count_sample, .point = count_point, .completed = pass_on, .free = free_ready,
};

static char folded[64];

static struct sampler_profiler *start_all(enum sampler_clock clock, uint64_t interval_ns,
					  uint64_t samples, unsigned int flags)
{
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_builder builder = { &ops, NULL };
	struct sampler_profiler *p = NULL;

	snprintf(folded, sizeof(folded), "/tmp/sampler_crowd.%d", getpid());
	params.interval_ns = interval_ns;
	params.samples = samples;
	params.clock = clock;
	params.flags = flags;
	CHECK(!sampler_file_builder(SAMPLER_FOLDED, folded, &ready, NULL), "a builder");
	CHECK(!sampler_create(NULL, &params, &builder, &p) && !sampler_start(p), "start");
	return p;
}

/* --- the counts --- */

static uint64_t counted_by_thread(void)
{
	uint64_t sum = 0;

	for (int i = 0; i <= NR_THREADS; i++)
		sum += (uint64_t)crowd[i].samples;
	return sum;
}

static uint64_t counted_by_status(size_t from, size_t to)
{
	uint64_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += summary.samples[i];
	return sum;
}

/* "a;b;c 12": a line for each stack */
static uint64_t written(void)
{
	FILE *f = fopen(folded, "r");
	char *line = NULL, *count;
	uint64_t sum = 0;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		count = strrchr(line, ' ');
		if (*line != '#' && count)
			sum += strtoull(count, NULL, 10);
	}
	free(line);
	if (f)
		fclose(f);
	unlink(folded);
	return sum;
}

/*
 * All samples are in the file, and as [lost] those that were missed [SM-79]. The summary has how
 * long threads stood still.
 */
static void check_sums(void)
{
	uint64_t sum = counted_by_thread();
	uint64_t in_file = written();

	CHECK(!strangers, "%d samples of nobody", strangers);
	CHECK(sum == counted_by_status(0, SAMPLER_NR_STATUS), "%llu in the summary",
	      (unsigned long long)counted_by_status(0, SAMPLER_NR_STATUS));
	CHECK(in_file == sum + summary.missed, "%llu in the file of %llu and %llu missed",
	      (unsigned long long)in_file, (unsigned long long)sum,
	      (unsigned long long)summary.missed);
	CHECK(!sum == !summary.still_median_ns &&
	      summary.still_median_ns <= summary.still_p99_ns &&
	      summary.still_p99_ns <= summary.still_max_ns, "%llu, %llu, %llu ns",
	      (unsigned long long)summary.still_median_ns,
	      (unsigned long long)summary.still_p99_ns, (unsigned long long)summary.still_max_ns);
}

/* --- */

TEST(each_of_64_threads_at_each_point_of_the_grid)
{
	struct sampler_profiler *p;

	gather(0);
	p = start_all(SAMPLER_WALL, MS, NR_POINTS, 0);
	CHECK(!sampler_join(p, NULL), "join");
	sampler_destroy(p);
	for (int i = 0; i <= NR_THREADS; i++)
		CHECK(crowd[i].samples == NR_POINTS, "%d of thread %d", crowd[i].samples, i);
	CHECK(points == NR_POINTS, "%d points", points);
	CHECK(summary.duration_ns >= (NR_POINTS + summary.missed) * MS,
	      "%llu ns, of which %llu points were left out",
	      (unsigned long long)summary.duration_ns, (unsigned long long)summary.missed);
	check_sums();
	pthread_barrier_wait(&gate);
	disperse();
}

static uint64_t used_by(const struct member *m)
{
	struct timespec t = { 0, 0 };

	CHECK(!clock_gettime(m->clock, &t), "a clock");
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

/*
 * Threads that exist at the first point are sampled after each interval of CPU time since, and all
 * time used by the last point is samples and missed ones: at least the work in between, at most the
 * time used from before the start until after the end.
 */
static void sample_cpu_time(uint64_t interval_ns)
{
	uint64_t before[NR_THREADS + 1], most = 0, sum;
	struct sampler_profiler *p;
	int now;

	gather((uint64_t)(WORK * (double)interval_ns));
	for (int i = 0; i <= NR_THREADS; i++)
		before[i] = used_by(&crowd[i]);
	p = start_all(SAMPLER_CPU, interval_ns, 0, 0);
	while (points < 1)
		usleep(100);
	pthread_barrier_wait(&gate);
	wait_for_work();
	for (now = points; points < now + 2;)
		usleep(100);		/* until a whole point has passed */
	sampler_stop(p);
	CHECK(!sampler_join(p, NULL), "join");
	sampler_destroy(p);
	for (int i = 0; i <= NR_THREADS; i++)
		most += (used_by(&crowd[i]) - before[i]) / interval_ns;
	sum = counted_by_thread() + summary.missed;
	CHECK(!counted_by_status(SAMPLER_BLOCKED, SAMPLER_NR_STATUS), "each had a stack");
	CHECK(sum >= NR_THREADS * (uint64_t)WORK && sum <= most, "%llu, %llu of them missed",
	      (unsigned long long)sum, (unsigned long long)summary.missed);
	check_sums();
	disperse();
}

/*
 * Threads that are new use parts of intervals, too. Each has a sample more with the probability of
 * that part, so the sum of 65 threads deviates by 4 at most from the time that they used, and whole
 * intervals only would be 45 less.
 */
TEST(parts_of_intervals_count_on_average)
{
	const uint64_t interval_ns = 11 * MS;
	struct sampler_profiler *p;
	int64_t used = 0, sum;
	int now;

	gather((uint64_t)(2.7 * (double)interval_ns));
	p = start_all(SAMPLER_CPU, interval_ns, 0, SAMPLER_NEW_THREADS);
	while (points < 1)
		usleep(100);
	pthread_barrier_wait(&gate);
	wait_for_work();
	for (now = points; points < now + 2;)
		usleep(100);
	sampler_stop(p);
	CHECK(!sampler_join(p, NULL), "join");
	sampler_destroy(p);
	for (int i = 0; i <= NR_THREADS; i++)
		used += (int64_t)used_by(&crowd[i]);
	sum = (int64_t)(counted_by_thread() + summary.missed);
	CHECK(llabs(sum - used / (int64_t)interval_ns) <= 21, "%lld of %lld", (long long)sum,
	      (long long)(used / (int64_t)interval_ns));
	check_sums();
	disperse();
}

/*
 * New threads whose timers are ahead of what they used have a sample when a tick finds them
 * running. If that came at once, half of these would have one, which sleep nearly all the time:
 * timers are ahead by half a tick at first, and the interval is a tick.
 */
TEST(short_work_has_no_more_samples_than_are_due)
{
	struct sampler_profiler *p;
	uint64_t used = 0, sum, tick;
	struct timespec t;

	CHECK(!clock_getres(CLOCK_MONOTONIC_COARSE, &t), "the tick");
	tick = (uint64_t)t.tv_nsec;
	gather(0);
	p = start_all(SAMPLER_CPU, tick, 0, SAMPLER_NEW_THREADS);
	while (points < 3)
		usleep(100);
	sampler_stop(p);
	CHECK(!sampler_join(p, NULL), "join");
	sampler_destroy(p);
	for (int i = 0; i <= NR_THREADS; i++)
		used += used_by(&crowd[i]);
	sum = counted_by_thread();
	CHECK(sum <= used / tick + 8, "%llu of %llu", (unsigned long long)sum,
	      (unsigned long long)(used / tick));
	check_sums();
	pthread_barrier_wait(&gate);
	disperse();
}

/* By asking threads. */
TEST(cpu_time_of_64_threads_is_all_sampled_or_missed)
{
	sample_cpu_time(MS);
}

/* By timers of their own, for these intervals are longer than the tick of any usual kernel. */
TEST(cpu_time_of_64_threads_with_timers)
{
	sample_cpu_time(11 * MS);
}

TEST_MAIN()
