// SPDX-License-Identifier: GPL-2.0-or-later
/* access.c - what a user can reach of the daemon's files, memory and processes */
#include <errno.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "libdb/session/lock.h"
#include "libutil/file.h"
#include "libutil/proc_stat.h"
#include "tests/unit/daemon/hostile/play.h"
#include "tests/unit/daemon/hostile/workers.h"

#if defined(__x86_64__) || defined(__aarch64__)

static pid_t daemon_process, helper;

/* ---- the session folder ---- */

static bool can_open(const char *name, int flags)
{
	int fd = open(tmpdir_path(name), flags | O_CLOEXEC, 0600);

	if (fd >= 0) {
		printf("# '%s' opened with flags %x\n", name, (unsigned int)flags);
		close(fd);
	}
	return fd >= 0;
}

/* A daemon that finds its lock or socket taken does not start, or another answers for it. */
static bool cannot_replace(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", tmpdir_path("sd/control"));
	return !can_open("sd/lock", O_RDONLY) && !can_open("sd/lock", O_WRONLY) &&
	       !can_open("sd/abi", O_WRONLY) && !can_open("sd/new", O_WRONLY | O_CREAT) &&
	       unlink(tmpdir_path("sd/control")) && unlink(tmpdir_path("sd/lock")) &&
	       rename(tmpdir_path("sd/control"), tmpdir_path("his/control")) &&
	       symlink("/etc/passwd", tmpdir_path("sd/link")) &&
	       rename(tmpdir_path("his"), tmpdir_path("sd/samples/his")) &&
	       bind(fd, (struct sockaddr *)&address, sizeof(address));
}

TEST(the_session_folder)
{
	start_daemon();
	CHECK(is_true_for(ATTACKER_UID, cannot_replace), "it worked");
	CHECK(!ask("ping"), "ping");
	CHECK(!ask("shutdown"), "shutdown");
}

/* ---- a lock of his own ---- */

static pid_t bystander;

/* As a daemon with the bystander's pid would have signed it, in a folder of his own. */
static bool forge_lock(void)
{
	char boot[64], exe[64], stat_path[64], text[300];
	struct proc_stat process;
	struct stat program;
	int fd, len;

	snprintf(exe, sizeof(exe), "%s/daemon_hostile_access", program_dir);
	snprintf(stat_path, sizeof(stat_path), "/proc/%d/stat", bystander);
	if (file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) ||
	    proc_stat_read(stat_path, &process) || stat(exe, &program))
		return false;
	len = snprintf(text, sizeof(text), "%d\n%" PRIu64 " %s %jx:%ju\n", bystander,
		       process.start_time, boot, (uintmax_t)program.st_dev,
		       (uintmax_t)program.st_ino);
	fd = open(tmpdir_path("his/lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	return write(fd, text, (size_t)len) == len && !flock(fd, LOCK_EX);
}

static void keep_lock(void)
{
	for (;;)
		pause();
}

/* What root's opcontrol --shutdown ends is not the process that a user's lock names. */
TEST(a_forged_lock)
{
	pid_t attacker;
	int status;

	if (geteuid())
		SKIP("needs root, to become another user");
	tmpdir_make();
	make_attackers_dir();
	bystander = fork();
	if (!bystander)
		keep_lock();
	attacker = attack(forge_lock, keep_lock);
	CHECK(session_lock_signal(tmpdir_path("his"), SIGKILL) == -EPERM &&
	      !waitpid(bystander, NULL, WNOHANG), "it ended a bystander");
	CHECK(!chown(tmpdir_path("his/lock"), 0, 0) &&
	      !session_lock_signal(tmpdir_path("his"), SIGKILL) &&
	      waitpid(bystander, &status, 0) == bystander, "root's own, of the same text");
	attack_end(attacker);
}

/* ---- requests that change something ---- */

static bool cannot_request(void)
{
	static const char *const requests[] = { "start", "stop", "reset", "save x", "shutdown" };

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (ask(requests[i]) != -EREMOTEIO)
			return false;
	return !ask("ping");
}

TEST(requests_of_others)
{
	start_daemon();
	CHECK(is_true_for(ATTACKER_UID, cannot_request), "it worked");
	CHECK(!ask("start") && !ask("shutdown"), "ours");
}

/* ---- processes ---- */

static bool cannot_look_into(pid_t pid)
{
	static const char *const files[] = { "mem", "maps", "environ", "auxv", "fd/0" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = xasprintf("/proc/%d/%s", pid, files[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		char byte;

		if (fd >= 0 && read(fd, &byte, 1) > 0) {
			printf("# can read %s\n", path);
			return false;
		}
		free(path);
	}
	return ptrace(PTRACE_SEIZE, pid, 0, 0) < 0 && kill(pid, SIGSTOP) < 0;
}

static bool cannot_trace(void)
{
	return cannot_look_into(daemon_process) && cannot_look_into(first_child(daemon_process));
}

/* The helper shares their user with others, who can signal it, but not read descriptors of it. */
static bool cannot_trace_helper(void)
{
	char *path = xasprintf("/proc/%d/mem", helper);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	free(path);
	return fd < 0 && ptrace(PTRACE_SEIZE, helper, 0, 0) < 0 && cannot_trace();
}

TEST(processes)
{
	start_daemon();
	daemon_process = daemon_pid();
	helper = worker_helper(daemon_process);
	CHECK(helper, "no helper");
	CHECK(is_true_for(ATTACKER_UID, cannot_trace), "a user's");
	CHECK(is_true_for(65534, cannot_trace_helper), "nobody's");
	CHECK(!ask("shutdown"), "shutdown");
}

#endif

TEST_MAIN()
