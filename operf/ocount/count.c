// SPDX-License-Identifier: GPL-2.0-or-later
/* count.c - open and read counting events */
#include "operf/ocount/count.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/collect/perf/open.h"
#include "daemon/collect/perf/sysfs.h"
#include "libutil/count.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define ONLINE_FILE	"/sys/devices/system/cpu/online"
#define ATTEMPTS	50		/* to open all threads of a process before new ones start */

struct reading {
	uint64_t value, enabled, running;
};

struct count_fd {
	int fd;
	unsigned int event;
	unsigned int subject;		/* index of the row's subject */
	unsigned int part;		/* same number: the counters of one event, by kind of CPU */
	struct reading last;
};

struct count {
	struct count_request request;
	struct count_fd *fds;
	size_t nr_fds, room_fds;
	unsigned int nr_parts;
	int *subjects;
	unsigned int nr_subjects;
	size_t room_subjects;
	bool unsteady;
};

/* ---- opening ---- */

static struct perf_event_attr attr_of(const struct count_request *r, const struct perf_counter *c)
{
	return (struct perf_event_attr){
		.type = c->type,
		.size = sizeof(struct perf_event_attr),
		.config = c->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = r->mode == COUNT_COMMAND || r->mode == COUNT_PROCESSES,
		.enable_on_exec = r->mode == COUNT_COMMAND,
		.exclude_kernel = !c->kernel,
		.exclude_hv = !c->kernel,
		.exclude_user = !c->user,
	};
}

