// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - the builder that adds a profile to a session
 *
 * Several processes may add to one session: each holds its lock while it writes.
 */
#include "libsampler/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libdb/session/thread_sample.h"
#include "libsampler/session/folder.h"
#include "libutil/clock.h"
#include "libutil/cpu_clock.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define LOCK_WAIT_NS	(UINT64_C(30) * 1000000000)	/* until others have written */
#define LOCK_PAUSE_NS	5000000
#define LOCK_TRIES	40	/* if it holds a pid: it is a daemon's, which keeps it */

struct session_builder {
	char *dir;			/* absolute */
	struct build_profile *profile;
	uint64_t missed;		/* already counted */
	struct sampler_error error;	/* of a part written before the end */
	int err;
};

/* --- folders, lock --- */

/* In /tmp another user may have created them, as links to files of ours. [SM-68] */
static int check_folder(const char *path, struct op_error *e)
{
	struct stat st;

	if (lstat(path, &st))
		return op_error_set(e, -errno, "cannot stat '%s': %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return op_error_set(e, -ENOTDIR, "'%s' is not a directory", path);
	if (st.st_uid != geteuid())
		return op_error_set(e, -EPERM, "'%s' belongs to another user", path);
	return 0;
}

static int create_folder(const char *path, struct op_error *e)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		return op_error_set(e, -errno, "cannot create '%s': %s", path, strerror(errno));
	return check_folder(path, e);
}

/* Each is checked before anything is created below it. */
static int create_folders(const char *dir, struct op_error *e)
{
	char *samples = path_join(dir, "samples");
	char *current = session_samples_path(dir, SESSION_CURRENT);
	char *stats = session_stats_path(dir, SESSION_CURRENT, NULL);
	int err = session_folder_check(dir, e);

	if (!err)
		err = create_folder(samples, e);
	if (!err)
		err = create_folder(current, e);
	if (!err)
		err = create_folder(stats, e);
	free(samples);
	free(current);
	free(stats);
	return err;
}

/* A file that was removed while waiting for its lock locks nothing. */
static bool is_same_file(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int lock_once(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644), err;

	if (fd < 0)
		return -errno;
	err = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	if (!err && is_same_file(fd, path))
		return fd;
	close(fd);
	return !err || err == -EWOULDBLOCK ? -EBUSY : err;
}

static int take_lock(const char *dir, struct op_error *e)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	char *path = session_lock_path(dir), pid[16];
	unsigned int tries = LOCK_TRIES;
	uint64_t until = now_ns() + LOCK_WAIT_NS;
	int fd;

	while ((fd = lock_once(path)) == -EBUSY && now_ns() < until) {
		if (!file_read_line(path, pid, sizeof(pid)) && *pid && tries-- == 0)
			break;
		nanosleep(&pause, NULL);
	}
	if (fd == -EBUSY)
		op_error_set(e, fd, "'%s' is in use by another profiling program", dir);
	else if (fd < 0)
		op_error_set(e, fd, "cannot lock '%s': %s", path, strerror(-fd));
	free(path);
	return fd;
}

/* --- writing a part of a profile --- */

static void count_losses(struct session_update *u, const struct session_builder *b)
{
	const struct build_losses *l = build_profile_losses(b->profile);
	uint64_t *lost = u->counts.lost, missed = u->summary->missed;

	lost[LOST_THREAD_BLOCKED] = l->status[SAMPLER_BLOCKED];
	lost[LOST_THREAD_NOT_RUN] = l->status[SAMPLER_NOT_RUN];
	lost[LOST_THREAD_GONE] = l->status[SAMPLER_GONE];
	lost[LOST_THREAD_REFUSED] = l->status[SAMPLER_FAILED] + l->no_frames;
	lost[LOST_SAMPLER_LATE] = missed > b->missed ? missed - b->missed : 0;
	lost[LOST_SAMPLER_MEMORY] = l->no_room;
	for (int i = 0; i < NR_LOSS_REASONS; i++)
		u->counts.received += lost[i];
}

static void choose_event(struct session_update *u)
{
	u->count = (u->summary->period_ns + THREAD_SAMPLE_NS / 2) / THREAD_SAMPLE_NS;
	if (!u->count)
		u->count = 1;
	u->unit_mask = u->summary->clock == SAMPLER_CPU ? THREAD_SAMPLE_CPU : THREAD_SAMPLE_WALL;
}

