// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock.c - see lock.h
 *
 * A signed lock is "PID\nSTART BOOT DEVICE:INODE\n": the process, its start in clock ticks since
 * the boot with that ID, and its program. Together they name one process for ever, so a lock that
 * was left behind cannot make opcontrol kill another process that has got the same pid.
 */
#include "libdb/session/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/opener/ask.h"
#include "libutil/proc_stat.h"
#include "libutil/xalloc.h"

#define MODE		0600
/* It is held for a moment by who tests it, and by a child of a killed daemon that just began. */
#define RETRIES		200
#define RETRY_MS	5
#define TEXT_MAX	256

/* Whether @path names the open file, not a link to it or one that has replaced it. */
static bool is_at(int fd, const char *path)
{
	struct stat ours, named;

	return !fstat(fd, &ours) && !lstat(path, &named) && ours.st_dev == named.st_dev &&
	       ours.st_ino == named.st_ino;
}

/* -EBUSY: another process holds it. -EAGAIN: it was removed before it was locked. */
static int open_and_lock(const char *path, int flags, int how)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, MODE);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (flock(fd, how | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (!is_at(fd, path))
		err = -EAGAIN;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int session_lock_take(const char *session_dir)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * NS_PER_MS };
	char *path = session_lock_path(session_dir);
	int fd, retries = RETRIES;

	for (;;) {
		fd = open_and_lock(path, O_RDWR | O_CREAT, LOCK_EX);
		if (fd == -EBUSY && retries-- > 0)
			nanosleep(&pause, NULL);
		else if (fd != -EAGAIN)
			break;
	}
	free(path);
	if (fd >= 0) {
		(void)fchmod(fd, MODE);		/* earlier versions let everybody open it */
		(void)!ftruncate(fd, 0);
	}
	return fd;
}

/* What distinguishes a process from all others, past and future. False: it cannot be read. */
static bool describe(pid_t pid, char *text, size_t size)
{
	char boot[64], exe[64], path[64];
	struct stat program;
	struct proc_stat process;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) ||
	    proc_stat_read(path, &process) || stat(exe, &program))
		return false;
	snprintf(text, size, "%" PRIu64 " %s %jx:%ju", process.start_time, boot,
		 (uintmax_t)program.st_dev, (uintmax_t)program.st_ino);
	return true;
}

int session_lock_sign(int lock_fd)
{
	char process[TEXT_MAX / 2] = "", text[TEXT_MAX];
	int len;

	(void)describe(getpid(), process, sizeof(process));
	len = snprintf(text, sizeof(text), "%d\n%s\n", (int)getpid(), process);
	errno = 0;
	if (ftruncate(lock_fd, 0) || pwrite(lock_fd, text, len, 0) != len)
		return errno ? -errno : -EIO;
	return 0;
}

bool session_lock_is_ours(int lock_fd, const char *session_dir)
{
	char *path = session_lock_path(session_dir);
	bool is = is_at(lock_fd, path);

	free(path);
	return is;
}

void session_lock_remove(int lock_fd, const char *session_dir)
{
	char *path = session_lock_path(session_dir);

	if (is_at(lock_fd, path))
		(void)opener_remove(path);
	free(path);
}

bool session_lock_remove_stale(const char *session_dir)
{
	char *path = session_lock_path(session_dir);
	int fd = open_and_lock(path, O_RDONLY, LOCK_EX);
	bool removed = fd >= 0 && !unlink(path);

	if (fd >= 0)
		close(fd);
	free(path);
	return removed;
}

bool session_lock_is_held(const char *session_dir)
{
	char *path = session_lock_path(session_dir);
	int fd = open_and_lock(path, O_RDONLY, LOCK_SH);

	if (fd >= 0)
		close(fd);
	free(path);
	return fd == -EBUSY;
}

/* Its two lines; each is "" if missing. */
struct signature {
	char pid[32], process[TEXT_MAX];
	uid_t owner;
};

static bool read_signature(const char *session_dir, struct signature *ret)
{
	char *path = session_lock_path(session_dir), text[TEXT_MAX] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	bool is_read = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		       read(fd, text, sizeof(text) - 1) > 0;

	free(path);
	if (fd >= 0)
		close(fd);
	*ret = (struct signature){ .pid = "" };
	if (!is_read)
		return false;
	ret->owner = st.st_uid;
	return sscanf(text, "%31[^\n]\n%255[^\n]", ret->pid, ret->process) >= 1;
}

static pid_t pid_of(const struct signature *s)
{
	uint64_t pid;

	return number_parse_range(s->pid, 1, INT_MAX, &pid) ? 0 : (pid_t)pid;
}

pid_t session_lock_pid(const char *session_dir)
{
	struct signature s;

	return read_signature(session_dir, &s) ? pid_of(&s) : 0;
}

static bool has_signed(const struct signature *s, pid_t pid)
{
	char path[64], process[TEXT_MAX];
	struct stat owner;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !stat(path, &owner) && owner.st_uid == s->owner &&
	       describe(pid, process, sizeof(process)) && !strcmp(process, s->process);
}

int session_lock_signal(const char *session_dir, int number)
{
	struct signature s;
	pid_t pid = read_signature(session_dir, &s) ? pid_of(&s) : 0;
	int fd, err = 0;

	if (!pid)
		return -ESRCH;
	/* The pidfd first, so that it is the process that is examined. */
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0 && errno != ENOSYS)
		return -errno;
	if (!has_signed(&s, pid))
		err = -EPERM;
	else if (fd < 0 ? kill(pid, number) :	/* before Linux 5.3 */
			  (int)syscall(SYS_pidfd_send_signal, fd, number, NULL, 0))
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}
