// SPDX-License-Identifier: GPL-2.0-or-later
/* actions.c - what opcontrol does: mostly one question to the daemon each */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "actions.h"
#include "child.h"
#include "collector_choice.h"
#include "cpu_clock.h"
#include "daemon_link.h"
#include "daemon_start.h"
#include "daemonrc.h"
#include "number.h"
#include "offline.h"
#include "status.h"

#define KILL_MS	5000		/* for the kernel to end a process */

uint64_t control_clock_khz(const struct control *c, const struct setup *s)
{
	uint64_t khz = s->collector == COLLECTOR_PERF ? 0 : driver_clock_khz(&c->driver);

	return khz ? khz : cpu_clock_khz();
}

int action_init(struct control *c, struct op_error *e)
{
	struct collector_choice choice;
	int err = collector_choose(&c->driver, c->setup.collector, &choice, e);

	if (err || choice.module)
		return err;
	if (choice.no_module.text[0])
		printf("Will collect with perf_event_open(2), not the module: %s\n",
		       choice.no_module.text);
	return perf_usable(e);
}

static void print_default_event(const struct setup *s)
{
	struct strbuf spec = STRBUF_INIT;

	if (s->nr_events)
		return;
	event_spec_format(setup_event(s), &spec);
	printf("Using default event: %s\n", spec.text);
	strbuf_free(&spec);
}

int action_start_daemon(struct control *c, struct op_error *e)
{
	struct collector_choice choice;
	int err;

	if (c->running)
		return 0;	/* CTL-102 */
	err = setup_check(&c->setup, control_clock_khz(c, &c->setup), e);
	if (err)
		return err;
	print_default_event(&c->setup);
	err = daemon_start(&c->setup, &c->driver, c->verbose, &choice, e);
	if (err)
		return err;
	printf("Daemon started.\n");
	if (c->unsaved)
		err = daemonrc_save(c->rc, &c->setup, e);
	c->unsaved = c->unsaved && err;
	return err;
}

/* One line for those who expect counters: what is sampled instead, how often, and why. */
static void tell_timer(const char *status, const struct setup *s)
{
	char number[32], period[32];
	uint64_t ns = 0, khz = 0;
	const char *why;

	if (answer_value(status, "period_ns", number, sizeof(number)))
		(void)number_parse_u64(number, &ns);
	if (answer_value(status, "clock_khz", number, sizeof(number)))
		(void)number_parse_u64(number, &khz);
	if (!ns || !khz)
		return;
	(void)hardware_cycles(&why);
	format_period(ns, period, sizeof(period));
	printf("Sampling by time every %s on each CPU: the rate of %" PRIu64 " cycles at %" PRIu64
	       " MHz (%s).\n", period, setup_event(s)->count, khz / 1000, why);
}

static void tell_hidden_symbols(const char *status)
{
	char symbols[32];

	if (answer_value(status, "kernel_symbols", symbols, sizeof(symbols)) &&
	    !strcmp(symbols, "hidden"))
		printf("The kernel hides its symbols, so reports cannot name its functions: "
		       "sysctl kernel.kptr_restrict=1, then --shutdown and --start.\n");
}

/* What the daemon has to say about the session's samples: one line. [CC-9] */
static int ask_to_start(const char *session_dir, struct op_error *e)
{
	struct strbuf answer = STRBUF_INIT;
	char note[1024];
	int err = daemon_ask(session_dir, "start", &answer, e);

	if (!err && answer_value(answer.text, "note", note, sizeof(note)))
		printf("Note: %s.\n", note);
	strbuf_free(&answer);
	return err;
}

int action_start(struct control *c, struct op_error *e)
{
	bool was_running = c->running;
	struct strbuf status = STRBUF_INIT;
	int err = action_start_daemon(c, e);

	if (!err)
		err = ask_to_start(c->setup.session_dir, e);
	if (err == -ESRCH && was_running) {	/* it was dying when we looked */
		was_running = c->running = false;
		err = action_start_daemon(c, e);
		if (!err)
			err = ask_to_start(c->setup.session_dir, e);
	}
	if (!err && !was_running && !daemon_ask(c->setup.session_dir, "status", &status, NULL)) {
		tell_timer(status.text, &c->setup);
		tell_hidden_symbols(status.text);
	}
	if (!err)
		printf("Profiler running.\n");
	strbuf_free(&status);
	return err;
}

int action_dump(struct control *c, struct op_error *e)
{
	return daemon_ask(c->setup.session_dir, "dump", NULL, e);
}

static int not_running(void)
{
	fprintf(stderr, "Daemon not running\n");
	return 0;
}

int action_stop(struct control *c, struct op_error *e)
{
	int err;

	if (!c->running)
		return not_running();
	printf("Stopping profiling.\n");
	fflush(stdout);
	err = daemon_ask(c->setup.session_dir, "stop", NULL, e);
	return err == -ESRCH ? not_running() : err;
}

