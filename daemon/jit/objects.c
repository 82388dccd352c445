// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * objects.c - convert JIT symbol files to objects beside the samples
 *
 * Other processes read the files, because a malicious file may harm its reader.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/jit/convert.h"
#include "daemon/jit/objects.h"
#include "libutil/log.h"

#define JOBS_MAX	64		/* at a time: each has a file in memory */

/* The number of places that need the object. With @bytes, write it there; *ret_err: a failure. */
static size_t for_each_place(const struct jit_output *o, const struct jit_process *q,
			     const void *bytes, size_t n, int *ret_err)
{
	size_t nr = 0;

	for (size_t r = 0; r < o->roots.nr; r++)
		for (size_t i = 0; i < q->nr_folders; i++) {
			char *place = jit_place(o->roots.dirs[r], q->folders[i].app,
						q->folders[i].anon_name);
			int err = place && bytes ? jit_place_object(o->samples_dir, place, q->tgid,
								    bytes, n) : 0;

			nr += place != NULL;
			if (err)
				*ret_err = err;
			free(place);
		}
	return nr;
}

static size_t count_places(const struct jit_output *o, const struct jit_process *q)
{
	return for_each_place(o, q, NULL, 0, NULL);
}

bool jit_objects_are_due(const struct jit_output *o, const struct jit_process *q)
{
	struct jit_version now;
	size_t nr;

	if (!jit_files_has_any(&q->files))
		return false;
	nr = count_places(o, q);
	jit_files_version(&q->files, &now);
	return nr && (nr != q->nr_objects || memcmp(&now, &q->version, sizeof(now)));
}

static int put_objects(const struct jit_output *o, const struct jit_process *q, int from)
{
	struct stat st;
	void *bytes;
	int err = 0;

	if (fstat(from, &st))
		return -errno;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	for_each_place(o, q, bytes, (size_t)st.st_size, &err);
	munmap(bytes, (size_t)st.st_size);
	return err;
}

static void start_job(struct jit_process *q, struct jit_job *job)
{
	jit_files_version(&q->files, &q->version);
	*job = (struct jit_job){ .out = memfd_create("object", MFD_CLOEXEC) };
	for (size_t i = 0; i < JIT_KINDS; i++)
		job->in[i] = q->files.fd[i];
}

static bool end_job(struct jit_output *o, struct jit_process *q, struct jit_job *job)
{
	int err = job->done ? job->err : -EIO;

	if (!err && job->nr_symbols)
		err = put_objects(o, q, job->out);
	if (err && !o->logged_failure)
		log_line("process %" PRIu32 ": cannot name its JIT code: %s", q->tgid,
			 job->done ? strerror(-err) : "reading its files failed or took too long");
	o->logged_failure |= err != 0;
	q->damaged |= !job->done || job->damaged;
	q->nr_objects = count_places(o, q);	/* even if there was nothing to write */
	log_about(LOG_MISC, "process %" PRIu32 ": %zu JIT symbols, %zu records dropped", q->tgid,
		  job->nr_symbols, job->dropped);
	close(job->out);
	return !err && job->nr_symbols;
}

static size_t write_some(struct jit_output *o, struct jit_process *const *due, size_t nr,
			 void (*meanwhile)(void *context), void *context)
{
	struct jit_job jobs[JOBS_MAX];
	size_t nr_written = 0;
	int err;

	for (size_t i = 0; i < nr; i++)
		start_job(due[i], &jobs[i]);
	err = jit_jobs_do(jobs, nr, &o->window, meanwhile, context);
	if (err)
		log_line("cannot start a process to read JIT symbol files: %s", strerror(-err));
	for (size_t i = 0; i < nr; i++)
		nr_written += end_job(o, due[i], &jobs[i]);
	return nr_written;
}

size_t jit_objects_write(struct jit_output *o, struct jit_process *const *due, size_t nr,
			 void (*meanwhile)(void *context), void *context)
{
	size_t nr_written = 0;

	for (size_t i = 0; i < nr; i += JOBS_MAX)
		nr_written += write_some(o, due + i, nr - i < JOBS_MAX ? nr - i : JOBS_MAX,
					 meanwhile, context);
	return nr_written;
}
