// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libopsample.c - the library that opsample preloads into programs to sample them
 *
 * It changes nothing that the program could notice: only the signal that libsampler needs has a
 * handler, standard output is not written to, and the environment is unchanged. So a signal that
 * ends the process is not handled; instead the samples are saved every few seconds. [SM-72]
 */
#include "libsampler/opsample/opsample.h"
#include "libutil/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXIT_WAIT_S	5		/* at exit, for the sampling thread to write */
#define RETRY_NS	1000000		/* between attempts to stop it */
#define SESSION_DIR	"oprofile_data"

/* A ready builder, and the state of saving. */
static struct {
	struct opsample_settings settings;
	char output[PATH_MAX];
	struct sampler_builder inner;
	struct sampler_profiler *profiler;
	_Atomic pid_t pid;		/* the sampled process; 0: none */
	uint64_t start_ns, saved_ns;
	bool is_forked;			/* since the program's start */
	struct stat error_file;		/* standard error at the start */
	atomic_bool has_any;		/* samples */
	bool has_new;			/* unsaved samples */
	bool has_failed;		/* and reported that */
	atomic_int completed;		/* a futex */
} ours;

/* This thread is in fork(), where it holds libsampler's lock. */
static _Thread_local bool is_forking __attribute__((tls_model("initial-exec")));

static void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print_error(const char *format, ...)
{
	char what[600], text[700];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "opsample: process %d: %s\n", getpid(), what);
	sampler_tell(text);
}

/* --- a builder that saves a ready builder's samples from time to time [sampling thread] --- */

/* Whether this is the command itself rather than a child of it. */
static bool is_command(void)
{
	const struct opsample_settings *s = &ours.settings;

	return !ours.is_forked && (!s->pid || s->pid == getpid());
}

/* A child of the command writes a file of its own [SM-74]. */
static int make_builder(struct sampler_error *e)
{
	const struct opsample_settings *s = &ours.settings;
	bool is_child = s->pid && s->pid != getpid();
	char path[PATH_MAX];

	if (s->format == OPSAMPLE_SESSION)
		return sampler_session_builder(ours.output, &ours.inner, e);
	if (is_child)
		snprintf(path, sizeof(path), "%.4000s.%d", ours.output, getpid());
	else
		snprintf(path, sizeof(path), "%s", ours.output);
	return sampler_file_builder((enum sampler_format)s->format, path, &ours.inner, e);
}

static int save(const struct sampler_summary *summary, struct sampler_error *e)
{
	int err = ours.inner.ops->completed(ours.inner.context, summary, e);

	ours.saved_ns = now_ns();
	ours.has_new = false;
	if (err && !ours.has_failed)
		print_error("%s", e->text);
	ours.has_failed |= err;
	return err;
}

static void save_so_far(uint64_t now)
{
	struct sampler_summary summary = {
		.start_ns = ours.start_ns,
		.duration_ns = now - ours.start_ns,
		.period_ns = NS_PER_SECOND / ours.settings.rate,
		.clock = ours.settings.clock,
	};
	struct sampler_error e = { "" };

	(void)save(&summary, &e);
}

/* In a child it is created at the first sample: most exit or call exec() before. */
static bool has_builder(void)
{
	struct sampler_error e = { "" };

	if (ours.inner.ops)
		return true;
	if (!ours.has_failed && make_builder(&e)) {
		print_error("not sampled: %s", e.text);
		ours.has_failed = true;
		sampler_stop(ours.profiler);
	}
	return ours.inner.ops;
}

static void sample(void *context, const struct sampler_sample *s)
{
	(void)context;
	if (!has_builder())
		return;
	ours.inner.ops->sample(ours.inner.context, s);
	ours.has_new = true;
	atomic_store(&ours.has_any, true);
}

/* Called even if all threads sleep and have no samples. */
static void point(void *context)
{
	uint64_t now = now_ns();

	(void)context;
	if (ours.settings.save && ours.has_new &&
	    now - ours.saved_ns >= ours.settings.save * NS_PER_SECOND)
		save_so_far(now);
	if (ours.settings.seconds && now - ours.start_ns >= ours.settings.seconds * NS_PER_SECOND)
		sampler_stop(ours.profiler);
}

static int completed(void *context, const struct sampler_summary *summary,
		     struct sampler_error *e)
{
	int err = ours.inner.ops ? save(summary, e) : 0;

