// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * all_threads.c - the list of the process's threads [SM-15]
 *
 * They are listed at each grid point. A thread keeps its place and its state as long as it exists;
 * more than the id is read only of new ones.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>	/* glibc 2.32 */
#define IS_ALONE __libc_single_threaded
#else
#define IS_ALONE false
#endif
#include "libsampler/profiler.h"
#include "libutil/sorted.h"

static struct sampling_target *find(struct target_list *l, size_t nr, pid_t tid)
{
	size_t low = first_not(nr, i, l->targets[i].copy.thread.tid < tid);

	return low < nr && l->targets[low].copy.thread.tid == tid ? &l->targets[low] : NULL;
}

static bool make_room(struct target_list *l)
{
	size_t room = l->room ? 2 * l->room : 16;
	struct sampling_target *targets;

	if (l->nr < l->room)
		return true;
	targets = realloc(l->targets, room * sizeof(*targets));
	if (!targets)
		return false;
	l->targets = targets;
	l->room = room;
	return true;
}

/* Without another thread, those that the first listing finds have begun since. */
void targets_begin(struct sampler_profiler *p)
{
	struct target_list *l = &p->all;

	if (l->was_listed || !IS_ALONE || p->params.initial_delay_ns >= p->params.interval_ns ||
	    sampling_clock->cpu_time(gettid(), &l->first_ns))
		return;
	l->first_tid = gettid();
	l->was_listed = true;
}

/*
 * All CPU time of a new thread since the start is sampled: from a random time within an interval
 * on, so that threads that end soon have on average as many samples as they used intervals, not
 * only the whole ones. [SM-19]
 */
static uint64_t first_due(const struct target_list *l, pid_t tid, uint64_t interval)
{
	uint64_t used = tid == l->first_tid ? l->first_ns : 0;

	return l->was_listed ? used + 1 + (uint64_t)(sampling_random() * (double)interval) : 0;
}

static void add(struct target_list *l, pid_t tid, uint64_t interval)
{
	struct thread_state state;

	if (thread_read_state(tid, &state) || state.is_dead ||
	    sampling_owns(tid, state.start_time) || !make_room(l))
		return;
	l->targets[l->nr++] = (struct sampling_target){
		.copy.thread = { .tid = tid, .start_time = state.start_time },
		.checked_at = sampling_clock->now(),
		.cpu_due = first_due(l, tid, interval),
		.is_new = l->was_listed,
		.was_seen = true,
	};
}

static void drop_unseen(struct sampler_profiler *p)
{
	struct target_list *l = &p->all;
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		if (l->targets[i].was_seen)
			l->targets[nr++] = l->targets[i];
		else
			sample_end(p, &l->targets[i]);
	l->nr = nr;
}

static int by_tid(const void *a, const void *b)
{
	const struct sampling_target *x = a, *y = b;

	return (x->copy.thread.tid > y->copy.thread.tid) -
	       (x->copy.thread.tid < y->copy.thread.tid);
}

void targets_update(struct sampler_profiler *p)
{
	struct target_list *l = &p->all;
	DIR *dir = opendir("/proc/self/task");
	size_t known = l->nr;
	struct dirent *entry;

	if (!dir)
		return;
	for (size_t i = 0; i < l->nr; i++)
		l->targets[i].was_seen = false;
	while ((entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);
		struct sampling_target *t = find(l, known, tid);

		if (t)
			t->was_seen = true;
		else if (tid > 0)
			add(l, tid, p->params.interval_ns);
	}
	closedir(dir);
	drop_unseen(p);
	qsort(l->targets, l->nr, sizeof(*l->targets), by_tid);
	l->was_listed = true;
}

void targets_drop(struct sampler_profiler *p)
{
	struct target_list *l = &p->all;

	sample_end(p, &l->targets[l->next - 1]);
	l->next--;
	l->nr--;
	memmove(&l->targets[l->next], &l->targets[l->next + 1],
		(l->nr - l->next) * sizeof(*l->targets));
}

void targets_free(struct target_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		sample_end(NULL, &l->targets[i]);
	free(l->targets);
	*l = (struct target_list){ 0 };
}
