// SPDX-License-Identifier: GPL-2.0-or-later
/* actions.c - what opcontrol does: mostly one question to the daemon each */
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
#include "libutil/clock.h"
#include "libutil/say.h"

#define KILL_MS	5000		/* for the kernel to end a process */

void control_tidy(const struct control *c)
{
	struct op_error e = { "" };
	bool done;

	if (watchdog_restore(&c->host, &done, &e))
		say_warning("%s", e.text);
	else if (done)
		printf("The NMI watchdog is on again.\n");
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

static int left_ms(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

/* CPU time of a process, ns; 0: it is gone, or its kernel does not tell. */
static int64_t cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * On a slow machine what a busy one leaves to be written takes longer: who works for it is not
 * disturbed, up to four times @ms. [CC-14]
 */
static void wait_while_it_works(pid_t pid, int ms)
{
	int64_t until = now_ms() + 10 * (int64_t)ms / 3, seen = cpu_ns(pid), now;

	while (now_ms() < until && process_wait_gone(pid, ms / 5)) {
		now = cpu_ns(pid);
		if (now <= seen)
			return;
		seen = now;
	}
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

	if (err == -ETIMEDOUT && pid) {
		wait_while_it_works(pid, ms);
		if (!process_wait_gone(pid, 0))
			return 0;
		if (left_ms(deadline) < ms / 3)
			deadline = now_ms() + ms / 3;
	}
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
	control_tidy(c);
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
		printf("Changed set-up waits in %s_new for --shutdown\n", c->rc);
	strbuf_free(&answer);
	return err;
}