static void find_program(struct session_update *u, char program[PATH_MAX])
{
	static const char deleted[] = " (deleted)";
	ssize_t n = readlink("/proc/self/exe", program, PATH_MAX - 1);
	const size_t end = sizeof(deleted) - 1;

	program[n < 0 ? 0 : n] = '\0';
	if (n > (ssize_t)end && !strcmp(program + n - end, deleted))
		program[n - (ssize_t)end] = '\0';
	u->app = (struct image_name){ .path = *program == '/' ? program : "/unknown" };
}

/* The caller holds the session's lock. */
static int write_session(struct session_builder *b, const struct sampler_summary *summary,
			 struct op_error *e)
{
	struct session_update u = {
		.p = build_profile_get(b->profile, summary),
		.ends = build_profile_ends(b->profile),
		.summary = summary,
		.pid = getpid(), .e = e,
	};
	char program[PATH_MAX], *samples = session_samples_path(b->dir, SESSION_CURRENT);

	session_writer_init(&u.to, samples);
	find_program(&u, program);
	choose_event(&u);
	u.cpu_mhz = (double)cpu_clock_khz() / 1000;
	count_losses(&u, b);
	(void)image_ids_read(u.to.stats, &u.ids);
	session_images_make(&u);
	session_write_files(&u);
	session_write_stacks(&u);
	session_write_beside(&u, b->dir);
	session_write_made(&u, samples);
	free(samples);
	session_images_free(&u);
	image_ids_free(u.ids);
	session_writer_free(&u.to);
	return u.err;
}

static int lock_and_write(struct session_builder *b, const struct sampler_summary *summary,
			  struct op_error *e)
{
	int err = create_folders(b->dir, e), lock;

	if (err)
		return err;
	lock = take_lock(b->dir, e);
	if (lock < 0)
		return lock;
	err = write_session(b, summary, e);
	(void)flock(lock, LOCK_UN);	/* a child of fork() may have it open, too */
	close(lock);
	return err;
}

/* --- the builder --- */

static bool has_anything(const struct session_builder *b, const struct sampler_summary *summary)
{
	const struct build_losses *l = build_profile_losses(b->profile);
	uint64_t n = build_profile_get(b->profile, summary)->nr_samples + l->no_frames +
		     l->no_room + (summary->missed - b->missed);

	for (int i = 0; i < SAMPLER_NR_STATUS; i++)
		n += l->status[i];
	return n;
}

/* The samples are dropped afterwards, also if writing failed: they are lost then. */
static void write_part(struct session_builder *b, const struct sampler_summary *summary)
{
	struct op_error e = { "" };
	int err = has_anything(b, summary) ? lock_and_write(b, summary, &e) : 0;

	if (err && !b->err) {
		b->err = err;
		build_error(&e, &b->error);
	}
	b->missed = summary->missed;
	build_profile_free(b->profile);
	b->profile = build_profile_new(BUILD_NODES_MAX);
}

static void sample(void *context, const struct sampler_sample *s)
{
	struct session_builder *b = context;

	build_profile_sample(b->profile, s);
}

static void metadata_past(void *context, const struct sampler_metadata *item, uint64_t from_ns,
			  uint64_t to_ns)
{
	struct session_builder *b = context;

	build_profile_past(b->profile, item, from_ns, to_ns);
}

static int completed(void *context, const struct sampler_summary *summary,
		     struct sampler_error *e)
{
	struct session_builder *b = context;
	int err;

	write_part(b, summary);
	err = b->err;
	if (err)
		*e = b->error;
	b->err = 0;
	return err;
}

static void builder_free(void *context)
{
	struct session_builder *b = context;

	build_profile_free(b->profile);
	free(b->dir);
	free(b);
}

static const struct sampler_builder_ops session_ops = {
	.size = sizeof(session_ops),
	.sample = sample,
	.metadata_past = metadata_past,
	.completed = completed,
	.free = builder_free,
};

int sampler_session_builder(const char *session_dir, struct sampler_builder *ret,
			    struct sampler_error *e)
{
	struct session_builder *b;
	struct op_error why = { "" };
	char *dir = file_make_dirs(session_dir, 0755) ? NULL : path_absolute(session_dir);
	int err = 0;

	if (!dir || access(dir, W_OK | X_OK)) {
		err = errno ? -errno : -ENOENT;
		op_error_set(&why, err, "cannot write to '%.100s': %s", session_dir,
			     strerror(-err));
	} else {
		err = session_folder_check(session_dir, &why);
	}
	if (err) {
		build_error(&why, e);
		free(dir);
		return err;
	}
	b = xcalloc(1, sizeof(*b));
	b->dir = dir;
	b->profile = build_profile_new(BUILD_NODES_MAX);
	*ret = (struct sampler_builder){ &session_ops, b };
	return 0;
}
