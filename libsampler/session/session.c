// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - the builder that adds a profile to a session
 *
 * Several processes may add to one session: each has the folder's lock for as long as it writes.
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
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define LOCK_WAIT_NS	(UINT64_C(30) * 1000000000)	/* for others to have written theirs */
#define LOCK_PAUSE_NS	5000000
#define LOCK_LOOKS	40	/* at a lock with a pid in it: that is a daemon's, which stays */

struct session_builder {
	char *dir;			/* absolute */
	struct build_profile *profile;
	uint64_t missed;		/* that were told */
	struct sampler_error error;	/* of a part that was written before the end */
	int err;
};

void session_failed(struct session_writer *w, int err, const char *what)
{
	if (w->err)
		return;
	w->err = err;
	op_error_set(w->e, err, "cannot write %s: %s", what, strerror(-err));
}

/* --- folders, lock --- */

/* In /tmp somebody else may have made them, as links to files of ours. [SM-68] */
static int check_folder(const char *path, struct op_error *e)
{
	struct stat st;

	if (lstat(path, &st))
		return op_error_set(e, -errno, "'%s': %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return op_error_set(e, -ENOTDIR, "'%s' is no folder", path);
	if (st.st_uid != geteuid())
		return op_error_set(e, -EPERM, "'%s' is another user's", path);
	return 0;
}

static int make_folder(const char *path, struct op_error *e)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		return op_error_set(e, -errno, "cannot make '%s': %s", path, strerror(errno));
	return check_folder(path, e);
}

/* Each is looked at before anything is made below it. */
static int make_folders(const char *dir, const struct session_writer *w, struct op_error *e)
{
	char *samples = path_join(dir, "samples");
	int err = session_folder_check(dir, e);

	if (!err)
		err = make_folder(samples, e);
	if (!err)
		err = make_folder(w->samples, e);
	if (!err)
		err = make_folder(w->stats, e);
	free(samples);
	return err;
}

/* A file that was removed while it was waited for locks nothing. */
static bool is_at(int fd, const char *path)
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
	if (!err && is_at(fd, path))
		return fd;
	close(fd);
	return !err || err == -EWOULDBLOCK ? -EBUSY : err;
}

static int take_lock(const char *dir, struct op_error *e)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	char *path = session_lock_path(dir), pid[16];
	unsigned int looks = LOCK_LOOKS;
	uint64_t until = now_ns() + LOCK_WAIT_NS;
	int fd;

	while ((fd = lock_once(path)) == -EBUSY && now_ns() < until) {
		if (!file_read_line(path, pid, sizeof(pid)) && *pid && looks-- == 0)
			break;
		nanosleep(&pause, NULL);
	}
	if (fd == -EBUSY)
		op_error_set(e, fd, "another program is profiling into '%s'", dir);
	else if (fd < 0)
		op_error_set(e, fd, "cannot lock '%s': %s", path, strerror(-fd));
	free(path);
	return fd;
}

/* --- one part of a profile --- */

static void count_losses(struct session_writer *w, const struct session_builder *b)
{
	const struct build_losses *l = build_profile_losses(b->profile);
	uint64_t *lost = w->counts.lost, missed = w->summary->missed;

	lost[LOST_THREAD_BLOCKED] = l->status[SAMPLER_BLOCKED];
	lost[LOST_THREAD_GONE] = l->status[SAMPLER_GONE];
	lost[LOST_THREAD_REFUSED] = l->status[SAMPLER_FAILED] + l->no_frames;
	lost[LOST_SAMPLER_LATE] = missed > b->missed ? missed - b->missed : 0;
	lost[LOST_SAMPLER_MEMORY] = l->no_room;
	for (int i = 0; i < NR_LOSS_REASONS; i++)
		w->counts.received += lost[i];
}

static void choose_event(struct session_writer *w)
{
	w->count = (w->summary->period_ns + THREAD_SAMPLE_NS / 2) / THREAD_SAMPLE_NS;
	if (!w->count)
		w->count = 1;
	w->unit_mask = w->summary->clock == SAMPLER_CPU ? THREAD_SAMPLE_CPU : THREAD_SAMPLE_WALL;
}

static void find_program(struct session_writer *w, char program[PATH_MAX])
{
	static const char deleted[] = " (deleted)";
	ssize_t n = readlink("/proc/self/exe", program, PATH_MAX - 1);
	const size_t end = sizeof(deleted) - 1;

	program[n < 0 ? 0 : n] = '\0';
	if (n > (ssize_t)end && !strcmp(program + n - end, deleted))
		program[n - (ssize_t)end] = '\0';
	w->app = (struct image_name){ .path = *program == '/' ? program : "/unknown" };
}

static void write_all(struct session_writer *w, const struct session_builder *b)
{
	char program[PATH_MAX];

	find_program(w, program);
	choose_event(w);
	count_losses(w, b);
	(void)image_ids_read(w->stats, &w->ids);
	(void)session_parts_read(w->stats, &w->parts, NULL);
	session_images_make(w);
	session_write_files(w);
	session_write_stacks(w);
	session_write_beside(w, b->dir);
	session_images_free(w);
	session_parts_free(&w->parts);
	image_ids_free(w->ids);
}

static int write_session(struct session_builder *b, const struct sampler_summary *summary,
			 struct op_error *e)
{
	struct session_writer w = {
		.p = build_profile_get(b->profile, summary),
		.ends = build_profile_ends(b->profile),
		.summary = summary,
		.samples = session_samples_path(b->dir, SESSION_CURRENT),
		.stats = session_stats_path(b->dir, SESSION_CURRENT, NULL),
		.pid = getpid(), .e = e,
	};
	int err = make_folders(b->dir, &w, e), lock = err ? err : take_lock(b->dir, e);

	if (lock >= 0) {
		write_all(&w, b);
		err = w.err;
		(void)flock(lock, LOCK_UN);	/* a child of fork() may have it too */
		close(lock);
	} else {
		err = lock;
	}
	free(w.samples);
	free(w.stats);
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

/* What is written is forgotten, also where that failed: it is lost and told. */
static void write_part(struct session_builder *b, const struct sampler_summary *summary)
{
	struct op_error e = { "" };
	int err = has_anything(b, summary) ? write_session(b, summary, &e) : 0;

	if (err && !b->err) {
		b->err = err;
		snprintf(b->error.text, sizeof(b->error.text), "%.*s",
			 (int)sizeof(b->error.text) - 1, e.text);
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
		op_error_set(&why, err, "cannot write into '%.100s': %s", session_dir,
			     strerror(-err));
	} else {
		err = session_folder_check(session_dir, &why);
	}
	if (err) {
		if (e)
			snprintf(e->text, sizeof(e->text), "%.*s", (int)sizeof(e->text) - 1,
				 why.text);
		free(dir);
		return err;
	}
	b = xcalloc(1, sizeof(*b));
	b->dir = dir;
	b->profile = build_profile_new(BUILD_NODES_MAX);
	*ret = (struct sampler_builder){ &session_ops, b };
	return 0;
}
