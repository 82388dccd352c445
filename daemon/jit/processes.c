// SPDX-License-Identifier: GPL-2.0-or-later
/* processes.c - the table of processes, and when each is looked at and converted */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "daemon/collect/registered/registered.h"
#include "daemon/jit/objects.h"
#include "daemon/jit/process.h"
#include "daemon/jit/processes.h"
#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define NR_BUCKETS	256
#define PROCESSES_MAX	1024		/* whose files are kept open */
#define LOOKS_MAX	100		/* per second, for new processes */
#define LOOK_NS		(5 * NS_PER_SECOND)
#define LOOK_TIME_NS	(NS_PER_SECOND / 4)	/* at a time */
#define LOOK_ALL_NS	(20 * NS_PER_SECOND)	/* before a conversion */
#define LOOK_AGAIN_NS	(1500 * NS_PER_MS)	/* longer than a late one is left alone */
#define LOOK_AGAIN_US	50000

struct jit_processes {
	const char *proc;
	struct registered *registered;	/* not owned; NULL: none */
	struct list_head buckets[NR_BUCKETS];
	struct list_head in_order;	/* those not looked at for the longest time first */
	size_t nr;
	struct jit_output output;	/* its roots only while converting */
	uint64_t looked_at;		/* when all were looked at, ns */
	time_t second;
	unsigned int looks;		/* in @second */
	bool converting;		/* no process may be dropped */
	bool logged_full;
	struct jit_troubles troubles;
};

struct jit_processes *jit_processes_new(const char *proc)
{
	struct jit_processes *p = xcalloc(1, sizeof(*p));

	p->proc = proc ? proc : "/proc";
	for (size_t i = 0; i < NR_BUCKETS; i++)
		list_init(&p->buckets[i]);
	list_init(&p->in_order);
	return p;
}

static void drop(struct jit_processes *p, struct jit_process *q)
{
	list_del(&q->in_bucket);
	list_del(&q->in_order);
	jit_process_free(q);
	p->nr--;
}

static struct jit_process *first(struct jit_processes *p)
{
	return list_entry(p->in_order.next, struct jit_process, in_order);
}

void jit_processes_free(struct jit_processes *p)
{
	if (!p)
		return;
	while (!list_empty(&p->in_order))
		drop(p, first(p));
	free(p->output.samples_dir);
	free(p);
}

void jit_processes_set_session(struct jit_processes *p, const char *samples_dir)
{
	struct jit_process *q, *next;

	free(p->output.samples_dir);
	p->output.samples_dir = xstrdup(samples_dir);
	list_for_each_entry_safe(q, next, &p->in_order, in_order) {
		if (q->looked && !q->owner.alive)
			drop(p, q);
		else
			jit_process_reset(q);
	}
	jit_objects_begin_session(&p->output);
	p->output.window.by[JIT_WALL].start = clock_ns(CLOCK_REALTIME);
	p->output.window.by[JIT_STEADY].start = now_ns();
}

void jit_processes_use(struct jit_processes *p, struct registered *r)
{
	p->registered = r;
}

/* Look for its files, and have it looked at for what it has registered. False: not possible yet. */
static bool look(struct jit_processes *p, struct jit_process *q)
{
	bool done = jit_process_look(q, p->proc);

	if (p->registered)
		registered_want(p->registered, q->tgid, 0, 0);
	return done;
}

/* ---- samples ---- */

/* Memory that the kernel adds to a process holds no JIT code. */
static bool can_hold_code(const char *anon_name)
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

static struct jit_process *find(struct jit_processes *p, uint32_t tgid)
{
	struct jit_process *q;

	list_for_each_entry(q, bucket_of(p, tgid), in_bucket)
		if (q->tgid == tgid)
			return q;
	return NULL;
}

static struct jit_process *add(struct jit_processes *p, uint32_t tgid)
{
	struct jit_process *q;