static long sys_open(const struct count_request *r, const struct perf_counter *c, pid_t pid,
		     int cpu)
{
	struct perf_event_attr a = attr_of(r, c);
	long fd = syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	struct rlimit limit;

	if (fd >= 0 || errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur == limit.rlim_max)
		return fd < 0 ? -errno : fd;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return -EMFILE;
	fd = syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* If the CPU's event for cycles is refused, try the kernel's generic one. [PC-53] */
static long open_with_fallback(const struct count_request *r, struct perf_counter *c, pid_t pid,
			       int cpu)
{
	long fd = sys_open(r, c, pid, cpu), other;
	struct perf_counter generic = *c;

	if (!c->cycles || c->type == PERF_TYPE_HARDWARE ||
	    (fd != -EINVAL && fd != -ENOENT && fd != -EOPNOTSUPP))
		return fd;
	generic.type = PERF_TYPE_HARDWARE;
	generic.config = PERF_COUNT_HW_CPU_CYCLES;
	other = sys_open(r, &generic, pid, cpu);
	if (other < 0)
		return fd;
	*c = generic;
	return other;
}

static void add_fd(struct count *c, int fd, const struct perf_counter *counter)
{
	xgrow(c->fds, c->nr_fds, c->room_fds);
	c->fds[c->nr_fds++] = (struct count_fd){
		.fd = fd,
		.event = counter->counter,
		.subject = c->nr_subjects - 1,
		.part = c->nr_parts,
	};
}

static void add_subject(struct count *c, int subject)
{
	if (c->nr_subjects && !c->request.separate)
		return;
	xgrow(c->subjects, c->nr_subjects, c->room_subjects);
	c->subjects[c->nr_subjects++] = c->request.separate ? subject : -1;
}

static void close_all(struct count *c)
{
	while (c->nr_fds)
		close(c->fds[--c->nr_fds].fd);
	c->nr_subjects = c->nr_parts = 0;
}

/* All events of one thread or one CPU. -ESRCH: the thread has ended. */
static int open_subject(struct count *c, pid_t pid, int cpu, struct op_error *e)
{
	add_subject(c, cpu < 0 ? pid : cpu);
	for (unsigned int event = 0; event < c->request.nr_events; event++, c->nr_parts++)
		for (unsigned int i = 0; i < c->request.nr_counters; i++) {
			struct perf_counter *counter = &c->request.counters[i];
			long fd;

			if (counter->counter != event ||
			    (cpu >= 0 && !perf_counter_is_on(counter, (unsigned int)cpu)))
				continue;
			fd = open_with_fallback(&c->request, counter, pid, cpu);
			if (fd == -ESRCH)
				return -ESRCH;
			if (fd < 0)
				return perf_open_error((int)fd, counter,
						    cpu < 0 ? 0 : (unsigned int)cpu, e);
			add_fd(c, (int)fd, counter);
		}
	return 0;
}

static int open_cpus(struct count *c, struct op_error *e)
{
	const struct count_request *r = &c->request;
	struct perf_cpu_set online;
	int err = perf_cpus_read(ONLINE_FILE, &online);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", ONLINE_FILE, strerror(-err));
	for (unsigned int i = 0; r->mode == COUNT_CPUS && i < r->nr_ids && !err; i++) {
		unsigned int cpu = r->ids[i];

		if (cpu >= online.end || !online.has[cpu])
			return op_error_set(e, -ENODEV, "CPU %u is not online", cpu);
		err = open_subject(c, -1, (int)cpu, e);
	}
	for (unsigned int cpu = 0; r->mode == COUNT_SYSTEM && cpu < online.end && !err; cpu++)
		if (online.has[cpu])
			err = open_subject(c, -1, (int)cpu, e);
	return err;
}

/* ---- threads of processes ---- */

struct tids {
	pid_t *tid;
	size_t nr, room;
};

static int list_threads(const struct count *c, struct tids *ret, struct op_error *e)
{
	for (unsigned int i = 0; i < c->request.nr_ids; i++) {
		char *path = xasprintf("%s/%u/task", c->request.proc, c->request.ids[i]);
		DIR *dir = opendir(path);
		struct dirent *entry;
		uint64_t tid;

		free(path);
		if (!dir)
			return op_error_set(e, -ESRCH, "process %u not found", c->request.ids[i]);
		while ((entry = readdir(dir))) {
			if (number_parse_range(entry->d_name, 1, INT_MAX, &tid))
				continue;
			xgrow(ret->tid, ret->nr, ret->room);
			ret->tid[ret->nr++] = (pid_t)tid;
		}
		closedir(dir);
	}
	return 0;
}

static bool has_tid(const struct tids *tids, pid_t tid)
{
	for (size_t i = 0; i < tids->nr; i++)
		if (tids->tid[i] == tid)
			return true;
	return false;
}

static int open_threads(struct count *c, const struct tids *tids, struct op_error *e)
{
	for (size_t i = 0; i < tids->nr; i++) {
		int err = open_subject(c, tids->tid[i], -1, e);

		if (err && err != -ESRCH)
			return err;
	}
	return 0;
}

/*
 * A thread that starts while events are being opened may or may not have inherited them, which
 * cannot be found out. So start again, until each thread is counted exactly once.
 */
static int try_processes(struct count *c, bool *ret_steady, struct op_error *e)
{
	struct tids before = { NULL, 0, 0 }, after = { NULL, 0, 0 };
	int err = list_threads(c, &before, e);

	if (!err)
		err = open_threads(c, &before, e);
	if (!err)
		err = list_threads(c, &after, e);
	*ret_steady = true;
	for (size_t i = 0; i < after.nr; i++)
		*ret_steady &= has_tid(&before, after.tid[i]);
	free(before.tid);
	free(after.tid);
	return err;
}

static int open_processes(struct count *c, struct op_error *e)
{
	bool steady = false;
	int err = 0;

	for (int i = 0; i < ATTEMPTS && !err && !steady; i++) {
		close_all(c);
		err = try_processes(c, &steady, e);
	}
	c->unsteady = !steady;
	return err;
}

/* ---- open and close ---- */

static int open_tasks(struct count *c, struct op_error *e)
{
	for (unsigned int i = 0; i < c->request.nr_ids; i++) {
		int err = open_subject(c, (pid_t)c->request.ids[i], -1, e);

		if (err == -ESRCH)
			return op_error_set(e, err, "thread %u not found", c->request.ids[i]);
		if (err)
			return err;
	}
	return 0;
}

int count_open(const struct count_request *request, struct count **ret, struct op_error *e)
{
	struct count *c = xcalloc(1, sizeof(*c));
	int err;

	c->request = *request;
	if (request->mode == COUNT_SYSTEM || request->mode == COUNT_CPUS)
		err = open_cpus(c, e);
	else if (request->mode == COUNT_PROCESSES)
		err = open_processes(c, e);
	else
		err = open_tasks(c, e);
	if (!err && !c->nr_fds)
		err = op_error_set(e, -ENODEV, "none of the events can be counted on these CPUs");
	if (err)
		count_close(c);
	else
		*ret = c;
	return err;
}

void count_close(struct count *c)
{
	if (!c)
		return;
	close_all(c);
	free(c->fds);
	free(c->subjects);
	free(c);
}

bool count_is_unsteady(const struct count *c)
{
	return c->unsteady;
}

int count_start(struct count *c, struct op_error *e)
{
	for (size_t i = 0; i < c->nr_fds && c->request.mode != COUNT_COMMAND; i++)
		if (ioctl(c->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return op_error_set(e, -errno, "cannot start counting: %s",
					    strerror(errno));
	return 0;
}

void count_stop(struct count *c)
{
	for (size_t i = 0; i < c->nr_fds; i++)
		(void)ioctl(c->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- reading ---- */

static struct reading read_since(struct count_fd *f)
{
	struct reading now, since;

	if (read(f->fd, &now, sizeof(now)) != (ssize_t)sizeof(now))
		return (struct reading){ 0, 0, 0 };
	since.value = now.value - f->last.value;
	since.enabled = now.enabled - f->last.enabled;
	since.running = now.running - f->last.running;
	f->last = now;
	return since;
}

/*
 * One event of one thread or CPU, with a counter for each kind of CPU. A thread is on one kind at a
 * time, so running times are added up, while the enabled time is the same for all.
 */
static void add_part(struct count_row *row, const struct reading *part)
{
	if (part->running)
		row->count += count_scale(part->value, part->enabled, 0, part->running);
	row->enabled_ns += part->enabled;
	row->running_ns += part->running;
}

static void read_fds(struct count *c, struct count_row *rows)
{
	for (size_t i = 0; i < c->nr_fds;) {
		struct reading part = { 0, 0, 0 };
		const struct count_fd *first = &c->fds[i];

		for (; i < c->nr_fds && c->fds[i].part == first->part; i++) {
			struct reading r = read_since(&c->fds[i]);

			part.value += r.value;
			part.running += r.running;
			part.enabled = r.enabled > part.enabled ? r.enabled : part.enabled;
		}
		if (part.running > part.enabled)
			part.enabled = part.running;
		add_part(&rows[first->subject * c->request.nr_events + first->event], &part);
	}
}

struct count_row *count_read(struct count *c, size_t *ret_nr)
{
	size_t nr = (size_t)c->nr_subjects * c->request.nr_events;
	struct count_row *rows = xcalloc(nr ? nr : 1, sizeof(*rows));

	for (size_t i = 0; i < nr; i++) {
		rows[i].subject = c->subjects[i / c->request.nr_events];
		rows[i].event = i % c->request.nr_events;
	}
	read_fds(c, rows);
	*ret_nr = nr;
	return rows;
}

double count_percent(const struct count_row *row)
{
	return row->enabled_ns ? 100.0 * (double)row->running_ns / (double)row->enabled_ns : 0;
}
