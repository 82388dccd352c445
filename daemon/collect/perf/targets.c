// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * targets.c - find the threads of processes, and open events for each
 */
#include "daemon/collect/perf/targets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/perf/rings.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

/*
 * Looks at a process' threads. In one that always starts some, each look finds new ones; but
 * after a few of them these have inherited all that there is.
 */
#define LOOKS_MAX	32

#define TASK_ANY	UINT_MAX	/* it has one set only, whose ever */

/* The threads of @pid, one at a time, for as long as @each returns 0. -ESRCH: it isn't there. */
static int each_thread(const struct perf_targets *t, pid_t pid,
		       int (*each)(void *context, pid_t tid), void *context)
{
	char *path = xasprintf("%s/%d/task", t->proc, (int)pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t tid;
	int err = 0;

	free(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (entry = readdir(dir)))
		if (!number_parse_range(entry->d_name, 1, INT_MAX, &tid))
			err = each(context, (pid_t)tid);
	closedir(dir);
	return err;
}

static int note_before(void *targets, pid_t tid)
{
	struct perf_targets *t = targets;

	xgrow(t->before, t->nr_before, t->room_before);
	t->before[t->nr_before++] = tid;
	return 0;
}

int perf_targets_init(struct perf_targets *t, const struct collector_targets *wanted,
		      const char *proc, struct perf_event_setup *setup, struct op_error *e)
{
	*t = (struct perf_targets){ .wanted = wanted, .proc = proc };
	for (unsigned int i = 0; i < wanted->nr; i++) {
		pid_t pid = wanted->pids[i];
		int err = each_thread(t, pid, note_before, t);

		if (err == -ESRCH)
			op_error_set(e, err, "there is no process %d", (int)pid);
		else if (err)
			op_error_set(e, err, "cannot list the threads of process %d: %s", (int)pid,
				     strerror(-err));
		if (err) {
			perf_targets_free(t);
			return err;
		}
	}
	xgrow(t->tasks, t->nr_tasks, t->room_tasks);
	t->tasks[t->nr_tasks++] = t->before[0];
	setup->tid = t->before[0];
	setup->inherit = true;
	setup->on_exec = wanted->on_exec;
	return 0;
}

void perf_targets_free(struct perf_targets *t)
{
	free(t->tasks);
	free(t->before);
	free(t->late);
	*t = (struct perf_targets){ 0 };
}

/* ---- threads with events of other tasks, too ---- */

/* Where @tid is, or would be. */
static size_t place_of(const struct perf_targets *t, uint32_t tid)
{
	size_t first = 0, end = t->nr_late;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (t->late[middle].tid < tid)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static struct perf_late *find(const struct perf_targets *t, uint32_t tid)
{
	size_t at = place_of(t, tid);

	return at < t->nr_late && t->late[at].tid == tid ? &t->late[at] : NULL;
}

bool perf_targets_search(const struct perf_targets *t, uint32_t tid, unsigned int task)
{
	const struct perf_late *late = find(t, tid);

	return late && late->task != task && late->task != TASK_ANY;
}

static void remember(struct perf_targets *t, uint32_t tid, unsigned int task)
{
	size_t at = place_of(t, tid);

	if (at == t->nr_late || t->late[at].tid != tid) {
		xgrow(t->late, t->nr_late, t->room_late);
		memmove(t->late + at + 1, t->late + at, (t->nr_late - at) * sizeof(*t->late));
		t->nr_late++;
	}
	t->late[at] = (struct perf_late){ tid, task, 0 };
}

static bool is_in(const pid_t *tids, size_t nr, pid_t tid)
{
	for (size_t i = 0; i < nr; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

/* Who is started by a thread with two sets of events has both as well. */
void perf_targets_fork(struct perf_targets *t, uint32_t tid, uint32_t parent_tid)
{
	const struct perf_late *parent = find(t, parent_tid), *it = find(t, tid);

	/* one that has its own, and lives, is told of for the first time, or once more */
	if (it && !it->exited)
		return;
	if (parent)
		remember(t, tid, parent->task);
	else if (it)
		remember(t, tid, TASK_ANY);	/* its number is another's now */
}

void perf_targets_exit(struct perf_targets *t, uint32_t tid)
{
	struct perf_late *late = t->nr_late ? find(t, tid) : NULL;

	if (late && !late->exited)
		late->exited = t->reading;
}

static void forget_exited(struct perf_targets *t)
{
	size_t left = 0;

	for (size_t i = 0; i < t->nr_late; i++)
		if (!t->late[i].exited || t->late[i].exited + 1 >= t->reading)
			t->late[left++] = t->late[i];
	t->nr_late = left;
}

static void look_for_forks(struct perf_targets *t, struct perf_ring ring)
{
	const struct perf_event_header *header;
	struct perf_record r;
	size_t size;

	perf_ring_begin(&ring);
	while ((header = perf_ring_next(&ring, &size)))
		if (header->type == PERF_RECORD_FORK && !perf_record_parse(header, size, &r))
			perf_targets_fork(t, r.tid, r.parent_tid);
}

void perf_targets_foresee(struct perf_targets *t, const struct perf_rings *r)
{
	t->reading++;
	if (!t->nr_late)
		return;
	forget_exited(t);
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].open)
			look_for_forks(t, r->cpus[cpu].events.ring);
}

/* ---- opening ---- */

struct look {
	struct perf_targets *targets;
	struct perf_rings *rings;
	struct op_error *e;
	bool some;			/* new ones were found */
};

static int add_thread(void *context, pid_t tid)
{
	struct look *l = context;
	struct perf_targets *t = l->targets;
	int err;

	if (is_in(t->tasks, t->nr_tasks, tid))
		return 0;
	err = perf_rings_add_task(l->rings, tid, l->e);
	if (err)
		return err == -ESRCH ? 0 : err;
	l->some = true;
	if (!is_in(t->before, t->nr_before, tid))
		remember(t, (uint32_t)tid, t->nr_tasks);
	xgrow(t->tasks, t->nr_tasks, t->room_tasks);
	t->tasks[t->nr_tasks++] = tid;
	return 0;
}

static int open_process(struct perf_targets *t, struct perf_rings *r, pid_t pid, struct op_error *e)
{
	int err = 0;

	for (int looks = 0; looks < LOOKS_MAX && !err; looks++) {
		struct look look = { t, r, e, false };

		err = each_thread(t, pid, add_thread, &look);
		if (!look.some)
			break;
	}
	return err == -ESRCH ? 0 : err;		/* it was there, and has ended */
}

int perf_targets_open(struct perf_targets *t, struct perf_rings *r, struct op_error *e)
{
	int err = 0;

	if (t->wanted->on_exec)
		return 0;
	for (unsigned int i = 0; i < t->wanted->nr && !err; i++)
		err = open_process(t, r, t->wanted->pids[i], e);
	return err;
}
