// SPDX-License-Identifier: GPL-2.0-or-later
/* objects.c - convert JIT symbol files to objects beside the samples, at limited cost */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/jit/convert.h"
#include "daemon/jit/objects.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/quiet_path.h"

/* The number of places that need the object. With @object, write it there; *ret_err: a failure. */
static size_t for_each_place(const struct jit_output *o, const struct jit_process *q,
			     const struct jit_object *object, int *ret_err)
{
	size_t nr = 0;

	for (size_t r = 0; r < o->roots.nr; r++)
		for (size_t i = 0; i < q->nr_folders; i++) {
			char *place = jit_place(o->roots.dirs[r], q->folders[i].app,
						q->folders[i].anon_name);
			int err = place && object ? jit_place_object(o->samples_dir, place,
								     q->tgid, object) : 0;

			nr += place != NULL;
			if (err)
				*ret_err = err;
			free(place);
		}
	return nr;
}

static size_t count_places(const struct jit_output *o, const struct jit_process *q)
{
	return for_each_place(o, q, NULL, NULL);
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

/* ---- costs ---- */

static struct jit_user *user_of(struct jit_users *all, const struct jit_process *q)
{
	uid_t uid = q->owner.pid ? q->owner.uids[0] : 0;

	for (size_t i = 0; i < all->nr; i++)
		if (all->users[i].uid == uid || i == JIT_USERS_MAX - 1)
			return &all->users[i];
	all->users[all->nr] = (struct jit_user){ .uid = uid };
	return &all->users[all->nr++];
}

static bool has_time(struct jit_users *all, const struct jit_user *user)
{
	return !user->had_killed && user->time_ns < JIT_USER_NS &&
	       all->time_ns < JIT_ALL_NS;
}

static void begin_conversion(struct jit_users *all)
{
	all->time_ns = 0;
	for (size_t i = 0; i < all->nr; i++) {
		all->users[i].time_ns = 0;
		all->users[i].had_killed = false;
	}
}

void jit_objects_begin_session(struct jit_output *o)
{
	o->costs.bytes = 0;
	o->costs.nr = 0;
}

/* Take the bytes of an object of @q, which replaces an earlier one. */
static int charge(struct jit_output *o, struct jit_process *q, uint64_t bytes)
{
	struct jit_user *user = user_of(&o->costs, q);
	uint64_t free_bytes;
	int err = file_free_bytes(o->samples_dir, &free_bytes);

	if (err)
		return err;
	if (free_bytes < bytes + JIT_KEEP_FREE)
		return -ENOSPC;
	if (user->bytes - q->object_bytes + bytes > JIT_USER_BYTES ||
	    o->costs.bytes - q->object_bytes + bytes > JIT_ALL_BYTES)
		return -EDQUOT;
	user->bytes += bytes - q->object_bytes;
	o->costs.bytes += bytes - q->object_bytes;
	q->object_bytes = bytes;
	return 0;
}

/* ---- objects ---- */

/* Who may read the files may read the object. [JT-40] */
static void copy_rights(const struct jit_process *q, struct jit_object *ret)
{
	bool is_first = true;
	struct stat st;

	*ret = (struct jit_object){ .uid = geteuid(), .gid = getegid(), .mode = 0400 };
	for (size_t i = 0; i < JIT_KINDS; i++) {
		if (q->files.fd[i] < 0 || quiet_stat(q->files.fd[i], &st))
			continue;
		if (is_first || (ret->uid == st.st_uid && ret->gid == st.st_gid)) {
			ret->mode = (is_first ? 0444 : ret->mode) & (st.st_mode | 0400);
			ret->uid = st.st_uid;
			ret->gid = st.st_gid;
		} else {
			ret->mode = 0400;
			ret->uid = geteuid();
			ret->gid = getegid();
		}
		is_first = false;
	}
}

/* What was the child's cannot become shorter while it is read. */
static int put_objects(struct jit_output *o, struct jit_process *q, int from)
{
	struct jit_object object;
	struct stat st;
	void *bytes;
	int err;

	if (fcntl(from, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) || fstat(from, &st))
		return -errno;
	err = charge(o, q, count_places(o, q) * (uint64_t)st.st_size);
	if (err)
		return err;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	copy_rights(q, &object);
	object.bytes = bytes;
	object.size = (size_t)st.st_size;
	for_each_place(o, q, &object, &err);
	munmap(bytes, (size_t)st.st_size);
	return err;
}

static void start_job(struct jit_process *q, struct jit_job *job)
{
	jit_files_version(&q->files, &q->version);
	*job = (struct jit_job){ .out = memfd_create("object", MFD_CLOEXEC | MFD_ALLOW_SEALING) };
	for (size_t i = 0; i < JIT_KINDS; i++)
		job->in[i] = q->files.fd[i];
}

static bool end_job(struct jit_output *o, struct jit_process *q, struct jit_job *job)
{
	struct jit_user *user = user_of(&o->costs, q);
	int err = job->done ? job->err : -EIO;

	user->time_ns += job->took_ns;
	o->costs.time_ns += job->took_ns;
	user->had_killed |= !job->done;
	if (!err && job->nr_symbols)
		err = put_objects(o, q, job->out);
	if (err && !o->logged_failure)
		log_line("process %" PRIu32 ": cannot name its JIT code: %s", q->tgid,
			 job->done ? strerror(-err) : "reading its files failed or took too long");
	o->logged_failure |= err != 0;
	q->damaged |= !job->done || job->damaged || err == -EDQUOT;
	q->nr_objects = count_places(o, q);	/* even if there was nothing to write */
	log_about(LOG_MISC, "process %" PRIu32 ": %zu JIT symbols, %zu records dropped", q->tgid,
		  job->nr_symbols, job->dropped);
	close(job->out);
	return !err && job->nr_symbols;
}

size_t jit_objects_write(struct jit_output *o, struct jit_process *const *due, size_t nr,
			 void (*meanwhile)(void *context), void *context)
{
	size_t nr_written = 0;

	begin_conversion(&o->costs);
	for (size_t i = 0; i < nr; i++) {
		struct jit_job job;
		int err;

		if (!has_time(&o->costs, user_of(&o->costs, due[i])))
			continue;
		start_job(due[i], &job);
		err = jit_job_do(&job, &o->window, meanwhile, context);
		if (err)
			log_line("cannot start a process to read JIT symbol files: %s",
				 strerror(-err));
		nr_written += end_job(o, due[i], &job);
	}
	return nr_written;
}
