// SPDX-License-Identifier: GPL-2.0-or-later
/* processes.c - the table of processes, and when each is looked at */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/processes_private.h"
#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define PROCESSES_MAX	1024		/* whose files are kept open */
#define LOOKS_MAX	100		/* in a second, for new processes */
#define LOOK_NS		(5 * NS_PER_SECOND)
#define LOOK_TIME_NS	(NS_PER_SECOND / 4)	/* at once */

struct jit_processes *jit_processes_new(const char *proc)
{
	struct jit_processes *p = xcalloc(1, sizeof(*p));

	p->proc = proc ? proc : "/proc";
	for (size_t i = 0; i < NR_BUCKETS; i++)
		list_init(&p->buckets[i]);
	list_init(&p->in_order);
	return p;
}

void jit_processes_forget(struct jit_processes *p, struct process *q)
{
	jit_files_close(&q->files);
	for (size_t i = 0; i < q->nr_folders; i++) {
		free(q->folders[i].app);
		free(q->folders[i].anon_name);
	}
	list_del(&q->in_bucket);
	list_del(&q->in_order);
	free(q);
	p->nr--;
}

static void forget_all(struct jit_processes *p)
{
	while (!list_empty(&p->in_order))
		jit_processes_forget(p, list_entry(p->in_order.next, struct process, in_order));
}

void jit_processes_free(struct jit_processes *p)
{
	if (!p)
		return;
	forget_all(p);
	free(p->samples_dir);
	free(p);
}

void jit_processes_set_session(struct jit_processes *p, const char *samples_dir)
{
	struct process *q, *next;

	free(p->samples_dir);
	p->samples_dir = xstrdup(samples_dir);
	list_for_each_entry_safe(q, next, &p->in_order, in_order) {
		if (q->looked && !q->owner.alive) {
			jit_processes_forget(p, q);
			continue;
		}
		q->nr_objects = 0;
		q->refused = q->damaged = false;
	}
	p->window.by[JIT_WALL].start = clock_ns(CLOCK_REALTIME);
	p->window.by[JIT_STEADY].start = now_ns();
}

/* Seeing */

/* What the kernel puts into a process is not code that it made. */
static bool may_hold_code(const char *anon_name)
{
	static const char *const not[] = { "[vdso]", "[vvar]", "[vsyscall]", "[stack]",
					   "[uprobes]", "[sigpage]", "[vectors]" };

	for (size_t i = 0; i < sizeof(not) / sizeof(not[0]); i++)
		if (!strcmp(anon_name, not[i]))
			return false;
	return true;
}

static struct list_head *bucket_of(struct jit_processes *p, uint32_t tgid)
{
	return &p->buckets[hash_u64(tgid) % NR_BUCKETS];
}

static struct process *find(struct jit_processes *p, uint32_t tgid)
{
	struct process *q;

	list_for_each_entry(q, bucket_of(p, tgid), in_bucket)
		if (q->tgid == tgid)
			return q;
	return NULL;
}

static struct process *add(struct jit_processes *p, uint32_t tgid)
{
	struct process *q;

	if (p->nr >= PROCESSES_MAX) {
		if (!p->told_full)
			log_line("more than %d processes run code they made: the oldest ones' is "
				 "not named any more", PROCESSES_MAX);
		p->told_full = true;
		if (p->converting)
			return NULL;
		jit_processes_forget(p, list_entry(p->in_order.next, struct process, in_order));
	}
	q = xcalloc(1, sizeof(*q));
	q->tgid = tgid;
	jit_files_init(&q->files);
	list_add_tail(&q->in_bucket, bucket_of(p, tgid));
	list_add_tail(&q->in_order, &p->in_order);
	p->nr++;
	return q;
}

static void look(struct jit_processes *p, struct process *q)
{
	bool refused = q->files.refused;

	jit_files_look(p->proc, q->tgid, &q->owner, &q->files);
	q->looked = true;
	if (q->files.refused && !refused)
		log_about(LOG_MISC, "process %" PRIu32 ": a file about code it made is not taken, "
			  "for it is no regular file, or not the process' own", q->tgid);
}

static bool may_look(struct jit_processes *p)
{
	time_t second = now_seconds();

	if (second != p->second) {
		p->second = second;
		p->looks = 0;
	}
	return p->looks++ < LOOKS_MAX;
}

static void add_folder(struct process *q, const char *app, const char *anon_name)
{
	for (size_t i = 0; i < q->nr_folders; i++)
		if (!strcmp(q->folders[i].app, app) && !strcmp(q->folders[i].anon_name, anon_name))
			return;
	if (q->nr_folders < FOLDERS_MAX)
		q->folders[q->nr_folders++] = (struct folder){
			.app = xstrdup(app), .anon_name = xstrdup(anon_name),
		};
}

void jit_processes_saw(struct jit_processes *p, const char *app, uint32_t tgid,
		       const char *anon_name)
{
	struct process *q;

	if (!may_hold_code(anon_name))
		return;
	q = find(p, tgid);
	if (!q)
		q = add(p, tgid);
	if (!q)
		return;
	add_folder(q, app, anon_name);
	if (!q->looked && may_look(p))
		look(p, q);
}

/*
 * Whoever was not looked at for the longest comes first: a process may be made so that a look takes
 * long, and there may be many.
 */
void jit_processes_look_at_all(struct jit_processes *p)
{
	p->looked_at = now_ns();
	for (size_t i = 0; i < p->nr; i++) {
		struct process *q = list_entry(p->in_order.next, struct process, in_order);

		list_del(&q->in_order);
		list_add_tail(&q->in_order, &p->in_order);
		if (!q->looked || q->owner.alive)
			look(p, q);
		if (now_ns() - p->looked_at > LOOK_TIME_NS)
			break;
	}
}

void jit_processes_look(struct jit_processes *p)
{
	if (now_ns() - p->looked_at > LOOK_NS)
		jit_processes_look_at_all(p);
}

const struct jit_troubles *jit_processes_troubles(const struct jit_processes *p)
{
	return &p->troubles;
}
