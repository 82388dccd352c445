// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocount.c - count events of a command, of processes, threads, CPUs or the machine
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "control/machine/rights.h"
#include "libutil/clock.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"
#include "operf/launch.h"
#include "operf/ocount/count.h"
#include "operf/ocount/format.h"
#include "operf/ocount/options.h"
#include "operf/plan.h"
#include "operf/watch.h"

#define POLL_MS		100		/* for processes that have ended */

struct ocount {
	struct ocount_options options;
	struct rights rights;
	struct plan plan;
	char *names[PLAN_EVENTS_MAX];
	struct perf_counter *counters;
	struct count *count;
	struct launch command;
	struct watch watched[OCOUNT_IDS_MAX];	/* options.ids */
	FILE *out;
	int signal_fd, timer_fd;
	sigset_t mask;
	uint64_t reported_ns;		/* time of the last report */
	uint64_t nr_reports;
	int signals;
	bool ended;
};

/* ---- set-up ---- */

static bool is_by_cpu(const struct ocount *o)
{
	return o->options.mode == COUNT_SYSTEM || o->options.mode == COUNT_CPUS;
}

static int check_rights(struct ocount *o, struct op_error *e)
{
	int err = rights_find(is_by_cpu(o), &o->rights, e);

	for (unsigned int i = 0; i < o->options.nr_ids && !is_by_cpu(o) && !err; i++)
		err = rights_check_process((pid_t)o->options.ids[i], e);
	return err;
}

/* "NAME[:mask[:kernel:user]]", without fields that have their defaults. */
static void make_names(struct ocount *o)
{
	for (unsigned int i = 0; i < o->plan.options.nr_events; i++) {
		const struct event_option *event = &o->plan.options.events[i];
		const char *mask = o->plan.masks[event->counter];
		bool sides = !event->kernel || !event->user;
		char **name = &o->names[event->counter];

		if (*name)
			continue;
		if (!mask || !*mask)
			mask = "0";
		if (sides)
			*name = xasprintf("%s:%s:%d:%d", event->name, mask, event->kernel,
					  event->user);
		else if (strcmp(mask, "0") != 0)
			*name = xasprintf("%s:%s", event->name, mask);
		else
			*name = xstrdup(event->name);
	}
}

static int make_plan(struct ocount *o, struct op_error *e)
{
	struct plan_request request = {
		.specs = o->options.specs,
		.nr_specs = o->options.nr_specs,
		.counting = true,
		.kernel = o->rights.kernel,
	};
	struct perf_machine machine = { .root = "" };
	struct collector_config config;
	unsigned int nr;
	int err = plan_make(&request, &o->plan, e);

	if (err)
		return err;
	if (o->plan.options.ext)
		return op_error_set(e, -EINVAL, "cannot count IBS events; sample them with operf");
	config = (struct collector_config){
		.cpu_type = o->plan.options.cpu_type,
		.events = o->plan.asked.collected,
		.nr_events = o->plan.options.nr_events,
	};
	make_names(o);
	return perf_counters_make(&config, &machine, &o->counters, &nr, e);
}

static int open_output(struct ocount *o, struct op_error *e)
{
	if (!o->options.output)
		o->out = stdout;
	else
		o->out = fopen(o->options.output, "we");
	return o->out ? 0 : op_error_set(e, -errno, "cannot write '%s': %s", o->options.output,
					 strerror(errno));
}

static int open_timer(struct ocount *o, struct op_error *e)
{
	o->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return o->timer_fd < 0 ?
	       op_error_set(e, -errno, "cannot create a timer: %s", strerror(errno)) : 0;
}

static int open_count(struct ocount *o, struct op_error *e)
{
	unsigned int pid = (unsigned int)o->command.pid;
	struct count_request request = {
		.mode = o->options.mode,
		.ids = o->options.command ? &pid : o->options.ids,
		.nr_ids = o->options.command ? 1 : o->options.nr_ids,
		.separate = o->options.separate,
		.counters = o->counters,
		.nr_counters = o->plan.options.nr_events,
		.nr_events = o->plan.nr,
		.proc = "/proc",
	};

	return count_open(&request, &o->count, e);
}

static int set_up(struct ocount *o, struct op_error *e)
{
	int err = check_rights(o, e);

	if (!err)
		err = make_plan(o, e);
	if (!err)
		err = open_output(o, e);
	if (!err)
		err = launch_signal_fd(&o->signal_fd, &o->mask, e);
	if (!err)
		err = open_timer(o, e);
	for (unsigned int i = 0; i < o->options.nr_ids && !is_by_cpu(o) && !err; i++)
		watch_open(&o->watched[i], (pid_t)o->options.ids[i]);
	if (!err && o->options.command)
		err = launch_prepare(&o->command, o->options.command, &o->mask, e);
	return err ? err : open_count(o, e);
}

static void print_plan(const struct ocount *o)
{
	if (o->plan.is_default)
		report_note("using default event %s", o->names[0]);
	for (const char *line = o->plan.notes.text; *line; line += strcspn(line, "\n") + 1)
		report_note("%.*s", (int)strcspn(line, "\n"), line);
	if (o->plan.excludes_kernel)
		report_note("counting user code only (%s)", o->rights.no_kernel);
	if (o->options.interval_rounded)
		report_note("interval rounded up to %llu ms",
			    (unsigned long long)o->options.interval_ms);
	if (count_is_unsteady(o->count))
		report_warning("threads start faster than their events can be opened; some may be "
			       "counted twice");
	for (unsigned int i = 0; i < o->plan.options.nr_events && o->options.verbose; i++)
		report_note("%s: perf type %u, config 0x%llx", o->counters[i].name,
			    o->counters[i].type, (unsigned long long)o->counters[i].config);
}

