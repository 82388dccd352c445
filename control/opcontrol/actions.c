// SPDX-License-Identifier: GPL-2.0-or-later
/* actions.c - the actions of opcontrol, most of which are one request to the daemon */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "control/opcontrol/actions.h"
#include "control/opcontrol/child.h"
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/daemonrc.h"
#include "control/opcontrol/offline.h"
#include "control/opcontrol/status.h"
#include "control/opcontrol/watchdog.h"
#include "libdb/session/lock.h"
#include "libutil/clock.h"
#include "libutil/message.h"

#define STATUS_MS	500		/* for the waits before a shutdown */
#define KILL_MS	5000		/* until a process that is killed has ended */

void control_restore_watchdog(const struct control *c)
{
	struct op_error e = { "" };
	bool done;

	if (watchdog_restore(&c->host, &done, &e))
		report_warning("%s", e.text);
	else if (done)
		printf("The NMI watchdog is on again.\n");
}

static void warn_of_losses_so_far(const struct control *c)
{
	struct strbuf answer = STRBUF_INIT;

	(void)daemon_ask(c->setup.session_dir, "status", &answer, NULL);
	warn_of_losses(c->setup.session_dir, answer.text);
	strbuf_free(&answer);
}

int action_dump(struct control *c, struct op_error *e)
{
	struct strbuf answer = STRBUF_INIT;
	int err = daemon_ask(c->setup.session_dir, "dump", &answer, e);
	char pending[10];

	if (!err && answer_value(answer.text, "pending", pending, sizeof(pending)))
		report_note("names of JIT code are still being read; run opcontrol --dump again "
			    "to wait for them");
	strbuf_free(&answer);
	if (!err)
		warn_of_losses_so_far(c);
	return err;
}

/* --session-dir= may have selected another directory than that of the daemon which runs. */
static int not_running(const struct control *c)
{
	if (c->saved_dir && daemon_runs(c->saved_dir))
		fprintf(stderr, "Daemon not running for session directory '%s'; oprofiled (pid %d) "
			"is running with '%s'\n", c->setup.session_dir,
			(int)session_lock_pid(c->saved_dir), c->saved_dir);
	else
		fprintf(stderr, "Daemon not running\n");
	return 0;
}

int action_stop(struct control *c, struct op_error *e)
{
	int err;

	if (!c->running)
		return not_running(c);
	printf("Stopping profiling.\n");
	fflush(stdout);
	err = daemon_ask(c->setup.session_dir, "stop", NULL, e);
	if (!err)
		warn_of_losses_so_far(c);
	return err == -ESRCH ? not_running(c) : err;
}

static int left_ms(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

/* CPU time of a process, ns; 0: it has ended, or the time is unavailable. */
static int64_t cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return t.tv_sec * (int64_t)NS_PER_SECOND + t.tv_nsec;
}

/*
 * Writing much data takes long on a slow machine: wait while the daemon uses CPU time, up to twelve
 * times @ms. [CC-14]
 */
static void wait_while_busy(pid_t pid, int ms)
{
	int64_t until = now_ms() + 12 * (int64_t)ms, seen = cpu_ns(pid), now;

	while (now_ms() < until && process_wait_gone(pid, ms / 5)) {
		now = cpu_ns(pid);
		if (now <= seen)
			return;
		seen = now;
	}
}

/* CTL-26, for a daemon that does not answer: samples that it has not written are lost. */
static int end_daemon(const char *session_dir, pid_t pid, int64_t deadline, struct op_error *e)
{
	if (!pid || !daemon_runs_after(session_dir, 0))
		return op_error_set(e, -ESRCH, "cannot find the pid of the daemon of '%s'",
				    session_dir);
	if (session_lock_signal(session_dir, SIGTERM) == -EPERM)
		return op_error_set(e, -EPERM, "process %d is not the one that wrote '%s/lock'; "
				    "find and stop oprofiled by hand", (int)pid, session_dir);
	if (!process_wait_gone(pid, left_ms(deadline)))
		return 0;
	(void)session_lock_signal(session_dir, SIGKILL);
	if (process_wait_gone(pid, KILL_MS))
		return op_error_set(e, -EBUSY, "cannot kill oprofiled (pid %d)", (int)pid);
	return op_error_set(e, -ETIMEDOUT, "oprofiled (pid %d) did not stop and was killed; "
			    "samples that it had not written are lost", (int)pid);
}

/*
 * Two thirds of the time for an answer, the rest for SIGTERM, then SIGKILL. [CC-14]
 * -EIO: it has ended and reported a problem, such as samples lost to a full disk. [CC-8]
 */
static int request_shutdown(const struct control *c, struct op_error *e)
{
	const char *session_dir = c->setup.session_dir;
	int ms = c->end_ms ? c->end_ms : CONTROL_END_MS;
	int64_t deadline = now_ms() + ms;
	pid_t pid = session_lock_pid(session_dir);
	int err = daemon_ask_within(session_dir, "shutdown", ms * 2 / 3, NULL, e);

	if (err == -ETIMEDOUT && pid) {
		wait_while_busy(pid, ms);
		if (!process_wait_gone(pid, 0))
			return 0;
		if (left_ms(deadline) < ms / 3)
			deadline = now_ms() + ms / 3;
	}
	if (err == -ESRCH)
		return not_running(c);
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
	struct strbuf status = STRBUF_INIT;
	struct op_error why = { "" };
	int err, err2;

	if (!c->running)
		return not_running(c);
	printf("Stopping profiling.\nKilling daemon.\n");
	fflush(stdout);
	(void)daemon_ask_within(dir, "status", STATUS_MS, &status, NULL);
	err = request_shutdown(c, e);
	if (err && err != -ETIMEDOUT && err != -EIO) {
		strbuf_free(&status);
		return err;
	}
	c->running = false;
	(void)session_lock_remove_stale(dir);
	if (!err)
		warn_of_losses(dir, status.text);
	strbuf_free(&status);
	control_restore_watchdog(c);
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
		printf("Nothing to save in '%s'.\n", c->setup.session_dir);
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
	err2 = driver_remove(&c->host.driver, &unloaded, err ? &why : e);
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
		printf("The set-up in %s_new takes effect after --shutdown\n", c->rc);
	strbuf_free(&answer);
	return err;
}
