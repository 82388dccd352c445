// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sweep.c - remove dumps that no process has open for writing
 *
 * A process's number proves little: it may be of a container that shares the folder. But a read
 * lease is granted only if no process has the file open for writing, in any namespace.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "daemon/collect/perf/mounts.h"
#include "daemon/jit/sweep.h"
#include "libutil/quiet_path.h"

/* "PID.dump" */
static bool is_dump(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && !strcmp(name + digits, ".dump");
}

static bool has_no_writer(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	bool unused;

	if (fd < 0)
		return false;
	unused = !fstat(fd, &st) && S_ISREG(st.st_mode) && !fcntl(fd, F_SETLEASE, F_RDLCK);
	close(fd);			/* also ends the lease */
	return unused;
}

/* Closes @folder. */
static size_t sweep_folder(int folder)
{
	DIR *dir = fdopendir(folder);
	struct dirent *entry;
	size_t nr = 0;

	if (!dir) {
		close(folder);
		return 0;
	}
	while ((entry = readdir(dir)))
		if (is_dump(entry->d_name) && has_no_writer(folder, entry->d_name))
			nr += !unlinkat(folder, entry->d_name, 0);
	closedir(dir);
	return nr;
}

/* Sweep the folder @below @top if @uid owns it; links and mounts in the path may be traps. */
static size_t sweep_user(const char *top, const char *below, uid_t uid)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	int parent = quiet_open(AT_FDCWD, top), folder = -1;
	struct stat st;

	if (parent < 0)
		return 0;
	if (perf_mount_answers("/proc", 0, parent))
		folder = syscall(SYS_openat2, parent, below, &how, sizeof(how));
	close(parent);
	if (folder >= 0 && (fstat(folder, &st) || st.st_uid != uid)) {
		close(folder);
		folder = -1;
	}
	return folder < 0 ? 0 : sweep_folder(folder);
}

static size_t sweep_both(uid_t uid)
{
	char top[40], below[60];

	snprintf(top, sizeof(top), "/run/user/%u", uid);
	snprintf(below, sizeof(below), "oprofile-%u/jitdump", uid);
	return sweep_user(top, "oprofile/jitdump", uid) + sweep_user("/tmp", below, uid);
}

/* Sweep for all users whose numbers follow @prefix in names of @folder. */
static size_t sweep_all(const char *folder, const char *prefix)
{
	size_t nr = 0, len = strlen(prefix);
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *number = entry->d_name + len;

		if (!strncmp(entry->d_name, prefix, len) && isdigit((unsigned char)*number) &&
		    !number[strspn(number, "0123456789")])
			nr += sweep_both((uid_t)strtoul(number, NULL, 10));
	}
	if (dir)
		closedir(dir);
	return nr;
}

size_t jit_sweep(void)
{
	if (geteuid())
		return sweep_both(geteuid());
	return sweep_all("/tmp", "oprofile-") + sweep_all("/run/user", "");
}
