// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * binaries.c - decide which binaries are copied, and when
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/collect/perf/mounts.h"
#include "daemon/record/binaries.h"
#include "daemon/record/binary_copy.h"
#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/list.h"
#include "libutil/log.h"
#include "libutil/quiet_path.h"
#include "libutil/xalloc.h"

#define HELD_MAX	64		/* descriptors kept until there are samples */
#define HOLD_MS		10000		/* for how long they are kept at most */
#define CHECK_MS	200		/* at least, between two checks of all paths */
#define MESSAGES_MAX	20		/* about refused binaries, in a session's log */
#define GONE		"removed, and no process executes it any more"
#define TOTAL_MAX	(UINT64_C(512) << 20)	/* bytes of copies in a session */

/* Distinguishes files that were at a path at different times. */
struct file_identity {
	uint64_t dev, ino, mtime, size;	/* mtime in ns; all 0: none */
};

struct binary {
	struct list_head all, held;	/* @held: if there is an fd */
	struct image *image;
	op_word cookie;
	struct file_identity file;	/* the one that was executed */
	int fd;				/* of that file; -1: not held */
	int64_t since;			/* ms: when @fd was opened */
	bool is_settled;		/* in this session: copied, refused, or at its path */
};

struct binaries {
	struct collector *collector;
	char *dir;			/* "": no session yet */
	struct list_head all, held;
	unsigned int nr_held;
	uint64_t total;			/* bytes copied */
	struct binary *copying;		/* NULL: none is under way */
	struct binary_copy copy;
	int64_t checked_at;		/* ms */
	bool is_full_logged;
	unsigned int nr_refused;
};

struct binaries *binaries_new(struct collector *collector)
{
	struct binaries *b = xcalloc(1, sizeof(*b));

	b->collector = collector;
	b->dir = xstrdup("");
	list_init(&b->all);
	list_init(&b->held);
	return b;
}

static void hold(struct binaries *b, struct binary *binary, int fd)
{
	binary->fd = fd;
	binary->since = now_ms();
	list_add_tail(&binary->held, &b->held);
	b->nr_held++;
}

static void release(struct binaries *b, struct binary *binary)
{
	if (binary->fd < 0)
		return;
	close(binary->fd);
	binary->fd = -1;
	list_del(&binary->held);
	b->nr_held--;
}

static void abort_copy(struct binaries *b)
{
	if (b->copying)
		binary_copy_abort(&b->copy);
	b->copying = NULL;
}

void binaries_free(struct binaries *b)
{
	struct binary *binary, *next;

	if (!b)
		return;
	abort_copy(b);
	list_for_each_entry_safe(binary, next, &b->all, all) {
		release(b, binary);
		free(binary);
	}
	free(b->dir);
	free(b);
}

static uint64_t bytes_in(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t sum = 0;
	struct stat st;

	while (dir && (entry = readdir(dir)))
		if (!fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			sum += st.st_size;
	if (dir)
		closedir(dir);
	return sum;
}

void binaries_set_session(struct binaries *b, const char *stats_dir)
{
	struct binary *binary;

	abort_copy(b);
	free(b->dir);
	b->dir = path_join(stats_dir, SESSION_BINARIES);
	binary_copy_remove_leftover(b->dir);
	b->total = bytes_in(b->dir);
	b->is_full_logged = false;
	b->nr_refused = 0;
	b->checked_at = -CHECK_MS;
	list_for_each_entry(binary, &b->all, all)
		binary->is_settled = false;
}

/* Which file it is */

/* As far as the kernel knows it: no server of a file system is asked. */
static struct file_identity identity_of(int fd)
{
	struct statx s;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &s) ||
	    !S_ISREG(s.stx_mode))
		return (struct file_identity){ 0 };
	return (struct file_identity){
		.dev = (uint64_t)s.stx_dev_major << 32 | s.stx_dev_minor,
		.ino = s.stx_ino,
		.mtime = s.stx_mtime.tv_sec * UINT64_C(1000000000) + s.stx_mtime.tv_nsec,
		.size = s.stx_size,
	};
}

static bool is_same_file(const struct file_identity *x, const struct file_identity *y)
{
	return x->ino && x->dev == y->dev && x->ino == y->ino && x->mtime == y->mtime &&
	       x->size == y->size;
}

static bool is_at_path(const struct binary *binary)
{
	int there = quiet_open(AT_FDCWD, binary->image->path);
	struct file_identity identity = identity_of(there);

	if (there >= 0)
		close(there);
	return is_same_file(&binary->file, &identity);
}

