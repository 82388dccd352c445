// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * offline.c - reset or save a session that no daemon writes to
 *
 * Both are one rename(2), so that a concurrent report sees the complete session or none.
 *
 * The daemon's user owns the sample files, and may have put links there. So root does this with the
 * rights of their owner. A daemon that recorded as root, because that user was gone, leaves folders
 * that the owner cannot remove. So what was moved aside is then removed as root, without following
 * links; there is nothing in it but what the owner has put there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/offline.h"
#include "libdb/session/session.h"
#include "libdb/session/settle.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define ASIDE	".tmp_reset."		/* and a pid: not a valid session name */

/* What root has when it is not another user. */
struct rights {
	gid_t group, *groups;
	int nr_groups;
	bool are_dropped;
};

static void take_rights_back(const struct rights *r)
{
	/* it cannot go on as another user */
	if (r->are_dropped &&
	    (seteuid(0) || setegid(r->group) || setgroups((size_t)r->nr_groups, r->groups)))
		_exit(1);
	free(r->groups);
}

/* As root: become the owner of the sample files, until take_rights_back(). */
static int drop_rights(const char *session_dir, struct rights *r, struct op_error *e)
{
	char *samples = path_join(session_dir, "samples");
	bool is_others;
	struct stat st;
	int err = 0;

	*r = (struct rights){ .group = getegid() };
	is_others = !geteuid() && !lstat(samples, &st) && st.st_uid;
	free(samples);
	if (!is_others)
		return 0;
	r->nr_groups = getgroups(0, NULL);
	r->groups = xcalloc((size_t)r->nr_groups + 1, sizeof(*r->groups));
	r->nr_groups = getgroups(r->nr_groups, r->groups);
	r->are_dropped = true;
	if (setgroups(0, NULL) || setegid(st.st_gid) || seteuid(st.st_uid)) {
		err = op_error_set(e, -errno, "cannot become the owner of '%s/samples': %s",
				   session_dir, strerror(errno));
		take_rights_back(r);
	}
	return err;
}

bool offline_has_samples(const char *session_dir)
{
	char *current = session_samples_path(session_dir, SESSION_CURRENT);
	DIR *dir = opendir(current);
	bool any = false;
	struct dirent *d;

	while (dir && !any && (d = readdir(dir)))
		any = d->d_name[0] != '.';
	if (dir)
		closedir(dir);
	free(current);
	return any;
}

/* Left by a reset that was killed; those of the daemon are named ".removed.". */
static bool is_leftover(const char *name)
{
	return !strncmp(name, ASIDE, strlen(ASIDE)) || !strncmp(name, ".removed.", 9);
}

/* The number of leftovers. @e: remove them, and say which one cannot be; needs the lock. */
static size_t count_leftovers(const char *session_dir, struct op_error *e)
{
	char *samples = path_join(session_dir, "samples"), *path;
	DIR *dir = opendir(samples);
	struct dirent *entry;
	size_t nr = 0;
	int err;

	while (dir && (entry = readdir(dir))) {
		if (!is_leftover(entry->d_name))
			continue;
		path = path_join(samples, entry->d_name);
		err = e ? file_remove_tree(path) : -EEXIST;
		if (err && e)
			op_error_set(e, err, "cannot remove all of '%s': %s", path, strerror(-err));
		nr += err != 0;
		free(path);
	}
	if (dir)
		closedir(dir);
	free(samples);
	return nr;
}

static int move_current(const char *session_dir, const char *to, struct op_error *e)
{
	char *current = session_samples_path(session_dir, SESSION_CURRENT);
	int err = renameat2(AT_FDCWD, current, AT_FDCWD, to, RENAME_NOREPLACE) ? -errno : 0;

	if (err == -EEXIST)
		op_error_set(e, err, "'%s' already exists; choose another name", to);
	else if (err)
		op_error_set(e, err, "cannot move '%s' to '%s': %s", current, to, strerror(-err));
	else
		(void)mkdir(current, 0755);	/* the daemon creates it too */
	free(current);
	return err;
}

/* If the daemon was killed, its counts are incomplete, and no other daemon settles them. [SS-24] */
static int settle_current(const char *session_dir, struct op_error *e)
{
	char *current = session_samples_path(session_dir, SESSION_CURRENT);
	struct op_error why = { "" };
	struct settlement s;
	int err = session_settle(current, &s, &why);

	if (err)
		op_error_set(e, err, "cannot settle the counts of '%s', so it is not saved: %s",
			     current, why.text);
	free(current);
	return err;
}

static int reset_locked(const char *session_dir, struct op_error *e)
{
	char *aside = xasprintf("%s/samples/" ASIDE "%d", session_dir, (int)getpid());
	int err = offline_has_samples(session_dir) ? move_current(session_dir, aside, e) : 0;

	free(aside);
	return err;
}

/* Nobody else can have a link to other folders in the place of its samples. */
static bool is_roots(const char *session_dir)
{
	struct stat st;

	return !stat(session_dir, &st) && !st.st_uid && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

int offline_reset(const char *session_dir, struct op_error *e)
{
	struct rights rights;
	size_t nr = 0;
	int fd, err;

	if (!offline_has_samples(session_dir) && !count_leftovers(session_dir, NULL))
		return 0;
	fd = session_lock(session_dir, e);
	if (fd < 0)
		return fd;
	err = drop_rights(session_dir, &rights, e);
	if (!err) {
		err = reset_locked(session_dir, e);
		nr = count_leftovers(session_dir, e);
		take_rights_back(&rights);
	}
	if (nr && rights.are_dropped && is_roots(session_dir))
		nr = count_leftovers(session_dir, e);
	session_unlock(session_dir, fd);
	return err ? err : nr ? -EACCES : 0;
}

static int save_locked(const char *session_dir, const char *name, struct op_error *e)
{
	int err = settle_current(session_dir, e);
	char *saved = session_samples_path(session_dir, name);

	if (!err)
		err = move_current(session_dir, saved, e);
	free(saved);
	return err;
}

int offline_save(const char *session_dir, const char *name, struct op_error *e)
{
	int fd = session_lock(session_dir, e), err;
	struct rights rights;

	if (fd < 0)
		return fd;
	err = drop_rights(session_dir, &rights, e);
	if (!err) {
		err = save_locked(session_dir, name, e);
		take_rights_back(&rights);
	}
	session_unlock(session_dir, fd);
	return err;
}
