// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - the paths below a session directory */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/history/folder.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/sandbox/sandbox.h"
#include "libutil/xalloc.h"

#define SESSION_NAME_MAX 200
#define INFO_ROOM	8192
#define CPU_ROOM	512	/* bytes of a line of stats/counts */

char *session_samples_path(const char *session_dir, const char *name)
{
	return xasprintf("%s/samples/%s", session_dir, name);
}

char *session_stats_path(const char *session_dir, const char *name, const char *file)
{
	if (!file)
		return xasprintf("%s/samples/%s/stats", session_dir, name);
	return xasprintf("%s/samples/%s/stats/%s", session_dir, name, file);
}

char *session_lock_path(const char *session_dir)
{
	return path_join(session_dir, "lock");
}

char *session_log_path(const char *session_dir)
{
	return path_join(session_dir, "samples/oprofiled.log");
}

char *session_control_path(const char *session_dir)
{
	return path_join(strcmp(session_dir, SESSION_DIR_DEFAULT) ? session_dir : SESSION_RUN_DIR,
			 "control");
}

/* A service may not set S_ISGID, so it is not set again. */
static int set_mode(int fd, mode_t now, mode_t wanted)
{
	return (now & 07777) == wanted || !fchmod(fd, wanted) ? 0 : -errno;
}

/* As root: the daemon may have become another user. */
static bool is_daemons(const struct stat *st)
{
	uid_t uid;
	gid_t gid;

	return !geteuid() && sandbox_user(&uid, &gid) && st->st_uid == uid;
}

static int set_rights(const char *path, bool world_readable)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = 0;
	const struct group *group = getgrnam(SESSION_GROUP);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err = -errno;
	else if (st.st_uid != geteuid() && !is_daemons(&st))
		err = 0;		/* its owner has given us the right to write */
	else if (!geteuid() && group && fchown(fd, -1, group->gr_gid))
		err = -errno;
	else
		err = set_mode(fd, st.st_mode, world_readable ? 0755 : S_ISGID | 0750);
	if (fd >= 0)
		close(fd);
	return err;
}

int session_set_rights(const char *session_dir, bool world_readable)
{
	char *samples = session_samples_path(session_dir, "");
	char *history = path_join(session_dir, HISTORY_DIR);
	int err = set_rights(samples, world_readable);

	if (!err && file_exists(history))
		err = set_rights(history, world_readable);
	free(history);
	free(samples);
	return err;
}

int session_reserve(const char *stats_dir, unsigned int nr_cpus)
{
	char *info = path_join(stats_dir, SESSION_INFO_FILE);
	char *counts = path_join(stats_dir, SESSION_COUNTS_FILE);
	int err = file_reserve(info, INFO_ROOM);

	if (!err)
		err = file_reserve(counts, ((size_t)nr_cpus + 1) * CPU_ROOM);
	free(info);
	free(counts);
	return err;
}

void session_give_up_reserve(const char *stats_dir)
{
	char *info = path_join(stats_dir, SESSION_INFO_FILE);
	char *counts = path_join(stats_dir, SESSION_COUNTS_FILE);

	file_give_up_reserve(info);
	file_give_up_reserve(counts);
	free(info);
	free(counts);
}

bool session_name_ok(const char *name)
{
	size_t n = strlen(name);

	if (!n || n > SESSION_NAME_MAX || *name == '.')
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789._-+") == n;
}
