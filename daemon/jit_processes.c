// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_processes.c - the table of processes, and when what is done about each */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "file.h"
#include "hash.h"
#include "jit_convert.h"
#include "jit_places.h"
#include "jit_processes.h"
#include "list.h"
#include "log.h"
#include "xalloc.h"

#define NR_BUCKETS	256
#define PROCESSES_MAX	1024		/* whose files are kept open */
#define FOLDERS_MAX	16		/* of one process: programs, names of memory */
#define LOOKS_MAX	100		/* in a second, for new processes */
#define SECOND_NS	UINT64_C(1000000000)
#define LOOK_NS		(5 * SECOND_NS)
#define LOOK_TIME_NS	(SECOND_NS / 4)	/* at once */
#define JOBS_MAX	64		/* done by one child */

/* Where samples of the process' memory are filed. */
struct folder {
	char *app, *anon_name;
};

struct process {
	struct list_head in_bucket, in_order;	/* longest not looked at first */
	uint32_t tgid;
	bool looked;
	struct jit_owner owner;
	struct jit_files files;
	struct folder folders[FOLDERS_MAX];
	size_t nr_folders;
	size_t nr_objects;		/* of the files as they were last: one for each place */
	struct jit_version version;	/* when they were read last */
	bool refused, damaged;		/* counted in this session */
};

struct jit_processes {
	const char *proc;
	char *samples_dir;
	struct list_head buckets[NR_BUCKETS], in_order;
	size_t nr;
	struct jit_roots roots;		/* while converting */
	struct jit_window window;
	uint64_t looked_at;		/* all of them, ns */
	time_t second;
	unsigned int looks;		/* in @second */
	bool converting;		/* nobody may be forgotten */
	bool told_full, told_failed;
	struct jit_troubles troubles;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

struct jit_processes *jit_processes_new(const char *proc)
{
	struct jit_processes *p = xcalloc(1, sizeof(*p));

	p->proc = proc ? proc : "/proc";
	for (size_t i = 0; i < NR_BUCKETS; i++)
		list_init(&p->buckets[i]);
	list_init(&p->in_order);
	return p;
}

static void forget(struct jit_processes *p, struct process *q)
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
		forget(p, list_entry(p->in_order.next, struct process, in_order));
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
			forget(p, q);
			continue;
		}
		q->nr_objects = 0;
		q->refused = q->damaged = false;
	}
	p->window.by[JIT_WALL].start = now_ns(CLOCK_REALTIME);
	p->window.by[JIT_STEADY].start = now_ns(CLOCK_MONOTONIC);
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
		forget(p, list_entry(p->in_order.next, struct process, in_order));
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
	time_t second = (time_t)(now_ns(CLOCK_MONOTONIC) / SECOND_NS);

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
static void look_at_all(struct jit_processes *p)
{
	p->looked_at = now_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < p->nr; i++) {
		struct process *q = list_entry(p->in_order.next, struct process, in_order);

		list_del(&q->in_order);
		list_add_tail(&q->in_order, &p->in_order);
		if (!q->looked || q->owner.alive)
			look(p, q);
		if (now_ns(CLOCK_MONOTONIC) - p->looked_at > LOOK_TIME_NS)
			break;
	}
}

void jit_processes_look(struct jit_processes *p)
{
	if (now_ns(CLOCK_MONOTONIC) - p->looked_at > LOOK_NS)
		look_at_all(p);
}

/* Converting */

/* How many places need the object; with @bytes it is put there, and *ret_err tells of failures. */
static size_t for_places(const struct jit_processes *p, const struct process *q, const void *bytes,
			 size_t n, int *ret_err)
{
	size_t nr = 0;

	for (size_t r = 0; r < p->roots.nr; r++)
		for (size_t i = 0; i < q->nr_folders; i++) {
			char *place = jit_place(p->roots.dirs[r], q->folders[i].app,
						q->folders[i].anon_name);
			int err = place && bytes ? jit_place_object(p->samples_dir, place, q->tgid,
								    bytes, n) : 0;

			nr += place != NULL;
			if (err)
				*ret_err = err;
			free(place);
		}
	return nr;
}

static bool is_due(const struct jit_processes *p, const struct process *q)
{
	struct jit_version now;
	size_t nr;

	if (!jit_files_any(&q->files))
		return false;
	nr = for_places(p, q, NULL, 0, NULL);
	jit_files_version(&q->files, &now);
	return nr && (nr != q->nr_objects || memcmp(&now, &q->version, sizeof(now)));
}

