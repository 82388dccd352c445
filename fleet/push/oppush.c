// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oppush.c - send the history to engines that keep profiles of many machines
 *
 * This process has no credentials and parses nothing. It starts a process for each target, and one
 * that reads a slice when a target asks for it. All that must last is in the cursors' files, so a
 * signal may end everything at any time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fleet/push/cursor.h"
#include "fleet/push/maker.h"
#include "fleet/push/options.h"
#include "fleet/push/sender.h"
#include "fleet/push/spool.h"
#include "libutil/fd_message.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/sandbox/sandbox.h"
#include "libutil/service_manager.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"
#include "pp/cli/terminal.h"

#define RESTART_SECONDS	5	/* after a sender crashed */

struct supervisor {
	const struct push_options *o;
	struct pollfd senders[PUSH_TARGETS_MAX];	/* by target; -1: ended */
	pid_t self;
};

static _Noreturn void end_process(int status)
{
	fflush(stdout);
	_exit(status);
}

/* --- processes --- */

static _Noreturn void be_sender(const struct supervisor *v, size_t target, int socket, bool again)
{
	const struct push_options *o = v->o;
	const struct push_sending sending = {
		.target = &o->targets[target], .session_dir = o->session_dir,
		.state_dir = o->state_dir, .credentials = o->credentials, .ca_file = o->ca_file,
		.timeout_s = o->timeout_s, .catch_up = o->catch_up, .once = o->once,
		.jobs = socket,
	};
	unsigned char status;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != v->self)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 0);
	sandbox_close_others(&socket, 1);
	if (again)
		sleep(RESTART_SECONDS);
	if (o->once)
		progress_begin();
	status = (unsigned char)push_sender_run(&sending);
	progress_end();
	(void)fd_message_send(socket, &status, sizeof(status), NULL, 0);
	end_process(0);
}

static int start_sender(struct supervisor *v, size_t target, bool again)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (!pid)
		be_sender(v, target, ends[1], again);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	v->senders[target] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	return 0;
}

static void start_maker(const struct supervisor *v, size_t target, const struct push_job *job,
			int out)
{
	const struct push_source source = { v->o->session_dir, v->o->root };
	pid_t pid = fork();

	if (pid)
		return;		/* without one the sender reads nothing, and tries again */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	sandbox_close_others(&out, 1);
	push_forget_headers();
	push_make(&source, &v->o->rules, &v->o->targets[target], job, out);
	end_process(0);
}

/* A sender asks for a slice, or ends: then *ret_status is set, and the result false. */
static bool answer(struct supervisor *v, size_t target, int *ret_status)
{
	union { struct push_job job; unsigned char status; } m;
	size_t len = 0, nr = 0;
	int out, err = fd_message_receive(v->senders[target].fd, &m, sizeof(m), &len, &out, 1, &nr);

	if (!err && len == sizeof(m.job) && nr == 1) {
		start_maker(v, target, &m.job, out);
		close(out);
		return true;
	}
	close(v->senders[target].fd);
	v->senders[target].fd = -1;
	if (!err && len == sizeof(m.status)) {
		*ret_status = m.status;
		return false;
	}
	report_warning("%s: its process crashed%s", v->o->targets[target].name,
		       v->o->once ? "" : "; starting another");
	err = v->o->once ? -ECANCELED : start_sender(v, target, true);
	*ret_status = 1;
	return !err;
}

static int supervise(const struct push_options *o)
{
	struct supervisor v = { .o = o, .self = getpid() };
	size_t running = 0;
	int status = 0, its;

	signal(SIGCHLD, SIG_IGN);	/* nobody waits for them */
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < o->nr_targets; i++) {
		int err = start_sender(&v, i, false);

		v.senders[i].fd = err ? -1 : v.senders[i].fd;
		running += !err;
		status |= err != 0;
	}
	service_notify("READY=1");
	while (running) {
		if (poll(v.senders, o->nr_targets, -1) < 0 && errno != EINTR)
			return 1;
		for (size_t i = 0; i < o->nr_targets; i++)
			if (v.senders[i].fd >= 0 && v.senders[i].revents &&
			    !answer(&v, i, &its)) {
				running--;
				status |= its;
			}
	}
	return status;
}

