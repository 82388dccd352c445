// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - oprofiled: set everything up, then wait for samples, requests, signals and time
 */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "daemon/daemon.h"
#include "daemon/priority.h"
#include "daemon/privileges.h"
#include "daemon/process.h"
#include "libdb/session/lock.h"
#include "libutil/clock.h"
#include "libutil/log.h"
#include "libutil/message.h"
#include "libutil/opener/ask.h"
#include "libutil/service_manager.h"

#define DRAIN_MS	1000		/* between two drains, however few samples wait */
#define COUNTS_MS	(10 * 1000)	/* between two writes of the counts */
#define TROUBLE_MS	1000		/* the same while they cannot be written */
#define SYNC_MS		(600 * 1000)
#define QUIET_MS	10		/* pause after a wake-up without words */
#define MMAP_BYTES	(128 << 10)	/* blocks from this size on are returned when freed */

/* Running */

static void log_start(const struct daemon *d)
{
	char date[LOG_DATE_SIZE], text[200];

	snprintf(text, sizeof(text), "oprofiled started %s\nkernel pointer size: %zu\n",
		 log_date(date), sizeof(op_word));
	log_text(text);
	if (d->status.period_ns)
		snprintf(text, sizeof(text), "a sample every %" PRIu64 " ns", d->status.period_ns);
	else
		snprintf(text, sizeof(text), "CPU type %s", d->status.cpu_type);
	log_line("collector %s, model %s, %s; events %s", d->collector->name, d->status.model, text,
		 d->events_text);
	if (d->no_bpf.text[0])
		log_line("%s", d->no_bpf.text);
	if (d->status.note[0])
		log_line("%s", d->status.note);
	privileges_log(&d->user);
}

static int block_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void handle_signals(struct daemon *d)
{
	struct signalfd_siginfo info;

	while (read(d->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGHUP:
			recorder_close_files(d->recorder);
			log_reopen();
			if (!d->options.foreground) {
				dup2(log_fd(), STDOUT_FILENO);
				dup2(log_fd(), STDERR_FILENO);
			}
			log_line("Received SIGHUP.");
			break;
		case SIGALRM:
			d->sync_at = 0;
			break;
		default:
			d->end = true;
		}
	}
}

static int poll_timeout(const struct daemon *d)
{
	int64_t now = now_ms(), at = now + service_alive();

	if (d->counts_at < at)
		at = d->counts_at;
	if (d->sync_at < at)
		at = d->sync_at;
	if (recorder_running(d->recorder) && d->drain_at < at)
		at = d->drain_at;
	if (d->poll_at > now && d->poll_at < at)
		at = d->poll_at;
	return at > now ? at - now : 0;
}

/*
 * Without the lock another daemon may start, and two would damage each other's sample files, so a
 * daemon whose lock file was removed exits. [CC-31]
 */
static void check_lock(const struct daemon *d)
{
	if (session_lock_is_ours(d->lock_fd, d->options.session_dir))
		return;
	log_line("'%s/lock' was removed; exiting", d->options.session_dir);
	_exit(1);
}

static int drain(struct daemon *d, struct op_error *e)
{
	int64_t now;
	bool some;
	int err;

	check_lock(d);
	err = recorder_drain(d->recorder, false, &some, e);
	now = now_ms();
	d->drain_at = now + DRAIN_MS;
	d->poll_at = some ? 0 : now + QUIET_MS;
	return err;
}

/* Logged once: it may happen every other second. */
static void check_priority(struct daemon *d)
{
	if (!priority_check(now_ns()) || d->capped)
		return;
	d->capped = true;
	log_line("used more than its budget of CPU time: at normal priority until it is less");
}

static void run_periodic_work(struct daemon *d)
{
	int64_t now = now_ms();

	check_priority(d);
	if (now >= d->sync_at) {
		d->sync_at = recorder_sync(d->recorder) ? 0 : now + SYNC_MS;
	}
	if (now >= d->counts_at) {
		recorder_write_counts(d->recorder);
		d->counts_at = now + (*recorder_trouble(d->recorder) ? TROUBLE_MS : COUNTS_MS);
	}
}