	(void)context;
	atomic_store(&ours.completed, 1);
	syscall(SYS_futex, &ours.completed, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	return err;
}

static void free_builder(void *context)
{
	(void)context;
	sampler_builder_free(&ours.inner);
}

static const struct sampler_builder_ops saving_ops = {
	.size = sizeof(saving_ops),
	.sample = sample,
	.completed = completed,
	.free = free_builder,
	.point = point,
};

/* --- starting --- */

/*
 * Listing threads in /proc costs the kernel milliseconds when the process ends. A forked child is
 * listed after an interval, with all CPU time that it has used by then. An executed program has
 * used time before that was not its own, so it is listed sooner. [SM-77]
 */
static uint64_t first_look_ns(void)
{
	uint64_t interval = NS_PER_SECOND / ours.settings.rate;

	return ours.is_forked ? interval : is_command() ? 0 : interval / 10;
}

static int start_profiler(void)
{
	const struct opsample_settings *s = &ours.settings;
	const struct sampler_builder builder = { &saving_ops, NULL };
	const struct sampler_params params = {
		.size = sizeof(params),
		.initial_delay_ns = first_look_ns(),
		.interval_ns = NS_PER_SECOND / s->rate,
		.clock = s->clock,
		.flags = (s->spare_sleepers ? SAMPLER_SPARE_SLEEPERS : 0) |
			 (ours.is_forked ? SAMPLER_NEW_THREADS : 0),
	};
	struct sampler_thread self;
	int err = s->all_threads ? 0 : sampler_thread_self(&self);

	if (!err)
		err = sampler_create(s->all_threads ? NULL : &self, &params, &builder,
				     &ours.profiler);
	if (err) {
		sampler_builder_free(&ours.inner);
		return err;
	}
	err = sampler_start(ours.profiler);
	if (err) {
		sampler_destroy(ours.profiler);
		ours.profiler = NULL;
	}
	return err;
}

static void start(void)
{
	struct sampler_error e = { "" };
	int err;

	ours.start_ns = ours.saved_ns = now_ns();
	atomic_store(&ours.completed, 0);
	atomic_store(&ours.has_any, false);
	ours.has_new = ours.has_failed = false;
	err = is_command() ? make_builder(&e) : 0;
	if (!err)
		err = start_profiler();
	if (err)
		print_error("not sampled: %s", *e.text ? e.text : strerror(-err));
	else
		ours.pid = getpid();
}

static void before_fork(void)
{
	is_forking = true;
}

static void forked(void)
{
	is_forking = false;
}

/* The samples so far are the parent's; the child starts again. */
static void after_fork(void)
{
	struct sampler_profiler *inherited = ours.profiler;
	bool was_sampled = ours.pid;

	is_forking = false;
	ours.profiler = NULL;
	ours.pid = 0;
	ours.is_forked = true;
	sampler_destroy(inherited);
	/* freed with the profiler, or half changed by it and left alone */
	ours.inner = (struct sampler_builder){ 0 };
	if (was_sampled && ours.settings.children)
		start();
}

/* --- the end --- */

/* Now, because the program may change its working directory. */
static bool find_output(void)
{
	const char *to = *ours.settings.output ? ours.settings.output : SESSION_DIR;
	char here[PATH_MAX] = "";
	int n;

	if (*to != '/' && !getcwd(here, sizeof(here)))
		return false;
	n = snprintf(ours.output, sizeof(ours.output), "%s%s%s", here, *here ? "/" : "", to);
	return n > 0 && (size_t)n < sizeof(ours.output);
}

__attribute__((constructor)) static void begin(void)
{
	const char *wrong = opsample_settings_read(&ours.settings);

	if (wrong) {
		print_error("not sampled: invalid value of %s", wrong);
		return;
	}
	if (!ours.settings.children && ours.settings.pid && ours.settings.pid != getpid())
		return;
	if (!find_output()) {
		print_error("not sampled: cannot determine the working directory");
		return;
	}
	(void)fstat(STDERR_FILENO, &ours.error_file);
	sampler_use_own_files();
	start();
	/* after libsampler's: prepare runs before its handler, the others after */
	pthread_atfork(before_fork, forked, after_fork);
}

static void wait_for_completed(uint64_t until)
{
	struct timespec t = {
		.tv_sec = (time_t)(until / NS_PER_SECOND), .tv_nsec = (long)(until % NS_PER_SECOND),
	};

	syscall(SYS_futex, &ours.completed, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

/* Neither the command nor a child has samples, and standard error is still the same. [SM-78] */
static bool has_no_samples(void)
{
	char stats[PATH_MAX + 32];
	struct stat now;

	snprintf(stats, sizeof(stats), "%s/samples/current/stats", ours.output);
	return ours.settings.pid && !atomic_load(&ours.has_any) &&
	       (ours.settings.format != OPSAMPLE_SESSION || access(stats, F_OK)) &&
	       !fstat(STDERR_FILENO, &now) && now.st_dev == ours.error_file.st_dev &&
	       now.st_ino == ours.error_file.st_ino;
}

/*
 * The thread that calls exit() or _exit() may be in a signal handler, in the middle of anything,
 * with locks that the sampling thread needs: so it only waits, for a limited time, and frees
 * nothing. In the middle of fork() it does not wait. A child of vfork() is another process with our
 * memory, whose profiler must not be stopped. Other threads that end the process wait, too.
 */
static void wait_for_end(void)
{
	uint64_t now = now_ns(), limit = now + EXIT_WAIT_S * NS_PER_SECOND;
	bool is_stopped = false;

	if (ours.pid != getpid() || is_forking)
		return;
	if (!is_command() && !atomic_load(&ours.has_any)) {
		ours.pid = 0;		/* nothing to write */
		return;
	}
	while (!atomic_load(&ours.completed) && now < limit) {
		is_stopped = is_stopped || sampler_try_stop(ours.profiler);
		wait_for_completed(is_stopped ? limit : now + RETRY_NS);
		now = now_ns();
	}
	if (is_command() && !ours.has_failed && has_no_samples())
		print_error("no samples were taken: it %s less than the sampling interval of "
			    "%llu ms; increase opsample --rate",
			    ours.settings.clock == SAMPLER_CPU ? "used CPU time for" : "ran for",
			    (unsigned long long)(NS_PER_SECOND / ours.settings.rate + 999999) /
			    1000000);
	ours.pid = 0;
}

__attribute__((destructor)) static void end(void)
{
	wait_for_end();
}

/* _exit() does not run destructors; many interpreters' children end by it. */
__attribute__((noreturn, visibility("default"))) void _exit(int status)
{
	wait_for_end();
	for (;;)
		syscall(SYS_exit_group, status);
}

__attribute__((noreturn, visibility("default"))) void _Exit(int status)
{
	_exit(status);
}
