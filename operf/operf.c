// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf.c - profile a command, processes or the machine, with oprofiled's parts in one process
 *
 * Everything that can fail is done before the command begins, and undone if it fails. After that
 * the profile ends with the profiled processes, or by a signal, and is always written completely.
 */
#include "daemon/collect/registered/registered.h"
#include "operf/operf.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control/opcontrol/status.h"
#include "daemon/priority.h"
#include "libutil/clock.h"
#include "libutil/log.h"
#include "libutil/message.h"
#include "operf/end.h"
#include "unwind/cache.h"

#define POLL_MS		100		/* for processes that have ended, and for samples */
#define COUNTS_MS	(10 * 1000)
#define SYNC_MS		(600 * 1000)

/* ---- start ---- */

static void warn_hidden_symbols(void)
{
	char why[200];

	rights_explain_hidden(why, sizeof(why));
	report_warning("kernel addresses are hidden, so reports cannot name kernel functions: %s",
		       why);
}

static void print_rate(const struct operf *o)
{
	struct strbuf rate = STRBUF_INIT;
	char period[32];

	format_period(o->status.period_ns, period, sizeof(period));
	if (cost_bound_applies(&o->plan.bound)) {
		cost_bound_explain(&o->plan.bound, &rate);
		report_note("sampling by time (%s), every %s: %s", o->plan.by_time, period,
			    rate.text);
	} else {
		report_note("sampling by time, every %s: the count in cycles at %" PRIu64
			    " MHz (%s)", period, o->plan.clock_khz / 1000, o->plan.by_time);
	}
	strbuf_free(&rate);
}

static void print_plan(const struct operf *o)
{
	if (o->plan.is_default)
		report_note("using default event %s", o->plan.first);
	if (!o->plan.counts)
		print_rate(o);
	for (const char *line = o->plan.notes.text; *line; line += strcspn(line, "\n") + 1)
		report_note("%.*s", (int)strcspn(line, "\n"), line);
	if (o->plan.excludes_kernel)
		report_note("sampling user code only (%s)", o->rights.no_kernel);
	else if (!strcmp(recorder_info(o->recorder)->kernel_symbols, "hidden"))
		warn_hidden_symbols();
	if (o->status.note[0])
		report_note("%s", o->status.note);
}

static void log_start(const struct operf *o)
{
	char date[LOG_DATE_SIZE];

	log_line("Profiling started on %s", log_date(date));
	log_line("model %s, events %s", o->status.model, recorder_info(o->recorder)->events);
	for (size_t i = 0; o->options.command && o->options.command[i]; i++)
		log_line("argument %zu: %s", i, o->options.command[i]);
}

/* *ret_status: exit status of operf if the command cannot be executed. */
static int begin(struct operf *o, int *ret_status, struct op_error *e)
{
	char *note;
	int err;

	print_plan(o);
	if (!o->options.command)
		fprintf(stderr, "operf: Press Ctl-c or 'kill -SIGINT %d' to stop profiling\n",
			(int)getpid());
	err = recorder_start(o->recorder, e);
	if (!err)
		fprintf(stderr, "operf: Profiler started\n");
	if (!err && o->options.command) {
		err = launch_go(&o->command, e);
		if (err)
			*ret_status = launch_failure_status(err);
	}
	if (err)
		return err;
	profile_dir_keep(&o->dir);
	log_start(o);
	note = recorder_take_note(o->recorder);
	if (note)
		report_note("%s", note);
	free(note);
	return 0;
}

/* ---- running ---- */

/*
 * Wait for a command to end by itself: it gets signals from the terminal as we do, and we forward
 * those that other processes send. A second signal stops profiling immediately.
 */
static void handle_stop_signal(struct operf *o, const struct signalfd_siginfo *info)
{
	o->signals++;
	if (!o->options.command || o->signals > 1 || o->command.ended) {
		o->ended = true;
		return;
	}
	if (info->ssi_code != SI_KERNEL)
		kill(o->command.pid, (int)info->ssi_signo);
	report_note("waiting for '%s' to end; press Ctrl-C again to stop immediately",
		    o->options.command[0]);
}

