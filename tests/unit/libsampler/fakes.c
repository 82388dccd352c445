// SPDX-License-Identifier: GPL-2.0-or-later
/* fakes.c - see fakes.h */
#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/libsampler/fakes.h"

/* the test is meaningless after a failure here */
#define NEED(condition)                                                                        \
	do {                                                                                   \
		if (!(condition)) {                                                            \
			printf("# %s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
			fflush(stdout);                                                        \
			_exit(1);                                                              \
		}                                                                              \
	} while (0)

/* --- the clock --- */

uint64_t clock_start = 1000 * SECOND;
static _Atomic uint64_t now, horizon, wait_limit;
static atomic_bool is_quiet;
static pthread_cond_t *_Atomic sleeper;
static void (*_Atomic before_waiting)(void);

static uint64_t fake_now(void)
{
	return now;
}

static void fake_wait(pthread_cond_t *wake, pthread_mutex_t *lock, uint32_t turn, uint64_t due)
{
	void (*call)(void) = before_waiting;

	(void)turn;
	if (call && due > wait_limit) {
		before_waiting = NULL;
		pthread_mutex_unlock(lock);
		call();
		pthread_mutex_lock(lock);
	}
	if (due <= horizon) {
		if (due > now)
			now = due;
		return;
	}
	if (horizon > now)
		now = horizon;
	sleeper = wake;
	is_quiet = true;
	pthread_cond_wait(wake, lock);
	is_quiet = false;
}

static int fake_cpu(pid_t tid, uint64_t *ret)
{
	*ret = fake_cpu_time ? fake_cpu_time(tid) : now - clock_start;
	return 0;
}

static const struct sampling_clock fake_clock = {
	.now = fake_now, .wait = fake_wait, .cpu_time = fake_cpu,
};

void fakes_begin(void)
{
	sampling_clock = &fake_clock;
	now = horizon = clock_start;
}

static void set_horizon(uint64_t to)
{
	sampling_lock();
	horizon = to;
	is_quiet = false;
	if (sampling_is_started() && sleeper)
		pthread_cond_signal(sleeper);
	if (!sampling_is_started() && to != UINT64_MAX && to > now)
		now = to;
	sampling_unlock();
}

void clock_run_to(uint64_t ns)
{
	bool is_done = false;

	set_horizon(clock_start + ns);
	while (!is_done) {
		sampling_lock();
		is_done = is_quiet || !sampling_is_started();
		if (!sampling_is_started() && horizon > now)
			now = horizon;
		sampling_unlock();
		if (!is_done)
			usleep(50);
	}
}

void clock_run_on(void)
{
	set_horizon(UINT64_MAX);
}

void clock_pass(uint64_t ns)
{
	now += ns;
}

void clock_halt(void)
{
	horizon = now;
}

uint64_t clock_now(void)
{
	return now - clock_start;
}

void clock_before_waiting_past(uint64_t ns, void (*call)(void))
{
	wait_limit = clock_start + ns;
	before_waiting = call;
}

/* --- the parts --- */

enum sampler_status (*fake_copy)(const struct copy_target *target);
bool fake_copy_spares;
int fake_install_error;
uint64_t (*fake_cpu_time)(pid_t tid);
_Atomic int fake_walkers, fake_held;

int copy_install_handler(int signal)
{
	(void)signal;
	return fake_install_error;
}

static bool was_spared;

bool copy_blocked(struct copy_target *target, struct stack_buffer *buffer, struct stack_copy *ret)
{
	(void)target, (void)ret;
	NEED(buffer->bytes);
	was_spared = true;
	return false;
}

static void run_hooks(const struct copy_order *order)
{
	for (size_t i = 0; i < order->nr_hooks; i++)
		order->hooks[i].run(order->hooks[i].context);
}

/* The answer is there at once: its status, plus 1. */
bool copy_ask(struct copy_target *target, const struct copy_order *order, struct stack_copy *ret)
{
	enum sampler_status status = fake_copy ? fake_copy(target) : SAMPLER_WHOLE;

	NEED(order->buffer->bytes && !target->attempt);
	fake_copy_spares = was_spared;
	was_spared = false;
	if (status >= SAMPLER_BLOCKED) {
		*ret = (struct stack_copy){ .status = status, .time_ns = now };
		return true;
	}
	run_hooks(order);
	target->attempt = 1 + (int)status;
	return false;
}

uint64_t fake_tick_ns, fake_first_tick_ns;
static uint64_t expected_at;		/* by a timer, in CPU time; 0: not */

static bool has_ticked(const struct copy_target *target, uint64_t *ret_cpu_ns)
{
	uint64_t used, tick = fake_first_tick_ns;

	if (!expected_at || fake_cpu(target->thread.tid, &used))
		return false;
	if (expected_at > tick)
		tick += (expected_at - tick + fake_tick_ns - 1) / fake_tick_ns * fake_tick_ns;
	*ret_cpu_ns = tick;
	return used >= tick;
}

bool copy_take(struct copy_target *target, struct stack_copy *ret)
{
	uint64_t cpu_ns;

	if (has_ticked(target, &cpu_ns)) {
		*ret = (struct stack_copy){ .time_ns = now, .cpu_ns = cpu_ns };
		expected_at = 0;
		return true;
	}
	if (!target->attempt)
		return false;
	*ret = (struct stack_copy){ .status = (enum sampler_status)(target->attempt - 1),
				    .time_ns = now };
	target->attempt = 0;
	return true;
}

void copy_expect(struct copy_target *target, const struct copy_order *order, uint64_t cpu_due)
{
	(void)target;
	NEED(fake_tick_ns);
	run_hooks(order);
	expected_at = cpu_due;
}

/* Without it samples by CPU time are asked for, too. */
int copy_start_timer(struct copy_target *target, const struct copy_order *order,
		     uint64_t first_ns, uint64_t interval_ns)
{
	(void)interval_ns;
	if (!fake_tick_ns)
		return -ENOSYS;
	copy_expect(target, order, first_ns);
	return 0;
}

bool copy_withdraw(struct copy_target *target)
{
	(void)target;
	expected_at = 0;
	return true;
}

enum copy_reach copy_reach(const struct copy_target *target)
{
	(void)target;
	return COPY_IS_OPEN;
}

void copy_release(struct copy_target *target)
{
	(void)target;
}

enum sampler_status copy_no_answer(const struct copy_target *target)
{
	(void)target;
	return SAMPLER_BLOCKED;
}

void copy_after_fork(void)
{
}

int stack_buffer_init(struct stack_buffer *b, size_t size)
{
	b->size = size ? size : 4096;
	b->bytes = malloc(b->size);
	return b->bytes ? 0 : -ENOMEM;
}

void stack_buffer_free(struct stack_buffer *b)
{
	free(b->bytes);
	b->bytes = NULL;
}

void stack_buffer_used(struct stack_buffer *b, size_t used)
{
	(void)b, (void)used;
}

void stack_buffer_trim(struct stack_buffer *b, bool all)
{
	(void)b, (void)all;
}

void modules_update(void)
{
}

void modules_hold(void)
{
	fake_held++;
}

void modules_release(void)
{
	fake_held--;
}

bool modules_loader_pause(void)
{
	return true;
}

void modules_loader_resume(void)
{
}

void modules_loader_after_fork(void)
{
}

void modules_before_fork(void)
{
}

void modules_after_fork(void)
{
}

/* One frame, and one of each unwinder that was added. */
struct walker {
	struct walk_unwinder added[WALK_UNWINDERS_MAX];
	size_t nr;
};

int walker_new(struct walker **ret)
{
	*ret = calloc(1, sizeof(**ret));
	fake_walkers++;
	return 0;
}

void walker_free(struct walker *w)
{
	for (size_t i = 0; i < w->nr; i++)
		if (w->added[i].ops->free)
			w->added[i].ops->free(w->added[i].context);
	free(w);
	fake_walkers--;
}

int walker_add(struct walker *w, const struct sampler_unwinder_ops *ops, void *context)
{
	NEED(w->nr < WALK_UNWINDERS_MAX);
	w->added[w->nr++] = (struct walk_unwinder){ .ops = ops, .context = context };
	return 0;
}

static void capture(void *context)
{
	struct walk_unwinder *u = context;

	u->ops->capture(u->context, NULL);
}

size_t walker_prepare(struct walker *w, struct walk_states *states, struct copy_hook *hooks,
		      size_t room)
{
	size_t nr = 0;

	(void)states;
	for (size_t i = 0; i < w->nr; i++)
		if (w->added[i].ops->capture) {
			NEED(nr < room);
			hooks[nr++] = (struct copy_hook){ capture, &w->added[i] };
		}
	return nr;
}

void walk_states_free(struct walk_states *states)
{
	(void)states;
}

enum sampler_status walker_walk(struct walker *w, const struct walk_states *states,
				const struct stack_copy *copy, struct sampler_frames *frames)
{
	(void)states;
	for (size_t i = 0; i <= w->nr; i++)
		frames->frames[frames->nr++] = (struct sampler_frame){ .address = 1 + i };
	return copy->status;
}

/* --- the builder --- */

static void record_capture(void *context)
{
	struct record *r = context;

	r->captures++;
}

static void record_sample(void *context, const struct sampler_sample *sample)
{
	struct record *r = context;

	NEED(r->nr < RECORD_MAX && !r->completed && !r->freed);
	r->samples[r->nr].time_ns = sample->time_ns - clock_start;
	r->samples[r->nr].tid = sample->tid;
	r->samples[r->nr].status = sample->status;
	r->samples[r->nr].nr_frames = sample->nr_frames;
	r->weight += sample->weight;
	r->samples[r->nr].nr_metadata = sample->nr_metadata;
	if (sample->nr_metadata)
		r->samples[r->nr].first = sample->metadata[0];
	r->nr++;
	if (r->on_sample)
		r->on_sample(r);
}

static void record_point(void *context)
{
	struct record *r = context;

	NEED(!r->completed && !r->freed);
	r->points++;
}

static void record_past(void *context, const struct sampler_metadata *item, uint64_t from_ns,
			uint64_t to_ns)
{
	struct record *r = context;

	r->past = *item;
	r->past_from = from_ns;
	r->past_to = to_ns;
	r->samples_before_past = r->nr;
	r->nr_past++;
}

static int record_completed(void *context, const struct sampler_summary *summary,
			    struct sampler_error *e)
{
	struct record *r = context;

	NEED(!r->freed);
	r->summary = *summary;
	r->completed++;
	return r->on_completed ? r->on_completed(r, e) : 0;
}

static void record_free(void *context)
{
	struct record *r = context;

	r->freed++;
}

static const struct sampler_builder_ops record_ops = {
	.size = sizeof(record_ops),
	.capture = record_capture,
	.sample = record_sample,
	.metadata_past = record_past,
	.completed = record_completed,
	.free = record_free,
	.point = record_point,
};

struct record *record_new(void)
{
	static struct record *_Atomic all;	/* so that no leak is seen */
	struct record *r = calloc(1, sizeof(*r));

	NEED(r);
	r->next = all;
	while (!atomic_compare_exchange_weak(&all, &r->next, r))
		;
	return r;
}

void record_reset(struct record *r)
{
	memset(r, 0, offsetof(struct record, next));
}

struct sampler_builder record_builder(struct record *r)
{
	return (struct sampler_builder){ .ops = &record_ops, .context = r };
}

void check_sums(const struct record *r, const char *what)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SAMPLER_NR_STATUS; i++)
		sum += r->summary.samples[i];
	if (sum == r->weight && r->completed == 1)
		return;
	printf("# %s: %zu samples, %llu in the summary, completed %zu times\n", what, r->nr,
	       (unsigned long long)sum, r->completed);
	fflush(stdout);
	_exit(1);
}

struct sampler_profiler *profiler_new(const struct sampler_thread *target, struct record *r,
				      uint64_t delay, uint64_t interval, uint64_t samples)
{
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_builder builder = record_builder(r);
	struct sampler_profiler *p;

	params.initial_delay_ns = delay;
	params.interval_ns = interval;
	params.samples = samples;
	NEED(!sampler_create(target, &params, &builder, &p));
	return p;
}

struct sampler_thread thread_self(void)
{
	struct sampler_thread self;

	NEED(!sampler_thread_self(&self));
	return self;
}

size_t threads_now(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	size_t nr = 0;

	NEED(dir);
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}