/* Another file there may be the same build, as containers and the host have the same library. */
static bool is_build_at_path(const struct image *image)
{
	int fd = perf_open_build("/proc", image->path, image->build_id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Which are copied */

static struct binary *add_binary(struct binaries *b, struct image *image)
{
	struct binary *binary = xcalloc(1, sizeof(*binary));

	binary->image = image;
	binary->fd = -1;
	list_init(&binary->held);
	list_add_tail(&binary->all, &b->all);
	image->binary = binary;
	return binary;
}

/* A file that is at its path needs no descriptor: it is checked again later. */
void binaries_add(struct binaries *b, struct image *image, op_word cookie, int fd)
{
	struct binary *binary = image->binary;
	bool must_hold = false;

	if (*image->build_id && !binary) {
		binary = add_binary(b, image);
		binary->file = identity_of(fd);
		must_hold = fd >= 0 && b->nr_held < HELD_MAX && !is_at_path(binary);
	}
	if (binary)
		binary->cookie = cookie;	/* an older one may have ended */
	if (must_hold)
		hold(b, binary, fd);
	else if (fd >= 0)
		close(fd);
}

static void settle(struct binaries *b, struct binary *binary)
{
	binary->is_settled = true;
	release(b, binary);
}

static void refuse(struct binaries *b, struct binary *binary, const char *why)
{
	if (b->nr_refused++ < MESSAGES_MAX)
		log_line("cannot copy '%s' (build ID %.8s), which is not at its path: %s%s",
			 binary->image->path, binary->image->build_id, why,
			 b->nr_refused == MESSAGES_MAX ?
				 "; further messages of this kind are suppressed" : "");
	settle(b, binary);
}

/* Binaries that have samples and are no longer at their paths are to be copied. */
void binaries_check_paths(struct binaries *b)
{
	int64_t now = now_ms();
	struct binary *binary;
	int fd;

	/* limited, because any user may request dumps at any rate */
	if (!*b->dir || now - b->checked_at < CHECK_MS)
		return;
	b->checked_at = now;
	list_for_each_entry(binary, &b->all, all) {
		if (binary->is_settled || binary->fd >= 0 || !image_has_samples(binary->image) ||
		    is_at_path(binary))
			continue;
		if (is_build_at_path(binary->image)) {
			binary->is_settled = true;
			continue;
		}
		if (b->nr_held == HELD_MAX)
			return;		/* copy those first */
		fd = b->collector->cookie_fd(b->collector, binary->cookie);
		if (fd < 0)
			refuse(b, binary, GONE);
		else
			hold(b, binary, fd);
	}
}

void binaries_sweep(struct binaries *b)
{
	struct binary *binary, *next;

	list_for_each_entry_safe(binary, next, &b->all, all) {
		if (binary->fd >= 0)
			image_keep(binary->image);
		if (image_is_kept(binary->image))
			continue;
		if (!binary->is_settled && image_has_samples(binary->image) && !is_at_path(binary))
			refuse(b, binary, GONE);
		binary->image->binary = NULL;
		list_del(&binary->all);
		free(binary);
	}
}

/* Copying */

static bool begin_copy(struct binaries *b, struct binary *binary)
{
	struct op_error e = { "" };
	struct stat st;
	int err;

	if (is_build_at_path(binary->image)) {
		settle(b, binary);
		return false;
	}
	if (!quiet_stat(binary->fd, &st) && b->total + st.st_size > TOTAL_MAX) {
		if (!b->is_full_logged)
			log_line("the session has %" PRIu64 " MB of copied binaries: no more are "
				 "copied", b->total >> 20);
		b->is_full_logged = true;
		settle(b, binary);
		return false;
	}
	err = binary_copy_begin(&b->copy, binary->fd, b->dir, binary->image->build_id, &e);
	if (err == -EEXIST)
		settle(b, binary);
	else if (err)
		refuse(b, binary, e.text);
	else
		b->copying = binary;
	return !err;
}

static void continue_copy(struct binaries *b)
{
	struct binary *binary = b->copying;
	struct op_error e = { "" };
	bool done = false;
	int err = binary_copy_step(&b->copy, &done, &e);

	if (err) {
		b->copying = NULL;
		refuse(b, binary, e.text);
	} else if (done) {
		b->copying = NULL;
		b->total += b->copy.size;
		log_about(LOG_MISC, "copied '%s', build ID %s", binary->image->path,
			  binary->image->build_id);
		settle(b, binary);
	}
}

/* The next binary that is held and has samples. Others are released after a while. */
static struct binary *next_due(struct binaries *b)
{
	struct binary *binary, *next;

	list_for_each_entry_safe(binary, next, &b->held, held) {
		if (image_has_samples(binary->image))
			return binary;
		if (now_ms() - binary->since > HOLD_MS)
			release(b, binary);
	}
	return NULL;
}

void binaries_step(struct binaries *b)
{
	struct binary *binary;

	if (!b->nr_held || !*b->dir)
		return;
	if (!b->copying) {
		binary = next_due(b);
		if (!binary || !begin_copy(b, binary))
			return;
	}
	continue_copy(b);
}

void binaries_finish(struct binaries *b, void (*meanwhile)(void *context), void *context)
{
	binaries_check_paths(b);
	while (b->copying || next_due(b)) {
		binaries_step(b);
		meanwhile(context);
	}
}
