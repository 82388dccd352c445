// SPDX-License-Identifier: GPL-2.0-or-later
/* lock.c - one process at a time, and signals only to the one that signed */
#include "libdb/session/lock.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/tmpdir.h"

TEST(taken_once)
{
	struct stat st;
	int fd;

	tmpdir_make();
	CHECK(!session_lock_is_held(tmpdir) && !session_lock_pid(tmpdir), "nothing there");
	fd = session_lock_take(tmpdir);
	CHECK(fd >= 0, "%d", fd);
	CHECK(!session_lock_pid(tmpdir), "not signed");
	CHECK(!session_lock_sign(fd), "sign");
	CHECK(session_lock_pid(tmpdir) == getpid(), "%d", (int)session_lock_pid(tmpdir));
	CHECK(session_lock_is_held(tmpdir), "held");
	CHECK(session_lock_take(tmpdir) == -EBUSY, "twice");
	CHECK(!session_lock_remove_stale(tmpdir), "not stale");
	CHECK(!stat(tmpdir_path("lock"), &st) && (st.st_mode & 0777) == 0600, "%o", st.st_mode);
	close(fd);		/* as after kill -9: the file exists, but is not locked */
	CHECK(!session_lock_is_held(tmpdir), "still held");
	fd = session_lock_take(tmpdir);
	CHECK(fd >= 0 && session_lock_is_ours(fd, tmpdir), "%d", fd);
	CHECK(!session_lock_pid(tmpdir), "the dead process's signature");
	session_lock_remove(fd, tmpdir);
	CHECK(!file_exists(tmpdir_path("lock")) && !session_lock_is_ours(fd, tmpdir), "removed");
	close(fd);
}

TEST(stale_locks_are_removed)
{
	tmpdir_make();
	put_text(tmpdir_path("lock"), "999999");
	CHECK(session_lock_remove_stale(tmpdir), "stale");
	CHECK(!session_lock_remove_stale(tmpdir), "once");
	CHECK(!symlink("/tmp/elsewhere", tmpdir_path("lock")), "symlink");
	CHECK(session_lock_take(tmpdir) == -ELOOP, "followed a symbolic link");
	unlink(tmpdir_path("lock"));
	CHECK(!mkfifo(tmpdir_path("lock"), 0600), "FIFO");
	CHECK(!session_lock_pid(tmpdir), "a FIFO");
}

/* Whoever can open the file can lock it, and so keep the daemon from starting. */
TEST(other_users_cannot_open_it)
{
	int fd, status;
	pid_t pid;

	if (getuid())
		SKIP("needs root, to become another user");
	tmpdir_make();
	CHECK(!chmod(tmpdir, 0755), "chmod");
	put_text(tmpdir_path("lock"), "");
	CHECK(!chmod(tmpdir_path("lock"), 0644), "as earlier versions left it");
	fd = session_lock_take(tmpdir);
	CHECK(fd >= 0, "%d", fd);
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(1);
		_exit(open(tmpdir_path("lock"), O_RDONLY) >= 0 || errno != EACCES);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "status %x", status);
	close(fd);
}

/* A child that has signed the lock. */
static pid_t start_holder(void)
{
	int ends[2];
	pid_t pid;
	char c;

	CHECK(!pipe(ends), "pipe");
	pid = fork();
	if (!pid) {
		int fd = session_lock_take(tmpdir);

		if (fd < 0 || session_lock_sign(fd) || write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	CHECK(read(ends[0], &c, 1) == 1, "cannot take the lock");
	close(ends[0]);
	return pid;
}

static bool is_alive(pid_t pid)
{
	return !waitpid(pid, NULL, WNOHANG);
}

TEST(the_holder_gets_signals)
{
	int status;
	pid_t pid;

	tmpdir_make();
	CHECK(session_lock_signal(tmpdir, SIGTERM) == -ESRCH, "nobody");
	pid = start_holder();
	CHECK(!session_lock_signal(tmpdir, SIGTERM), "refused");
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "status %x", status);
	CHECK(session_lock_signal(tmpdir, SIGTERM) == -ESRCH, "gone");
}

TEST(later_processes_with_its_pid_do_not)
{
	char *text, *process, other[300];
	pid_t pid;

	tmpdir_make();
	pid = start_holder();
	CHECK(!file_read_all(tmpdir_path("lock"), 1000, &text, NULL), "read");
	process = strchr(text, '\n');
	CHECK(process && process[1] > '0', "'%s'", text);
	*process = '\0';
	put_text(tmpdir_path("lock"), text);
	CHECK(session_lock_signal(tmpdir, SIGKILL) == -EPERM, "not signed");
	CHECK(session_lock_pid(tmpdir) == pid, "its pid is known all the same");
	snprintf(other, sizeof(other), "%s\n1%s", text, process + 1);
	put_text(tmpdir_path("lock"), other);
	CHECK(session_lock_signal(tmpdir, SIGKILL) == -EPERM, "started at another time");
	CHECK(is_alive(pid), "killed");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	free(text);
}

TEST(processes_of_other_users_do_not)
{
	pid_t pid;

	if (getuid())
		SKIP("needs root, to become another user");
	tmpdir_make();
	pid = start_holder();
	CHECK(!chown(tmpdir_path("lock"), 65534, 65534), "chown");
	CHECK(session_lock_signal(tmpdir, SIGKILL) == -EPERM && is_alive(pid), "killed");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_MAIN()
