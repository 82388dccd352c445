// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile_parser.c - preloaded: what a binary may do that takes over its parser
 *
 * Begins when the program has read the first bytes of an ELF file or renames a file, or at once if
 * $HOSTILE_AT_ONCE is set. Prints a line for each attempt to standard error: "hostile: WHAT: refused"
 * or "... worked". $VICTIM is a file that no report writes.
 */
#undef _FORTIFY_SOURCE	/* its pread64() is inline and cannot be replaced */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static void result(const char *what, long value)
{
	dprintf(2, "hostile: %s: %s\n", what, value < 0 ? "refused" : "worked");
}

static long start_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

static void write_files(const char *victim)
{
	int fd = open(victim, O_RDONLY | O_CLOEXEC);
	char path[4096];

	result("open for writing", open(victim, O_WRONLY | O_APPEND | O_CLOEXEC));
	snprintf(path, sizeof(path), "%s.new", victim);
	result("create", open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	result("symlink", symlink("/etc/passwd", path));
	result("link", link(victim, path));
	result("mkdir", mkdir(path, 0700));
	result("truncate", truncate(victim, 0));
	result("chmod", chmod(victim, 0666));
	result("chmod of what is open", fchmod(fd, 0666));
	result("chown", fchown(fd, 0, 0));
	result("times", futimens(fd, NULL));
	result("attributes", fsetxattr(fd, "user.hostile", "", 0, 0));
	result("mknod", mknod(path, S_IFIFO | 0600, 0));
	result("rename", rename(victim, path));
	result("unlink", unlink(victim));
}

static void reach_others(void)
{
	static char *const arguments[] = { (char *)"true", NULL };
	struct sockaddr_in local = { .sin_family = AF_INET };
	int ends[2] = { -1, -1 };
	char key = '\n';

	result("socket", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	result("connect", connect(2, (struct sockaddr *)&local, sizeof(local)));
	result("fork", start_process());
	result("signal", kill(getppid(), 0));
	result("signal to a thread", syscall(SYS_tgkill, getppid(), getppid(), 0));
	(void)!pipe2(ends, O_CLOEXEC);
	result("signal by a pipe", fcntl(ends[0], F_SETOWN, getppid()));
	result("type into the terminal", ioctl(0, TIOCSTI, &key));
	result("trace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	result("namespaces", syscall(SYS_unshare, 0));
	result("rights", setuid(getuid()));
	result("execute", execve("/nosuch", arguments, NULL) < 0 && errno == EPERM ? -1 : 0);
}

static void begin(void)
{
	static int begun;
	const char *victim = getenv("VICTIM");

	if (victim && !__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED)) {
		write_files(victim);
		reach_others();
	}
}

__attribute__((visibility("default")))
ssize_t pread64(int fd, void *bytes, size_t n, off64_t offset);

ssize_t pread64(int fd, void *bytes, size_t n, off64_t offset)
{
	ssize_t got = syscall(SYS_pread64, fd, bytes, n, offset);

	if (got >= 4 && !memcmp(bytes, "\177ELF", 4))
		begin();
	return got;
}

__attribute__((visibility("default")))
int rename(const char *from, const char *to)
{
	begin();
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

__attribute__((constructor)) static void begin_at_once(void)
{
	if (getenv("HOSTILE_AT_ONCE"))
		begin();
}
