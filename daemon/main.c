// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - oprofiled: sets all up in order, then waits for samples, requests, signals and time
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "asked_events.h"
#include "control.h"
#include "cpu_clock.h"
#include "file.h"
#include "ibs.h"
#include "log.h"
#include "options.h"
#include "process.h"
#include "recorder.h"
#include "sample_header.h"
#include "say.h"
#include "session.h"

#define DRAIN_MS	1000		/* samples wait no longer, however few they are */
#define COUNTS_MS	(10 * 1000)
#define TROUBLE_MS	1000		/* instead, when counts could not be written */
#define SYNC_MS		(600 * 1000)
#define QUIET_MS	10		/* poll pause after a wake-up without words */

struct daemon {
	struct options options;
	int lock_fd, signal_fd;
	struct collector *collector;
	bool collector_open;
	struct collector_status status;
	uint64_t clock_khz;		/* the collector's, or what it was configured with */
	struct asked_events asked;
	char *events_text, *image_filter;
	struct recorder *recorder;
	struct control *control;
	int64_t drain_at, counts_at, sync_at, poll_at;	/* ms */
	bool end;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Setting up, in this order; what fails is told by the caller, once */

static int make_dirs(const struct options *o, struct op_error *e)
{
	char *current = session_samples_path(o->session_dir, SESSION_CURRENT);
	int err;

	umask(022);
	err = file_make_dirs(current, 0755);
	if (err)
		op_error_set(e, err, "cannot make the session directory '%s': %s; choose another "
			     "with --session-dir=", current, strerror(-err));
	else if (access(o->session_dir, W_OK | X_OK) || access(current, W_OK | X_OK))
		err = op_error_set(e, -errno, "cannot write to the session directory '%s': %s; "
				   "choose another with --session-dir=", o->session_dir,
				   strerror(errno));
	free(current);
	return err;
}

static int open_collector(struct daemon *d, struct op_error *e)
{
	const struct options *o = &d->options;
	struct collector_config config = {
		.cpu_type = o->cpu_type,
		.events = d->asked.collected,
		.nr_events = o->nr_events,
		.ibs = ibs_config_of(o->ext),
		.clock_khz = cpu_clock_khz(),
		.callgraph_depth = o->callgraph_depth,
		.frame_pointers_only = o->frame_pointers_only,
	};
	int err;

	d->collector = !strcmp(o->collector, "perf") ? collector_perf() : collector_device();
	err = d->collector->open(d->collector, &config, e);
	if (err)
		return err;
	d->collector_open = true;
	d->collector->status(d->collector, &d->status);
	d->clock_khz = d->status.clock_khz ? d->status.clock_khz : config.clock_khz;
	return 0;
}

static int open_recorder(struct daemon *d, struct op_error *e)
{
	const struct options *o = &d->options;
	struct recorder_config config = {
		.session_dir = o->session_dir,
		.collector = d->collector,
		.separate = o->separate,
		.kernel = o->kernel,
		.wanted = (const char *const *)o->wanted,
		.cpu_type = o->cpu_type,
		.clock_khz = d->clock_khz,
		.events = d->asked.filed,
		.nr_counters = d->asked.nr_counters,
		.nr_events = d->asked.nr_filed,
		.asked_events = d->events_text,
		.ext = o->ext,
	};
	int err = session_abi_write(o->session_dir, SAMPLE_VERSION_1X);

	if (err)
		return op_error_set(e, err, "cannot write '%s/abi': %s", o->session_dir,
				    strerror(-err));
	return recorder_open(&config, &d->recorder, e);
}

static int open_control(struct daemon *d, struct op_error *e)
{
	struct control_config config = {
		.session_dir = d->options.session_dir,
		.recorder = d->recorder,
		.image_filter = d->image_filter,
		.ext = d->options.ext,
		.callgraph_depth = d->options.callgraph_depth,
		.oprofilefs = !strcmp(d->collector->name, "module"),
	};

	return control_open(&config, &d->control, e);
}

static int open_log(const struct options *o, struct op_error *e)
{
	char *path = session_log_path(o->session_dir);
	int err = o->foreground ? 0 : log_open(path, e);

	free(path);
	log_topics = o->log_topics;
	return err;
}

/* The folder it was started in is nothing to the daemon, and must stay free to be unmounted. */
static int enter_session_dir(const struct options *o, struct op_error *e)
{
	if (chdir(o->session_dir))
		return op_error_set(e, -errno, "cannot enter '%s': %s", o->session_dir,
				    strerror(errno));
	return 0;
}

static int set_up(struct daemon *d, struct op_error *e)
{
	int err = make_dirs(&d->options, e);

	if (err)
		return err;
	d->lock_fd = lock_take(d->options.session_dir, e);
	if (d->lock_fd < 0)
		return d->lock_fd;
	err = enter_session_dir(&d->options, e);
	if (!err)
		err = open_log(&d->options, e);
	if (!err)
		err = asked_events_take(&d->options, &d->asked, e);
	if (!err)
		err = open_collector(d, e);
	if (!err)
		err = ext_open(d->options.ext, d->options.session_dir, e);
	d->events_text = options_events_text(&d->options);
	d->image_filter = options_images_text(&d->options);
	sfiles_raise_limit();
	if (!err)
		err = open_recorder(d, e);
	if (!err)
		err = open_control(d, e);
	if (!err)
		err = lock_write_pid(d->lock_fd, d->options.session_dir, e);
	return err;
}

/* In the reverse order. The answer to a shutdown comes last: then all is done. */
static void tear_down(struct daemon *d, int err, const struct op_error *e)
{
	recorder_close(d->recorder);
	ext_close(d->options.ext);
	if (d->collector_open)
		d->collector->close(d->collector);
	if (d->control)
		control_stop_listening(d->control);
	if (d->lock_fd >= 0)
		lock_remove(d->lock_fd, d->options.session_dir);
	if (d->control)
		control_answer_shutdown(d->control, err, e);
	control_close(d->control);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	log_close();
	free(d->events_text);
	free(d->image_filter);
	options_free(&d->options);
}

/* Running */

static void log_beginning(const struct daemon *d)
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
	if (d->status.note[0])
		log_line("%s", d->status.note);
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

static void take_signals(struct daemon *d)
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
	int64_t now = now_ms(), at = d->counts_at;

