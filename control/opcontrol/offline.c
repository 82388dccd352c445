// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * offline.c - reset or save a session that no daemon writes to
 *
 * Both are one rename(2), so that a concurrent report sees the complete session or none.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/* The number of leftovers. @remove: remove them; needs the session's lock. */
static size_t count_leftovers(const char *session_dir, bool remove)
{
	char *samples = path_join(session_dir, "samples"), *path;
	DIR *dir = opendir(samples);
	struct dirent *entry;
	size_t nr = 0;

	while (dir && (entry = readdir(dir))) {
		if (!is_leftover(entry->d_name))
			continue;
		nr++;
		path = path_join(samples, entry->d_name);
		if (remove)
			(void)file_remove_tree(path);
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
	int err;

	(void)count_leftovers(session_dir, true);
	err = offline_has_samples(session_dir) ? move_current(session_dir, aside, e) : 0;
	if (!err) {
		err = file_remove_tree(aside);
		if (err)
			op_error_set(e, err, "cannot remove all of '%s': %s", aside,
				     strerror(-err));
	}
	free(aside);
	return err;
}

int offline_reset(const char *session_dir, struct op_error *e)
{
	int fd, err;

	if (!offline_has_samples(session_dir) && !count_leftovers(session_dir, false))
		return 0;
	fd = session_lock(session_dir, e);
	if (fd < 0)
		return fd;
	err = reset_locked(session_dir, e);
	session_unlock(session_dir, fd);
	return err;
}

int offline_save(const char *session_dir, const char *name, struct op_error *e)
{
	char *saved;
	int fd = session_lock(session_dir, e), err;

	if (fd < 0)
		return fd;
	err = settle_current(session_dir, e);
	saved = session_samples_path(session_dir, name);
	if (!err)
		err = move_current(session_dir, saved, e);
	free(saved);
	session_unlock(session_dir, fd);
	return err;
}