static void read_signals(struct operf *o)
{
	struct signalfd_siginfo info;

	while (read(o->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			handle_stop_signal(o, &info);
}

static void check_if_ended(struct operf *o)
{
	bool any = o->options.whole_machine;

	if (o->options.command)
		any = !launch_has_ended(&o->command);
	for (unsigned int i = 0; i < o->options.nr_pids && !any; i++)
		any = !watch_has_ended(&o->processes[i]);
	o->ended |= !any;
}

static void do_periodic_work(struct operf *o)
{
	int64_t now = now_ms();

	if (now >= o->counts_at) {
		recorder_write_counts(o->recorder);
		o->counts_at = now + COUNTS_MS;
	}
	if (now >= o->sync_at)
		o->sync_at = recorder_sync(o->recorder) ? 0 : now + SYNC_MS;
}

/* The cost of events depends on how often they come. */
static void warn_of_rate(struct operf *o)
{
	struct strbuf warning = STRBUF_INIT;
	uint64_t rate;

	if (o->rate_checked || !recorder_rate(o->recorder, &rate))
		return;
	o->rate_checked = true;
	if (o->plan.counts)
		cost_bound_warn(&o->plan.bound, rate, &warning);
	if (warning.len)
		report_warning("%s", warning.text);
	strbuf_free(&warning);
}

static int run_once(struct operf *o, struct op_error *e)
{
	struct pollfd fds[] = {
		{ .fd = o->signal_fd, .events = POLLIN },
		{ .fd = o->collector->poll_fd(o->collector), .events = POLLIN },
	};
	int err = 0;

	if (poll(fds, 2, POLL_MS) < 0 && errno != EINTR)
		return op_error_set(e, -errno, "cannot wait for samples: %s", strerror(errno));
	if (fds[1].revents)
		err = recorder_drain(o->recorder, false, NULL, e);
	warn_of_rate(o);
	read_signals(o);
	check_if_ended(o);
	do_periodic_work(o);
	return err;
}

/* No shell says it, because operf itself ends with an exit status. */
static void warn_killed(const struct operf *o)
{
	int signal = o->command.ended ? launch_killed_by(&o->command) : 0;

	if (signal && signal != SIGINT && signal != SIGPIPE)
		report_warning("'%s' was killed by signal %d (%s)", o->command.name, signal,
			       strsignal(signal));
}

/* From here on signals are blocked until the profile is written. */
static int stop(struct operf *o, struct op_error *e)
{
	char date[LOG_DATE_SIZE];
	struct operf_end end = {
		.session_dir = o->dir.path,
		.log = o->log,
		.recorder = o->recorder,
		.collector = o->collector,
		.plan = &o->plan,
		.period_ns = o->status.period_ns,
		.command = o->options.command ? o->options.command[0] : NULL,
		.usage = o->command.ended ? &o->command.usage : NULL,
	};
	int err = recorder_stop(o->recorder, e);

	log_line("Profiling stopped on %s", log_date(date));
	operf_end_report(&end);
	if (o->options.command)
		warn_killed(o);
	return err;
}

static int run(struct operf *o, struct op_error *e)
{
	struct op_error why = { "" };
	int err = 0, err2;

	o->counts_at = now_ms() + COUNTS_MS;
	o->sync_at = now_ms() + SYNC_MS;
	(void)priority_begin();		/* permitted for root */
	while (!err && !o->ended) {
		err = run_once(o, e);
		(void)priority_check(now_ns());
	}
	priority_end();
	if (err)
		log_line("%s", e->text);
	err2 = stop(o, &why);
	if (!err && err2)
		op_error_set(e, err2, "%s", why.text);
	return err ? err : err2;
}

/* ---- end ---- */

static void tear_down(struct operf *o, bool failed)
{
	recorder_close(o->recorder);
	ext_close(o->plan.options.ext);
	if (failed)
		launch_cancel(&o->command);
	if (o->collector_open)
		o->collector->close(o->collector);
	registered_destroy(o->registered);
	unwind_cache_destroy(o->unwind);
	log_close();
	if (o->dir.path) {
		profile_dir_undo(&o->dir);
		profile_dir_close(&o->dir);
	}
	free(o->log);
	free(o->events_text);
	free(o->profiled);
	free((char *)o->kernel.vmlinux);
	plan_free(&o->plan);
	operf_options_free(&o->options);
}

/* Scripts rely on the command's exit status; ours is 1, or @failure to execute the command. */
static int exit_status(const struct operf *o, int err, int failure)
{
	if (failure)
		return failure;
	if (o->options.command && o->command.ended && launch_exit_status(&o->command))
		return launch_exit_status(&o->command);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	static struct operf o = { .signal_fd = -1, .dir = { .lock_fd = -1 } };
	struct op_error e = { "" };
	int failure = 0, status, err;

	set_program_name("operf");
	err = operf_options_parse(argc, (const char **)argv, &o.options, &e);
	if (!err && o.options.command) {
		err = launch_find(o.options.command[0], NULL, &e);
		failure = err ? launch_failure_status(err) : 0;
	}
	if (!err)
		err = operf_set_up(&o, &e);
	if (!err)
		err = begin(&o, &failure, &e);
	if (err) {
		report_error("%s", e.text);
		status = failure ? failure : 1;
		tear_down(&o, true);
		return status;
	}
	err = run(&o, &e);
	if (err)
		report_error("%s", e.text);
	if (o.options.command && !o.command.ended)
		report_note("'%s' (process %d) continues without profiling", o.options.command[0],
			    (int)o.command.pid);
	status = exit_status(&o, err, 0);
	fprintf(stderr, "\nProfiling done.\n");
	tear_down(&o, false);
	return status;
}
