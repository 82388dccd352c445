// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * objects.c - files about made code become objects beside the samples
 *
 * A child reads them, some processes' at a time: what others wrote may be made to do harm.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/jit/processes_private.h"
#include "libutil/clock.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define JOBS_MAX	64		/* done by one child */

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
			jit_processes_forget(p, q);
}

static size_t convert_due(struct jit_processes *p, void (*meanwhile)(void *context), void *context)
{
	struct process **due, *q;
	size_t nr = 0, nr_made = 0;

	jit_processes_look_at_all(p);
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
	p->window.by[JIT_WALL].end = clock_ns(CLOCK_REALTIME);
	p->window.by[JIT_STEADY].end = now_ns();
	return convert_due(p, meanwhile, context);
}

size_t jit_processes_convert_times(struct jit_processes *p, uint64_t start, uint64_t end)
{
	uint64_t apart = clock_ns(CLOCK_REALTIME) - now_ns();
	struct jit_window w = { 0 };

	if (end && end < UINT64_MAX / NS_PER_SECOND) {
		w.by[JIT_WALL].start = start * NS_PER_SECOND;
		w.by[JIT_WALL].end = (end + 1) * NS_PER_SECOND;
		if (w.by[JIT_WALL].start > apart) {	/* since the machine was started */
			w.by[JIT_STEADY].start = w.by[JIT_WALL].start - apart;
			w.by[JIT_STEADY].end = w.by[JIT_WALL].end - apart;
		}
	}
	p->window = w;
	return convert_due(p, NULL, NULL);
}