enum { FD_SIGNAL, FD_COLLECTOR, FD_TABLE, FD_CONTROL };

static int run_once(struct daemon *d, struct op_error *e)
{
	struct pollfd fds[FD_CONTROL + CONTROL_MAX_FDS];
	int timeout = poll_timeout(d), nr_control, err = 0;
	bool listen_to_collector = now_ms() >= d->poll_at;

	fds[FD_SIGNAL] = (struct pollfd) { .fd = d->signal_fd, .events = POLLIN };
	fds[FD_COLLECTOR] = (struct pollfd){
		.fd = listen_to_collector ? d->collector->poll_fd(d->collector) : -1,
		.events = POLLIN,
	};
	fds[FD_TABLE] = (struct pollfd){
		.fd = recorder_table_fd(d->recorder),
		.events = POLLIN,
	};
	nr_control = control_poll(d->control, fds + FD_CONTROL, &timeout);
	if (poll(fds, FD_CONTROL + nr_control, timeout) < 0) {
		if (errno == EINTR)
			return 0;
		return op_error_set(e, -errno, "cannot wait for samples: %s", strerror(errno));
	}
	if (fds[FD_COLLECTOR].revents || fds[FD_TABLE].revents ||
	    (recorder_running(d->recorder) && now_ms() >= d->drain_at))
		err = drain(d, e);
	if (fds[FD_SIGNAL].revents)
		handle_signals(d);
	control_serve(d->control, fds + FD_CONTROL, nr_control);
	run_periodic_work(d);
	if (!err && !opener_is_alive())
		err = op_error_set(e, -ECHILD, "the process that opens files has ended; exiting");
	return err;
}

static int run(struct daemon *d, struct op_error *e)
{
	char date[LOG_DATE_SIZE], text[100];
	int err = 0, err2;

	d->counts_at = now_ms() + COUNTS_MS;
	d->sync_at = now_ms() + SYNC_MS;
	if (priority_begin() == PRIORITY_NORMAL)
		log_line("running at normal priority: a raised one is not permitted");
	while (!err && !d->end && !control_shutdown_requested(d->control))
		err = run_once(d, e);
	if (err)
		log_line("%s", e->text);
	service_notify("STOPPING=1");	/* writing what is left may take long */
	priority_end();
	err2 = recorder_stop(d->recorder, err ? NULL : e);
	recorder_log_statistics(d->recorder);
	snprintf(text, sizeof(text), "oprofiled stopped %s\n", log_date(date));
	log_text(text);
	return err ? err : err2;
}

/*
 * By default malloc() raises this threshold when a large block is freed: after the first large
 * binary, blocks of up to 32 MiB would come from its heaps, whose holes are not returned to the
 * system. Unwind tables are among the largest blocks and live long.
 */
static void return_freed_memory(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
}

int main(int argc, char **argv)
{
	struct daemon d = { .lock_fd = -1 };
	struct op_error e = { "" };
	int err, handle = -1;

	return_freed_memory();
	set_program_name("oprofiled");
	err = options_parse(argc, (const char **)argv, &d.options, &e);
	if (err) {
		report_error("%s", e.text);
		options_free(&d.options);
		return 1;
	}
	if (!d.options.foreground) {
		handle = daemonize();
		if (handle < 0) {
			report_error("cannot run in the background: %s", strerror(-handle));
			return 1;
		}
	}
	d.signal_fd = block_signals();
	if (d.signal_fd < 0)
		err = op_error_set(&e, -errno, "cannot handle signals: %s", strerror(errno));
	else
		err = daemon_set_up(&d, &e);
	if (!err && d.options.begin)
		err = recorder_start(d.recorder, &e);
	if (err) {
		report_error("%s", e.text);
	} else {
		log_start(&d);
		if (handle >= 0)
			daemonize_ready(handle, log_fd());
		service_notify("READY=1");
		err = run(&d, &e);
	}
	daemon_tear_down(&d, err, &e);
	return err ? 1 : 0;
}