	if (d->sync_at < at)
		at = d->sync_at;
	if (recorder_running(d->recorder) && d->drain_at < at)
		at = d->drain_at;
	if (d->poll_at > now && d->poll_at < at)
		at = d->poll_at;
	return at > now ? at - now : 0;
}

/* Two daemons would spoil each other's sample files, so one whose lock is gone goes too. [CC-31] */
static void check_lock(const struct daemon *d)
{
	if (lock_is_ours(d->lock_fd, d->options.session_dir))
		return;
	log_line("'%s/lock' was removed: ended", d->options.session_dir);
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

static void do_what_is_due(struct daemon *d)
{
	int64_t now = now_ms();

	if (now >= d->sync_at) {
		d->sync_at = recorder_sync(d->recorder) ? 0 : now + SYNC_MS;
	}
	if (now >= d->counts_at) {
		recorder_write_counts(d->recorder);
		d->counts_at = now + (*recorder_trouble(d->recorder) ? TROUBLE_MS : COUNTS_MS);
	}
}

enum { FD_SIGNAL, FD_COLLECTOR, FD_CONTROL };

static int turn(struct daemon *d, struct op_error *e)
{
	struct pollfd fds[FD_CONTROL + CONTROL_MAX_FDS];
	int timeout = poll_timeout(d), nr_control, err = 0;
	bool listen_to_collector = now_ms() >= d->poll_at;

	fds[FD_SIGNAL] = (struct pollfd) { .fd = d->signal_fd, .events = POLLIN };
	fds[FD_COLLECTOR] = (struct pollfd){
		.fd = listen_to_collector ? d->collector->poll_fd(d->collector) : -1,
		.events = POLLIN,
	};
	nr_control = control_poll(d->control, fds + FD_CONTROL, &timeout);
	if (poll(fds, FD_CONTROL + nr_control, timeout) < 0) {
		if (errno == EINTR)
			return 0;
		return op_error_set(e, -errno, "cannot wait for samples: %s", strerror(errno));
	}
	if (fds[FD_COLLECTOR].revents || (recorder_running(d->recorder) && now_ms() >= d->drain_at))
		err = drain(d, e);
	if (fds[FD_SIGNAL].revents)
		take_signals(d);
	control_serve(d->control, fds + FD_CONTROL, nr_control);
	do_what_is_due(d);
	return err;
}

static int run(struct daemon *d, struct op_error *e)
{
	char date[LOG_DATE_SIZE], text[100];
	int err = 0, err2;

	d->counts_at = now_ms() + COUNTS_MS;
	d->sync_at = now_ms() + SYNC_MS;
	while (!err && !d->end && !control_shutdown_asked(d->control))
		err = turn(d, e);
	if (err)
		log_line("%s", e->text);
	err2 = recorder_stop(d->recorder, err ? NULL : e);
	recorder_log_statistics(d->recorder);
	snprintf(text, sizeof(text), "oprofiled stopped %s\n", log_date(date));
	log_text(text);
	return err ? err : err2;
}

int main(int argc, char **argv)
{
	struct daemon d = { .lock_fd = -1 };
	struct op_error e = { "" };
	int err, handle = -1;

	say_set_program("oprofiled");
	err = options_parse(argc, (const char **)argv, &d.options, &e);
	if (err) {
		say_error("%s", e.text);
		options_free(&d.options);
		return 1;
	}
	if (!d.options.foreground) {
		handle = daemonise();
		if (handle < 0) {
			say_error("cannot go to the background: %s", strerror(-handle));
			return 1;
		}
	}
	d.signal_fd = block_signals();
	if (d.signal_fd < 0)
		err = op_error_set(&e, -errno, "cannot take signals: %s", strerror(errno));
	else
		err = set_up(&d, &e);
	if (err) {
		say_error("%s", e.text);
	} else {
		log_beginning(&d);
		if (handle >= 0)
			daemonise_ready(handle, log_fd());
		err = run(&d, &e);
	}
	tear_down(&d, err, &e);
	return err ? 1 : 0;
}
