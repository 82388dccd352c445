// SPDX-License-Identifier: GPL-2.0-or-later
/* profile_dir.c - create, lock and rename the folders of a profile, and undo that */
#include "operf/profile_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/process.h"
#include "libdb/session/kernel_text.h"
#include "libdb/session/lock.h"
#include "libdb/session/session.h"
#include "libutil/file.h"

/* Name of the previous profile until it is removed; not a valid session name. */
#define ASIDE	".previous"
#define NEW_LOG	"." PROFILE_LOG

/*
 * If others can write to the current folder, they may have created the default folder, with links
 * to our files in it.
 */
static int check_owner(const char *path, struct op_error *e)
{
	struct stat st;

	if (lstat(path, &st))
		return op_error_set(e, -errno, "'%s': %s", path, strerror(errno));
	if (S_ISLNK(st.st_mode))
		return op_error_set(e, -ELOOP, "'%s' is a symbolic link; name its target with "
				    "--session-dir=", path);
	if (!S_ISDIR(st.st_mode))
		return op_error_set(e, -ENOTDIR, "'%s' is not a folder; choose a folder with "
				    "--session-dir=", path);
	if (st.st_uid != geteuid())
		return op_error_set(e, -EPERM, "'%s' belongs to another user; choose a folder with "
				    "--session-dir=", path);
	return 0;
}

static int find_given(const char *given, struct op_error *e)
{
	struct stat st;

	if (stat(given, &st))
		return op_error_set(e, -errno, "--session-dir='%s': %s%s", given, strerror(errno),
				    errno == ENOENT ? "; create it first" : "");
	if (!S_ISDIR(st.st_mode))
		return op_error_set(e, -ENOTDIR, "--session-dir='%s' is not a folder", given);
	return 0;
}

static int find_default(bool *made, struct op_error *e)
{
	*made = !mkdir(PROFILE_DIR_DEFAULT, 0755);
	if (!*made && errno != EEXIST)
		return op_error_set(e, -errno, "cannot create './" PROFILE_DIR_DEFAULT "': %s; "
				    "choose another folder with --session-dir=", strerror(errno));
	return check_owner(PROFILE_DIR_DEFAULT, e);
}

static int lock(struct profile_dir *d, struct op_error *e)
{
	int err = 0;
	pid_t pid;

	d->lock_fd = lock_take(d->path, e);
	if (d->lock_fd < 0) {
		err = d->lock_fd;
		d->lock_fd = -1;
	}
	pid = err == -EBUSY ? session_lock_pid(d->path) : 0;
	if (pid)
		op_error_set(e, err, "process %d is profiling into '%s'; stop it, or choose "
			     "another folder with --session-dir=", (int)pid, d->path);
	return err ? err : lock_sign(d->lock_fd, d->path, e);
}

int profile_dir_open(const char *given, struct profile_dir *ret, struct op_error *e)
{
	struct profile_dir d = { .lock_fd = -1 };
	int err = given ? find_given(given, e) : find_default(&d.made, e);

	if (err)
		return err;
	d.path = path_absolute(given ? given : PROFILE_DIR_DEFAULT);
	if (!d.path)
		return op_error_set(e, -errno, "'%s': %s", given ? given : PROFILE_DIR_DEFAULT,
				    strerror(errno));
	err = lock(&d, e);
	if (err) {
		profile_dir_undo(&d);
		profile_dir_close(&d);
		return err;
	}
	*ret = d;
	return 0;
}

static int move(const struct profile_dir *d, const char *from, const char *to)
{
	char *a = session_samples_path(d->path, from), *b = session_samples_path(d->path, to);
	int err = rename(a, b) ? -errno : 0;

	free(a);
	free(b);
	return err;
}

static int remove_session(const struct profile_dir *d, const char *name)
{
	char *path = session_samples_path(d->path, name);
	int err = file_remove_tree(path);

	free(path);
	return err;
}

