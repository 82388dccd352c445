// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf.c - profile one command, some processes or the machine: oprofiled's parts in one process
 *
 * All that can fail is done before the command begins, and undone if it does. From then on nothing
 * but the end of what is profiled, or a signal, ends the profile, and then all of it is written.
 */
#include "operf/operf.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control/opcontrol/status.h"
#include "libutil/clock.h"
#include "libutil/log.h"
#include "libutil/say.h"
#include "operf/end.h"
#include "unwind/cache.h"

#define LOOK_MS		100		/* at who is still there, and at the rings */
#define COUNTS_MS	(10 * 1000)
#define SYNC_MS		(600 * 1000)

/* ---- the beginning ---- */

static void tell_hidden(void)
{
	char why[200];

	rights_explain_hidden(why, sizeof(why));
	say_warning("the kernel's samples will have no names, for its addresses are hidden: %s",
		    why);
}

static void tell_plan(const struct operf *o)
{
	char period[32];

	if (o->plan.is_default)
		say_note("using default event %s", o->plan.first);
	if (!o->plan.counts) {
		format_period(o->status.period_ns, period, sizeof(period));
		say_note("sampling by time every %s, the rate of the count in cycles at %" PRIu64
			 " MHz (%s)", period, o->plan.clock_khz / 1000, o->plan.by_time);
	}
	for (const char *line = o->plan.notes.text; *line; line += strcspn(line, "\n") + 1)
		say_note("%.*s", (int)strcspn(line, "\n"), line);
	if (o->plan.left_kernel_out)
		say_note("user code only is sampled (%s)", o->rights.no_kernel);
	else if (!strcmp(recorder_info(o->recorder)->kernel_symbols, "hidden"))
		tell_hidden();
	if (o->status.note[0])
		say_note("%s", o->status.note);
}

static void log_beginning(const struct operf *o)
{
	char date[LOG_DATE_SIZE];

	log_line("Profiling started on %s", log_date(date));
	log_line("model %s, events %s", o->status.model, recorder_info(o->recorder)->events);
	for (size_t i = 0; o->options.command && o->options.command[i]; i++)
		log_line("argument %zu: %s", i, o->options.command[i]);
}

/* *ret_status: what operf ends with if the command could not begin. */
static int begin(struct operf *o, int *ret_status, struct op_error *e)
{
	char *note;
	int err;

	tell_plan(o);
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
	log_beginning(o);
	note = recorder_take_note(o->recorder);
	if (note)
		say_note("%s", note);
	free(note);
	return 0;
}

/* ---- running ---- */

/*
 * A command ends by itself: on a terminal it gets the signals that we get, and from others we pass
 * them on. Whoever asks again does not want to wait for that.
 */
static void take_stop(struct operf *o, const struct signalfd_siginfo *info)
{
	o->signals++;
	if (!o->options.command || o->signals > 1 || o->command.ended) {
		o->ended = true;
		return;
	}
	if (info->ssi_code != SI_KERNEL)
		kill(o->command.pid, (int)info->ssi_signo);
	say_note("waiting for '%s' to end; once more stops profiling at once",
		 o->options.command[0]);
}

static void take_signals(struct operf *o)
{
	struct signalfd_siginfo info;

	while (read(o->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			take_stop(o, &info);
}

static void look_who_is_there(struct operf *o)
{
	bool any = o->options.whole_machine;

	if (o->options.command)
		any = !launch_has_ended(&o->command);
	for (unsigned int i = 0; i < o->options.nr_pids && !any; i++)
		any = !watch_has_ended(&o->processes[i]);
	o->ended |= !any;
}

static void do_what_is_due(struct operf *o)
{
	int64_t now = now_ms();

	if (now >= o->counts_at) {
		recorder_write_counts(o->recorder);
		o->counts_at = now + COUNTS_MS;
	}
	if (now >= o->sync_at)
		o->sync_at = recorder_sync(o->recorder) ? 0 : now + SYNC_MS;
}

static int turn(struct operf *o, struct op_error *e)
{
	struct pollfd fds[] = {
		{ .fd = o->signal_fd, .events = POLLIN },
		{ .fd = o->collector->poll_fd(o->collector), .events = POLLIN },
	};
	int err = 0;

	if (poll(fds, 2, LOOK_MS) < 0 && errno != EINTR)
		return op_error_set(e, -errno, "cannot wait for samples: %s", strerror(errno));
	if (fds[1].revents)
		err = recorder_drain(o->recorder, false, NULL, e);
	take_signals(o);
	look_who_is_there(o);
	do_what_is_due(o);
	return err;
}

/* From here on signals wait until all is written. */
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
	operf_end_tell(&end);
	return err;
}

static int run(struct operf *o, struct op_error *e)
{
	struct op_error why = { "" };
	int err = 0, err2;

	o->counts_at = now_ms() + COUNTS_MS;
	o->sync_at = now_ms() + SYNC_MS;
	while (!err && !o->ended)
		err = turn(o, e);
	if (err)
		log_line("%s", e->text);
	err2 = stop(o, &why);
	if (!err && err2)
		op_error_set(e, err2, "%s", why.text);
	return err ? err : err2;
}

/* ---- the end ---- */

static void tear_down(struct operf *o, bool failed)
{
	recorder_close(o->recorder);
	ext_close(o->plan.options.ext);
	if (failed)
		launch_cancel(&o->command);
	if (o->collector_open)
		o->collector->close(o->collector);
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

/* A command's own status is what scripts go by; ours is 1, or how it could not begin. */
static int end_status(const struct operf *o, int err, int failure)
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

	say_set_program("operf");
	err = operf_options_parse(argc, (const char **)argv, &o.options, &e);
	if (!err && o.options.command) {
		err = launch_find(o.options.command[0], &e);
		failure = err ? launch_failure_status(err) : 0;
	}
	if (!err)
		err = operf_set_up(&o, &e);
	if (!err)
		err = begin(&o, &failure, &e);
	if (err) {
		say_error("%s", e.text);
		status = failure ? failure : 1;
		tear_down(&o, true);
		return status;
	}
	err = run(&o, &e);
	if (err)
		say_error("%s", e.text);
	if (o.options.command && !o.command.ended)
		say_note("'%s' (process %d) goes on, unprofiled", o.options.command[0],
			 (int)o.command.pid);
	status = end_status(&o, err, 0);
	fprintf(stderr, "\nProfiling done.\n");
	tear_down(&o, false);
	return status;
}