/* --- status --- */

static void print_cursor(const struct push_options *o, const char *name)
{
	char *path = push_cursor_path(o->state_dir, name);
	struct push_slice slice = { .folder = NULL };
	struct push_cursor c;
	struct op_error e = { "" };
	uint64_t waiting = 0;

	if (push_cursor_read(path, &c, &e)) {
		report_warning("%s", e.text);
	} else {
		printf("%s\n  slices sent:     %" PRIu64 "\n  samples sent:    %" PRIu64
		       "\n  bytes sent:      %" PRIu64, name, c.slices, c.samples, c.bytes);
		if (c.samples)
			printf(" (%.1f per sample)", (double)c.bytes / (double)c.samples);
		printf("\n  tried again:     %" PRIu64 "\n  samples refused: %" PRIu64
		       " in %" PRIu64 " parts\n", c.retries, c.refused_samples, c.refused_parts);
		if (push_spool_next(o->session_dir, &c, &slice, &waiting, &e) < 0)
			report_warning("%s", e.text);
		else
			printf("  slices waiting:  %" PRIu64 "\n", waiting);
	}
	free(slice.folder);
	free(path);
}

static int print_status(const struct push_options *o)
{
	char **names = NULL;
	size_t nr = 0, room = 0;
	struct dirent *entry;
	DIR *dir = opendir(o->state_dir);

	if (!dir) {
		report_error("cannot read '%s': %s; was anything sent?", o->state_dir,
			     strerror(errno));
		return 1;
	}
	while ((entry = readdir(dir))) {
		char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".cursor") != 0 || dot == entry->d_name)
			continue;
		*dot = '\0';
		xgrow(names, nr, room);
		names[nr++] = xstrdup(entry->d_name);
	}
	closedir(dir);
	if (nr)
		qsort(names, nr, sizeof(*names), compare_texts);
	for (size_t i = 0; i < nr; i++) {
		print_cursor(o, names[i]);
		free(names[i]);
	}
	free(names);
	return 0;
}

/* --- */

/* So that no two have the same cursors. Held until this process ends. */
static int lock_state(const char *dir, struct op_error *e)
{
	int err = file_make_dirs(dir, 0755), fd;
	char *path = path_join(dir, "lock");

	fd = err ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (err || fd < 0)
		err = op_error_set(e, err ? err : -errno, "cannot create '%s': %s", path,
				   strerror(err ? -err : errno));
	else if (flock(fd, LOCK_EX | LOCK_NB))
		err = op_error_set(e, -EBUSY, "another oppush uses '%s'; choose another with "
				   "--state-dir", dir);
	free(path);
	return err;
}

/* What makers of one slice leave for those of the next. */
static int map_memories(struct push_options *o, struct op_error *e)
{
	for (size_t i = 0; i < o->nr_targets; i++) {
		struct push_target *t = &o->targets[i];

		if (!t->kind->memory)
			continue;
		t->memory = mmap(NULL, t->kind->memory, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (t->memory == MAP_FAILED)
			return op_error_set(e, -errno, "cannot map %zu bytes: %s", t->kind->memory,
					    strerror(errno));
	}
	return 0;
}

int main(int argc, const char **argv)
{
	struct push_options o;
	struct op_error e = { "" };
	int err = push_options_parse(argc, argv, &o, &e), status = 1;

	if (!err && o.asked != ASKED_WORK) {
		option_set_print(&push_option_set, o.asked);
		status = 0;
	} else if (!err && o.status) {
		status = print_status(&o);
	} else if (!err) {
		err = lock_state(o.state_dir, &e);
		if (!err)
			err = map_memories(&o, &e);
		status = err ? 1 : supervise(&o);
	}
	if (err)
		report_error("%s", e.text);
	push_options_free(&o);
	return finish_output(status);
}