/* 0 also if @from does not exist. */
static int move_if_exists(const struct profile_dir *d, const char *from, const char *to,
			bool *done, struct op_error *e)
{
	int err = move(d, from, to);

	*done = !err;
	if (!err || err == -ENOENT)
		return 0;
	return op_error_set(e, err, "cannot rename '%s/samples/%s' to '%s': %s", d->path, from, to,
			    strerror(-err));
}

static int move_aside(struct profile_dir *d, struct op_error *e)
{
	bool exists;
	char *current = session_samples_path(d->path, SESSION_CURRENT);
	int err;

	exists = file_exists(current);
	free(current);
	if (!exists)
		return 0;
	err = remove_session(d, ASIDE);		/* left by an operf that was killed */
	if (err)
		return op_error_set(e, err, "cannot remove '%s/samples/" ASIDE "': %s", d->path,
				    strerror(-err));
	err = move_if_exists(d, PROFILE_PREVIOUS, ASIDE, &d->previous_moved, e);
	return err ? err : move_if_exists(d, SESSION_CURRENT, PROFILE_PREVIOUS, &d->current_moved,
					  e);
}

static int make_samples_dir(struct profile_dir *d, struct op_error *e)
{
	char *samples = path_join(d->path, "samples");
	int err;

	d->samples_made = !file_exists(samples);
	err = file_make_dirs(samples, 0755);
	if (err)
		op_error_set(e, err, "cannot create '%s': %s; choose another folder with "
			     "--session-dir=", samples, strerror(-err));
	else
		err = check_owner(samples, e);
	free(samples);
	return err;
}

int profile_dir_begin(struct profile_dir *d, bool append, struct op_error *e)
{
	char *current = session_samples_path(d->path, SESSION_CURRENT);
	int err = make_samples_dir(d, e);

	d->log = session_samples_path(d->path, append ? PROFILE_LOG : NEW_LOG);
	if (!append)
		(void)unlink(d->log);
	if (!err && !append)
		err = move_aside(d, e);
	if (!err) {
		d->current_made = !file_exists(current);
		err = file_make_dirs(current, 0755);
		if (err)
			op_error_set(e, err, "cannot create '%s': %s", current, strerror(-err));
		else
			err = check_owner(current, e);
	}
	free(current);
	return err;
}

void profile_dir_keep(struct profile_dir *d)
{
	if (d->previous_moved || d->current_moved)
		(void)remove_session(d, ASIDE);
	(void)move(d, NEW_LOG, PROFILE_LOG);
	d->made = d->samples_made = d->current_made = false;
	d->previous_moved = d->current_moved = false;
}

/* Remove what was created in a folder without profiles. */
static void remove_new(const struct profile_dir *d)
{
	static const char *const names[] = { "samples", "abi", KERNEL_TEXTS };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path_join(d->path, names[i]);

		(void)file_remove_tree(path);
		free(path);
	}
}

void profile_dir_undo(struct profile_dir *d)
{
	if (d->current_made)
		(void)remove_session(d, SESSION_CURRENT);
	if (d->current_moved)
		(void)move(d, PROFILE_PREVIOUS, SESSION_CURRENT);
	if (d->previous_moved)
		(void)move(d, ASIDE, PROFILE_PREVIOUS);
	if (d->samples_made)
		remove_new(d);
	if (d->log)
		(void)remove_session(d, NEW_LOG);
	if (d->made && d->path)
		(void)file_remove_tree(d->path);
	d->made = d->samples_made = d->current_made = false;
	d->previous_moved = d->current_moved = false;
}

void profile_dir_close(struct profile_dir *d)
{
	if (d->lock_fd >= 0) {
		session_lock_remove(d->lock_fd, d->path);
		close(d->lock_fd);
	}
	free(d->log);
	free(d->path);
	*d = (struct profile_dir){ .lock_fd = -1 };
}