/* Milliseconds, for deadlines. */
static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int left_ms(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

/* CTL-26, for a daemon that does not answer: what it has not written yet is lost. */
static int end_daemon(const char *session_dir, pid_t pid, int64_t deadline, struct op_error *e)
{
	if (!pid || !daemon_runs_after(session_dir, 0))
		return op_error_set(e, -ESRCH, "cannot tell the pid of the daemon of '%s'",
				    session_dir);
	if (!daemon_owns_lock(session_dir, pid))
		return op_error_set(e, -EPERM, "'%s/lock' names process %d, which is not its "
				    "owner's; look for oprofiled yourself", session_dir, (int)pid);
	(void)kill(pid, SIGTERM);
	if (!process_wait_gone(pid, left_ms(deadline)))
		return 0;
	(void)kill(pid, SIGKILL);
	if (process_wait_gone(pid, KILL_MS))
		return op_error_set(e, -EBUSY, "oprofiled (pid %d) cannot be killed", (int)pid);
	return op_error_set(e, -ETIMEDOUT, "oprofiled (pid %d) did not end and was killed: samples "
			    "that it had not written yet are lost", (int)pid);
}

/*
 * Two thirds of the time for an answer, the rest for SIGTERM, then SIGKILL. [CC-14]
 * -EIO: it has ended, but has something to say, such as samples that a full disk cost. [CC-8]
 */
static int ask_to_end(const char *session_dir, int ms, struct op_error *e)
{
	int64_t deadline = now_ms() + ms;
	pid_t pid = daemon_pid(session_dir);
	int err = daemon_ask_within(session_dir, "shutdown", ms * 2 / 3, NULL, e);

	if (err == -ESRCH)
		return not_running();
	if (err == -EREMOTEIO && !daemon_runs_after(session_dir, 0))
		err = -EIO;
	if ((!err || err == -EIO) && (!pid || !process_wait_gone(pid, left_ms(deadline))))
		return err;
	if (!err || err == -EIO || err == -EBUSY || err == -ETIMEDOUT)
		return end_daemon(session_dir, pid, deadline, e);
	return err;
}

int action_shutdown(struct control *c, struct op_error *e)
{
	const char *dir = c->setup.session_dir;
	struct op_error why = { "" };
	int err, err2;

	if (!c->running)
		return not_running();
	printf("Stopping profiling.\nKilling daemon.\n");
	fflush(stdout);
	err = ask_to_end(dir, c->end_ms ? c->end_ms : CONTROL_END_MS, e);
	if (err && err != -ETIMEDOUT && err != -EIO)
		return err;
	c->running = false;
	(void)session_remove_stale_lock(dir);
	err2 = daemonrc_adopt_pending(c->rc, err ? &why : e);
	return err ? err : err2;
}

static int signal_daemon(struct control *c, const char *request, struct op_error *e)
{
	int err = daemon_ask(c->setup.session_dir, request, NULL, e);

	if (!err)
		printf("Signalling daemon... done\n");
	return err;
}

int action_reset(struct control *c, struct op_error *e)
{
	int err = c->running ? signal_daemon(c, "reset", e) : -ESRCH;

	return err == -ESRCH ? offline_reset(c->setup.session_dir, e) : err;
}

int action_save(struct control *c, const char *name, struct op_error *e)
{
	struct strbuf request = STRBUF_INIT;
	int err;

	if (!offline_has_samples(c->setup.session_dir) && !c->running) {
		printf("There is nothing to save in '%s'.\n", c->setup.session_dir);
		return 0;	/* CTL-132 */
	}
	if (!c->running)
		return offline_save(c->setup.session_dir, name, e);
	strbuf_addf(&request, "save %s", name);
	err = signal_daemon(c, request.text, e);
	strbuf_free(&request);
	return err == -ESRCH ? offline_save(c->setup.session_dir, name, e) : err;
}

int action_deinit(struct control *c, struct op_error *e)
{
	struct op_error why = { "" };
	bool unloaded = false;
	int err = c->running ? action_shutdown(c, e) : 0, err2;

	if (c->running)
		return err;
	err2 = driver_remove(&c->driver, &unloaded, err ? &why : e);
	if (!err2 && unloaded)
		printf("Unloading oprofile module\n");
	return err ? err : err2;
}

int action_status(struct control *c, struct op_error *e)
{
	struct strbuf answer = STRBUF_INIT;
	int err = 0;

	if (c->running)
		err = daemon_ask(c->setup.session_dir, "status", &answer, e);
	if (!c->running || err == -ESRCH) {
		status_print_setup(&c->setup, stdout);
		strbuf_free(&answer);
		return 0;
	}
	if (!err)
		status_print_running(answer.text, stdout);
	if (!err && daemonrc_has_pending(c->rc))
		printf("Changed set-up waits in %s_new for --shutdown\n", c->rc);
	strbuf_free(&answer);
	return err;
}