static void start_timer(const struct ocount *o)
{
	uint64_t ms = o->options.interval_ms;
	struct timespec every = { (time_t)(ms / 1000), (long)(ms % 1000 * NS_PER_MS) };
	struct itimerspec timer = { every, every };

	(void)timerfd_settime(o->timer_fd, 0, &timer, NULL);
}

/* *ret_status: exit status of ocount if the command cannot be executed. */
static int begin(struct ocount *o, int *ret_status, struct op_error *e)
{
	int err;

	print_plan(o);
	err = count_start(o->count, e);
	if (!err && o->options.command) {
		err = launch_go(&o->command, e);
		if (err)
			*ret_status = launch_failure_status(err);
	}
	o->reported_ns = now_ns();
	if (!err)
		start_timer(o);
	return err;
}

/* ---- counting ---- */

static void report(struct ocount *o, bool is_interval)
{
	uint64_t now = now_ns();
	struct timespec at;
	struct count_format f = {
		.mode = o->options.mode,
		.command = o->options.command ? o->options.command[0] : NULL,
		.separate = o->options.separate,
		.brief = o->options.brief,
		.names = o->names,
		.at = is_interval ? &at : NULL,
	};
	struct strbuf text = STRBUF_INIT;
	struct count_row *rows;
	size_t nr;

	clock_gettime(CLOCK_REALTIME, &at);
	rows = count_read(o->count, &nr);
	count_format(&f, rows, nr, now - o->reported_ns, &text);
	fputs(text.text, o->out);
	fflush(o->out);
	strbuf_free(&text);
	free(rows);
	o->reported_ns = now;
	o->nr_reports++;
}

/* As in operf: a command gets the terminal's signals itself, others are forwarded. */
static void read_signals(struct ocount *o)
{
	struct signalfd_siginfo info;

	while (read(o->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (!o->options.command || o->signals++)
			o->ended = true;
		else if (info.ssi_code != SI_KERNEL)
			kill(o->command.pid, (int)info.ssi_signo);
	}
}

static bool any_is_running(struct ocount *o)
{
	if (o->options.command)
		return !launch_has_ended(&o->command);
	for (unsigned int i = 0; i < o->options.nr_ids && !is_by_cpu(o); i++)
		if (!watch_has_ended(&o->watched[i]))
			return true;
	return is_by_cpu(o);
}

static void run_once(struct ocount *o)
{
	struct pollfd fds[] = {
		{ .fd = o->signal_fd, .events = POLLIN },
		{ .fd = o->timer_fd, .events = POLLIN },
	};
	uint64_t expirations;

	(void)poll(fds, 2, POLL_MS);
	if (read(o->timer_fd, &expirations, sizeof(expirations)) > 0)
		report(o, true);
	read_signals(o);
	if (!any_is_running(o))
		o->ended = true;
	if (o->options.nr_intervals && o->nr_reports >= o->options.nr_intervals)
		o->ended = true;
}

static void run(struct ocount *o)
{
	while (!o->ended)
		run_once(o);
	count_stop(o->count);
	/* the last interval may be incomplete */
	if (!o->options.nr_intervals || o->nr_reports < o->options.nr_intervals)
		report(o, o->options.interval_ms);
	if (o->options.command && !o->command.ended && o->signals < 2)
		launch_wait(&o->command);	/* it continues after the last interval */
}

/* ---- end ---- */

static int close_output(const struct ocount *o)
{
	if (!o->options.output)
		return finish_output(0);
	if (ferror(o->out) | fclose(o->out)) {
		report_error("cannot write '%s': %s", o->options.output, strerror(errno));
		return 1;
	}
	return 0;
}

static void tear_down(struct ocount *o, bool failed)
{
	if (failed)
		launch_cancel(&o->command);
	count_close(o->count);
	free(o->counters);
	for (unsigned int i = 0; i < PLAN_EVENTS_MAX; i++)
		free(o->names[i]);
	plan_free(&o->plan);
	ocount_options_free(&o->options);
}

int main(int argc, char **argv)
{
	static struct ocount o = { .signal_fd = -1, .timer_fd = -1 };
	struct op_error e = { "" };
	int failure = 0, status, err;

	set_program_name("ocount");
	err = ocount_options_parse(argc, (const char **)argv, &o.options, &e);
	if (!err && o.options.command) {
		err = launch_find(o.options.command[0], NULL, &e);
		failure = err ? launch_failure_status(err) : 0;
	}
	if (!err)
		err = set_up(&o, &e);
	if (!err)
		err = begin(&o, &failure, &e);
	if (err) {
		report_error("%s", e.text);
		tear_down(&o, true);
		return failure ? failure : 1;
	}
	run(&o);
	status = close_output(&o);
	if (o.options.command && o.command.ended && launch_exit_status(&o.command))
		status = launch_exit_status(&o.command);
	tear_down(&o, false);
	return status;
}