static int put_objects(const struct jit_processes *p, const struct process *q, int from)
{
	struct stat st;
	void *bytes;
	int err = 0;

	if (fstat(from, &st))
		return -errno;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	for_places(p, q, bytes, (size_t)st.st_size, &err);
	munmap(bytes, (size_t)st.st_size);
	return err;
}

static void start_job(struct process *q, struct jit_job *job)
{
	jit_files_version(&q->files, &q->version);
	*job = (struct jit_job){ .out = memfd_create("object", MFD_CLOEXEC) };
	for (size_t i = 0; i < JIT_KINDS; i++)
		job->in[i] = q->files.fd[i];
}

static void count_once(bool is, bool *counted, uint64_t *count)
{
	*count += is && !*counted;
	*counted |= is;
}

static bool end_job(struct jit_processes *p, struct process *q, struct jit_job *job)
{
	int err = job->done ? job->err : -EIO;

	if (!err && job->nr_symbols)
		err = put_objects(p, q, job->out);
	if (err && !p->told_failed)
		log_line("code that process %" PRIu32 " made cannot be named: %s", q->tgid,
			 job->done ? strerror(-err) : "reading its files took too long or failed");
	p->told_failed |= err != 0;
	count_once(!job->done || job->damaged, &q->damaged, &p->troubles.damaged);
	q->nr_objects = for_places(p, q, NULL, 0, NULL);	/* or nothing is to be put there */
	log_about(LOG_MISC, "process %" PRIu32 ": %zu pieces of code it made, %zu records dropped",
		  q->tgid, job->nr_symbols, job->dropped);
	close(job->out);
	return !err && job->nr_symbols;
}

static size_t convert_some(struct jit_processes *p, struct process **due, size_t nr,
			   void (*meanwhile)(void *context), void *context)
{
	struct jit_job jobs[JOBS_MAX];
	size_t nr_made = 0;
	int err;

	for (size_t i = 0; i < nr; i++)
		start_job(due[i], &jobs[i]);
	err = jit_jobs_do(jobs, nr, &p->window, meanwhile, context);
	if (err)
		log_line("no process to read what others wrote about their code: %s",
			 strerror(-err));
	for (size_t i = 0; i < nr; i++)
		nr_made += end_job(p, due[i], &jobs[i]);
	return nr_made;
}

/* Nothing will come of it any more. */
static void forget_the_dead(struct jit_processes *p)
{
	struct process *q, *next;

	list_for_each_entry_safe(q, next, &p->in_order, in_order)
		if (q->looked && !q->owner.alive && !is_due(p, q))
			forget(p, q);
}

static size_t convert_due(struct jit_processes *p, void (*meanwhile)(void *context), void *context)
{
	struct process **due, *q;
	size_t nr = 0, nr_made = 0;

	look_at_all(p);
	p->converting = true;
	jit_roots_read(p->samples_dir, &p->roots);
	due = xcalloc(p->nr, sizeof(*due));
	list_for_each_entry(q, &p->in_order, in_order) {
		count_once(q->files.refused, &q->refused, &p->troubles.refused);
		if (is_due(p, q))
			due[nr++] = q;
	}
	for (size_t i = 0; i < nr; i += JOBS_MAX)
		nr_made += convert_some(p, due + i, nr - i < JOBS_MAX ? nr - i : JOBS_MAX,
					meanwhile, context);
	free(due);
	forget_the_dead(p);
	jit_roots_free(&p->roots);
	p->converting = false;
	return nr_made;
}

size_t jit_processes_convert(struct jit_processes *p, void (*meanwhile)(void *context),
			     void *context)
{
	if (list_empty(&p->in_order))
		return 0;
	p->window.by[JIT_WALL].end = now_ns(CLOCK_REALTIME);
	p->window.by[JIT_STEADY].end = now_ns(CLOCK_MONOTONIC);
	return convert_due(p, meanwhile, context);
}

size_t jit_processes_convert_times(struct jit_processes *p, uint64_t start, uint64_t end)
{
	uint64_t apart = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC);
	struct jit_window w = { 0 };

	if (end && end < UINT64_MAX / SECOND_NS) {
		w.by[JIT_WALL].start = start * SECOND_NS;
		w.by[JIT_WALL].end = (end + 1) * SECOND_NS;
		if (w.by[JIT_WALL].start > apart) {	/* since the machine was started */
			w.by[JIT_STEADY].start = w.by[JIT_WALL].start - apart;
			w.by[JIT_STEADY].end = w.by[JIT_WALL].end - apart;
		}
	}
	p->window = w;
	return convert_due(p, NULL, NULL);
}

const struct jit_troubles *jit_processes_troubles(const struct jit_processes *p)
{
	return &p->troubles;
}