	if (p->nr >= PROCESSES_MAX) {
		if (!p->logged_full)
			log_line("more than %d processes run JIT code: that of the oldest ones is "
				 "no longer named", PROCESSES_MAX);
		p->logged_full = true;
		if (p->converting)
			return NULL;
		drop(p, first(p));
	}
	q = jit_process_new(tgid);
	list_add_tail(&q->in_bucket, bucket_of(p, tgid));
	list_add_tail(&q->in_order, &p->in_order);
	p->nr++;
	return q;
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

void jit_processes_add_sample(struct jit_processes *p, const char *app, uint32_t tgid,
			      const char *anon_name, uint64_t start, uint64_t end)
{
	struct jit_process *q;

	if (!can_hold_code(anon_name))
		return;
	q = find(p, tgid);
	if (!q)
		q = add(p, tgid);
	if (!q)
		return;
	jit_process_add_folder(q, app, anon_name);
	if (!q->looked && may_look(p))
		(void)look(p, q);
	if (p->registered)
		registered_want(p->registered, tgid, start, end);
}

/* ---- looking ---- */

/*
 * Begin with those not looked at for the longest time, because there may be many, and a process can
 * make a look take long. Returns the number of those that could not be looked at yet.
 */
static size_t look_at_all(struct jit_processes *p, uint64_t end, void (*meanwhile)(void *context),
			  void *context)
{
	size_t left = 0;

	p->looked_at = now_ns();
	for (size_t i = 0, nr = p->nr; i < nr && now_ns() < end; i++) {
		struct jit_process *q = first(p);

		list_del(&q->in_order);
		list_add_tail(&q->in_order, &p->in_order);
		if (!q->looked || q->owner.alive)
			left += !look(p, q);
		if (meanwhile && now_ns() - p->looked_at > LOOK_TIME_NS) {
			meanwhile(context);
			p->looked_at = now_ns();
		}
	}
	return left;
}

/* What is not found now has no name in the session if the process or the session ends. */
static void look_before_conversion(struct jit_processes *p, void (*meanwhile)(void *context),
				   void *context)
{
	uint64_t begin = now_ns();

	while (look_at_all(p, begin + LOOK_ALL_NS, meanwhile, context) &&
	       now_ns() - begin < LOOK_AGAIN_NS) {
		if (meanwhile)
			meanwhile(context);
		usleep(LOOK_AGAIN_US);
	}
}

void jit_processes_look(struct jit_processes *p)
{
	if (!p->converting && now_ns() - p->looked_at > LOOK_NS)
		(void)look_at_all(p, now_ns() + LOOK_TIME_NS, NULL, NULL);
}

/* ---- converting ---- */

static void count_once(bool is, bool *counted, uint64_t *count)
{
	*count += is && !*counted;
	*counted |= is;
}

/* Drop processes that have ended and whose objects are written. */
static void drop_dead(struct jit_processes *p)
{
	struct jit_process *q, *next;

	list_for_each_entry_safe(q, next, &p->in_order, in_order)
		if (q->looked && !q->owner.alive && !jit_objects_are_due(&p->output, q))
			drop(p, q);
}

static void take_copy(struct jit_process *q, enum jit_kind kind, int fd)
{
	if (fd >= 0)
		jit_files_take_copy(&q->files, kind, fd);
}

/* Those of processes that have ended, too: the last ones are kept for a while. */
static void take_copies(struct jit_processes *p)
{
	struct jit_process *q;

	if (!p->registered)
		return;
	registered_wait(p->registered, LOOK_TIME_NS);
	list_for_each_entry(q, &p->in_order, in_order) {
		take_copy(q, JIT_REGISTERED, registered_copy(p->registered, q->tgid));
		take_copy(q, JIT_INTERPRETED, registered_objects(p->registered, q->tgid));
	}
}

static size_t convert_due(struct jit_processes *p, void (*meanwhile)(void *context), void *context)
{
	struct jit_process **due, *q;
	size_t nr = 0, nr_written;

	p->converting = true;
	look_before_conversion(p, meanwhile, context);
	take_copies(p);
	jit_roots_read(p->output.samples_dir, &p->output.roots);
	due = xcalloc(p->nr, sizeof(struct jit_process *));
	list_for_each_entry(q, &p->in_order, in_order) {
		count_once(q->files.refused, &q->counted_refused, &p->troubles.refused);
		if (jit_objects_are_due(&p->output, q))
			due[nr++] = q;
	}
	nr_written = jit_objects_write(&p->output, due, nr, meanwhile, context);
	for (size_t i = 0; i < nr; i++)
		count_once(due[i]->damaged, &due[i]->counted_damaged, &p->troubles.damaged);
	free(due);
	drop_dead(p);
	jit_roots_free(&p->output.roots);
	p->converting = false;
	return nr_written;
}

size_t jit_processes_convert(struct jit_processes *p, void (*meanwhile)(void *context),
			     void *context)
{
	if (list_empty(&p->in_order))
		return 0;
	p->output.window.by[JIT_WALL].end = clock_ns(CLOCK_REALTIME);
	p->output.window.by[JIT_STEADY].end = now_ns();
	return convert_due(p, meanwhile, context);
}

size_t jit_processes_convert_times(struct jit_processes *p, uint64_t start, uint64_t end)
{
	uint64_t boot = clock_ns(CLOCK_REALTIME) - now_ns();
	struct jit_window w = { 0 };

	if (end && end < UINT64_MAX / NS_PER_SECOND) {
		w.by[JIT_WALL].start = start * NS_PER_SECOND;
		w.by[JIT_WALL].end = (end + 1) * NS_PER_SECOND;
		if (w.by[JIT_WALL].start > boot) {
			w.by[JIT_STEADY].start = w.by[JIT_WALL].start - boot;
			w.by[JIT_STEADY].end = w.by[JIT_WALL].end - boot;
		}
	}
	p->output.window = w;
	return convert_due(p, NULL, NULL);
}

const struct jit_troubles *jit_processes_troubles(const struct jit_processes *p)
{
	return &p->troubles;
}
