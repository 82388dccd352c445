// SPDX-License-Identifier: GPL-2.0-or-later
/* targets.c - list the threads of processes, and recognize duplicate samples */
#include "daemon/collect/perf/targets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/number.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

#define TASK_ANY	UINT_MAX	/* one set only, of any task */

/* Call @each with the threads of @pid while it returns 0. -ESRCH: no such process. */
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
			op_error_set(e, err, "process %d not found", (int)pid);
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

/* ---- threads with inherited events ---- */

/* The index of @tid, or where it belongs. */
static size_t index_of(const struct perf_targets *t, uint32_t tid)
{
	return first_not(t->nr_late, i, t->late[i].tid < tid);
}

static struct perf_late *find(const struct perf_targets *t, uint32_t tid)
{
	size_t at = index_of(t, tid);

	return at < t->nr_late && t->late[at].tid == tid ? &t->late[at] : NULL;
}

bool perf_targets_search(const struct perf_targets *t, uint32_t tid, unsigned int task)
{
	const struct perf_late *late = find(t, tid);

	return late && late->task != task && late->task != TASK_ANY;
}

static void remember(struct perf_targets *t, uint32_t tid, unsigned int task)
{
	size_t at = index_of(t, tid);

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

/* A thread inherits both sets of its parent. */
void perf_targets_fork(struct perf_targets *t, uint32_t tid, uint32_t parent_tid)
{
	const struct perf_late *parent = find(t, parent_tid), *it = find(t, tid);

	/* a live thread with its own set: its fork is reported late or again */
	if (it && !it->exited)
		return;
	if (parent)
		remember(t, tid, parent->task);
	else if (it)
		remember(t, tid, TASK_ANY);	/* its number is reused */
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

void perf_targets_begin_reading(struct perf_targets *t)
{
	t->reading++;
	forget_exited(t);
}

/* ---- threads without events yet ---- */

struct new_threads {
	const struct perf_targets *targets;
	pid_t *tids;
	size_t nr, room;
};

static int add_if_new(void *context, pid_t tid)
{
	struct new_threads *n = context;

	if (is_in(n->targets->tasks, n->targets->nr_tasks, tid))
		return 0;
	xgrow(n->tids, n->nr, n->room);
	n->tids[n->nr++] = tid;
	return 0;
}

int perf_targets_new_threads(const struct perf_targets *t, pid_t pid, pid_t **ret, size_t *ret_nr)
{
	struct new_threads n = { .targets = t };
	int err = each_thread(t, pid, add_if_new, &n);

	*ret = n.tids;
	*ret_nr = n.nr;
	return err;
}

void perf_targets_opened(struct perf_targets *t, pid_t tid)
{
	if (!is_in(t->before, t->nr_before, tid))
		remember(t, (uint32_t)tid, t->nr_tasks);
	xgrow(t->tasks, t->nr_tasks, t->room_tasks);
	t->tasks[t->nr_tasks++] = tid;
}
