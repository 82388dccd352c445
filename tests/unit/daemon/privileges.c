// SPDX-License-Identifier: GPL-2.0-or-later
/* privileges.c - the daemon keeps what it needs to sample everybody, and nothing else */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "daemon/privileges.h"
#include "libdb/session/lock.h"
#include "libutil/file.h"
#include "libutil/sandbox/capabilities.h"
#include "tests/unit/children.h"
#include "tests/unit/daemon/program.h"
#include "tests/unit/own_mounts.h"

#define OTHER	65534
/* The user to record as, where there is one. */
#define RECORDER	870
#define OF_RECORDER	(CAPABILITY(CAP_IPC_LOCK) | CAPABILITY(CAP_SYS_NICE) | \
			 CAPABILITY(CAP_SYS_RESOURCE))
#define OF_OPENER	(CAPABILITY(CAP_PERFMON) | CAPABILITY(CAP_SYSLOG) | \
			 CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_DAC_READ_SEARCH) | \
			 CAPABILITY(CAP_SYS_NICE) | CAPABILITY(40) | CAPABILITY(CAP_CHOWN) | \
			 CAPABILITY(CAP_FOWNER))

static uid_t recorder;			/* whom the daemon is expected to run as */

static void need_root(void)
{
	need_perf();
	if (geteuid())
		SKIP("needs root");
}

static char *status_of(const char *process)
{
	char *path = xasprintf("/proc/%s/status", process), *text;

	if (file_read_all(path, 65536, &text, NULL))
		text = xstrdup("");
	free(path);
	return text;
}

static uint64_t field(const char *status, const char *name, int base)
{
	const char *p = strstr(status, name);

	return p ? strtoull(p + strlen(name), NULL, base) : UINT64_MAX;
}

/* Runs @check for the status of each thread of @pid; returns their number. */
static int each_thread(pid_t pid, void (*check)(const char *status))
{
	char *path = xasprintf("/proc/%d/task", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir))) {
		char *status;

		if (entry->d_name[0] == '.')
			continue;
		status = status_of(entry->d_name);
		check(status);
		free(status);
		nr++;
	}
	if (dir)
		closedir(dir);
	free(path);
	return nr;
}

static void check_rights(const char *status, uint64_t allowed)
{
	uint64_t now = field(status, "\nCapEff:", 16);

	CHECK(!(now & ~allowed), "too many: %" PRIx64, now & ~allowed);
	CHECK(!(field(status, "\nCapPrm:", 16) & ~allowed), "permitted");
	CHECK(!field(status, "\nCapBnd:", 16), "of what it would execute");
	CHECK(!field(status, "\nCapInh:", 16) && !field(status, "\nCapAmb:", 16), "inherited");
	CHECK(field(status, "\nNoNewPrivs:", 10) == 1, "new privileges");
}

/* All four numbers of a line of users or groups. */
static bool is_only(const char *status, const char *name, unsigned int id)
{
	const char *p = strstr(status, name);
	unsigned int n[4] = { 0 };

	return p && sscanf(p + strlen(name), "%u %u %u %u", &n[0], &n[1], &n[2], &n[3]) == 4 &&
	       n[0] == id && n[1] == id && n[2] == id && n[3] == id;
}

static void check_recorder(const char *status)
{
	check_rights(status, OF_RECORDER);
	CHECK(is_only(status, "\nUid:", recorder) && is_only(status, "\nGid:", recorder), "%s",
	      status);
	CHECK(!recorder || strstr(status, "\nGroups:\t \n"), "groups: %s", status);
}

static void check_opener(const char *status)
{
	check_rights(status, OF_OPENER);
	CHECK(field(status, "\nCapEff:", 16) & CAPABILITY(CAP_SYS_PTRACE), "too few");
}

static void check_helper(const char *status)
{
	CHECK(field(status, "\nUid:", 10) && field(status, "\nGid:", 10), "another user");
	CHECK(!field(status, "\nCapPrm:", 16) && !field(status, "\nCapBnd:", 16), "no rights");
}

/* It replaces the helper, which then has to become another user. */
static void check_keeper(const char *status)
{
	uint64_t needed = CAPABILITY(CAP_SETUID) | CAPABILITY(CAP_SETGID);

	CHECK(field(status, "\nCapPrm:", 16) == needed && !field(status, "\nCapBnd:", 16), "%s",
	      status);
}

static bool has_file(const char *dir, const char *part)
{
	char *command = xasprintf("find '%s' -path '*%s*' -type f | grep -q .", dir, part);
	bool found = !system(command);

	free(command);
	return found;
}

/* The second child, after what keeps the helper. */
static pid_t opener_of(pid_t pid)
{
	char *path = xasprintf("/proc/%d/task/%d/children", (int)pid, (int)pid), *text = NULL;
	int first, second = 0;

	if (file_read_all(path, 1000, &text, NULL) || sscanf(text, "%d %d", &first, &second) != 2)
		second = 0;
	free(text);
	free(path);
	return second;
}

static void check_processes(void)
{
	pid_t pid;

	CHECK(!run(tmpdir_path("sd"), "--collector=perf --callgraph-depth=8 " EVENT) &&
	      !output[0], "%s", output);
	pid = session_lock_pid(tmpdir_path("sd"));
	if (!pid)
		return;
	CHECK(each_thread(pid, check_recorder) >= 2, "the one that waits for tables, too");
	CHECK(opener_of(pid) && each_thread(opener_of(pid), check_opener) >= 1, "what opens files");
	CHECK(each_thread(first_child(pid), check_keeper) == 1, "what keeps the helper");
	CHECK(worker_helper(pid) && each_thread(worker_helper(pid), check_helper) == 1,
	      "the helper");
}

TEST(of_all_its_threads)
{
	need_root();
	tmpdir_make();		/* which nobody else can reach */
	check_processes();
	CHECK(!ask("shutdown"), "shutdown");
}

static bool add_line(const char *file, const char *name, const char *line)
{
	char *text = NULL, *more;
	bool done;

	if (file_read_all(file, 1 << 20, &text, NULL))
		text = xstrdup("");
	more = xasprintf("%s%s\n", text, line);
	put_text(tmpdir_path(name), more);
	done = !chmod(tmpdir_path(name), 0644) &&
	       !mount(tmpdir_path(name), file, NULL, MS_BIND, NULL);
	free(more);
	free(text);
	return done;
}

/* In a mount namespace of this test's own. */
static void make_recorder(void)
{
	need_root();
	if (!own_mounts())
		SKIP("needs a mount namespace");
	tmpdir_make();
	CHECK(!chmod(tmpdir, 0755) &&
	      add_line("/etc/passwd", "passwd", "oprofile:x:870:870::/nonexistent:/bin/false") &&
	      add_line("/etc/group", "group", "oprofile:x:870:"), "the user");
	recorder = RECORDER;
}

static uid_t owner(const char *name)
{
	struct stat st;

	return lstat(tmpdir_path(name), &st) ? (uid_t)-1 : st.st_uid;
}

static void run_in(const char *dir, const char *commands)
{
	char *command = xasprintf("cd '%s' && %s", dir, commands);

	CHECK(!system(command), "%s", command);
	free(command);
}

/* A session of an earlier version, which was all root's; and what only looks so. */
TEST(becomes_its_user)
{
	make_recorder();
	run_in(tmpdir, "mkdir -p sd/samples/old && cd sd/samples/old && echo > old && "
	       "echo > ../../other && ln -s ../../other link && ln ../../other second && "
	       "echo > his && chown 1234 his");
	check_processes();
	CHECK(!ask("start") && !ask("dump"), "sampling");
	CHECK(owner("sd") == 0 && owner("sd/samples") == RECORDER &&
	      owner("sd/samples/old") == RECORDER && owner("sd/samples/old/old") == RECORDER,
	      "what is given");
	CHECK(owner("sd/other") == 0 && owner("sd/samples/old/link") == 0 &&
	      owner("sd/samples/old/his") == 1234, "what is not");
	CHECK(owner("sd/samples/current/stats") == RECORDER, "a new session");
	CHECK(!ask("shutdown"), "shutdown");
	CHECK(owner("sd/lock") == (uid_t)-1 && owner("sd/control") == (uid_t)-1,
	      "removed, although the folder is root's");
	CHECK(!start(tmpdir_path("sd")) && !output[0], "again: %s", output);
	CHECK(!ask("shutdown"), "shutdown");
}

static uid_t user_of_daemon(void)
{
	char *path = xasprintf("/proc/%d/status", session_lock_pid(tmpdir_path("sd"))), *text;
	uid_t uid = (uid_t)-1;

	if (!file_read_all(path, 65536, &text, NULL)) {
		uid = (uid_t)field(text, "\nUid:", 10);
		free(text);
	}
	free(path);
	return uid;
}

/* Whoever owns a folder above could have a link to root's files given to the recorder. */
TEST(nothing_is_given_below_others_folders)
{
	make_recorder();
	run_in(tmpdir, "mkdir -p other/samples sd && echo > other/samples/roots && "
	       "ln -s ../other/samples sd/samples");
	CHECK(!start(tmpdir_path("sd")) && user_of_daemon() == 0, "%s", output);
	CHECK(!ask("shutdown") && owner("other/samples/roots") == 0, "by a link");
	CHECK(!unlink(tmpdir_path("sd/samples")) && !chown(tmpdir_path("sd"), OTHER, OTHER) &&
	      !mkdir(tmpdir_path("sd/samples"), 0755), "another's folder");
	put_text(tmpdir_path("sd/samples/roots"), "");
	CHECK(!start(tmpdir_path("sd")) && user_of_daemon() == 0, "%s", output);
	CHECK(!ask("shutdown") && owner("sd/samples/roots") == 0, "in another's folder");
}

/* Without it no file can be opened: the daemon does not go on half. */
TEST(ends_with_its_opener)
{
	pid_t pid, opener;

	need_root();
	tmpdir_make();
	CHECK(!start(tmpdir_path("sd")), "%s", output);
	pid = session_lock_pid(tmpdir_path("sd"));
	opener = opener_of(pid);
	CHECK(opener, "no opener");
	if (!opener)
		return;
	kill(opener, SIGKILL);
	while (pid && !kill(pid, 0))
		poll(NULL, 0, 20);
	CHECK(ask("ping") == -ENOENT, "still there");
}

/* Its folders and its binary may not be read by others than its owner, and then by nobody. */
static pid_t other_users_program(void)
{
	char *copy = xstrdup(tmpdir_path("private/program"));
	char *command = xasprintf("mkdir -m 700 '%s' && cp /bin/sh '%s' && chmod 500 '%s' && "
				  "chown -R %d '%s'", tmpdir_path("private"), copy, copy, OTHER,
				  tmpdir_path("private"));
	pid_t pid;

	CHECK(!system(command), "%s", command);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chmod(tmpdir, 0711) || setresgid(OTHER, OTHER, OTHER) ||
		    setresuid(OTHER, OTHER, OTHER))
			_exit(1);
		execl(copy, "sh", "-c", "while :; do :; done", NULL);
		_exit(1);
	}
	free(command);
	free(copy);
	return pid;
}

static void sample_everybody(void)
{
	pid_t other;

	other = other_users_program();
	CHECK(!start(tmpdir_path("sd")) && !output[0], "%s", output);
	CHECK(!ask("start"), "start");
	for (int i = 0; i < 200 && !has_file(tmpdir_path("sd/samples"), "private/program"); i++) {
		poll(NULL, 0, 100);
		CHECK(!ask("dump"), "dump");
	}
	CHECK(has_file(tmpdir_path("sd/samples/current"), "private/program"), "its samples");
	CHECK(has_file(tmpdir_path("sd/samples/current"), "kallsyms") ||
	      has_file(tmpdir_path("sd/samples/current"), "kernel-symbols"), "kernel symbols");
	kill(other, SIGKILL);
	CHECK(!ask("shutdown"), "shutdown");
}

TEST(samples_everybody)
{
	need_root();
	tmpdir_make();
	sample_everybody();
}

TEST(samples_everybody_as_another_user)
{
	make_recorder();
	sample_everybody();
}

/* ---- a recorder that was taken over ---- */

static bool can_write(const char *name)
{
	int fd = open(tmpdir_path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1u) >= 2;
}

/* Even if it is root, because there is no user to become. */
static void attack_files(void)
{
	struct recorder_user user = { .uid = 0 };
	struct op_error e = { "" };

	CHECK(!privileges_become(tmpdir_path("sd"), &user, &e), "%s", e.text);
	CHECK(user.is_confined, "not confined");
	CHECK(can_write("sd/samples/new") && can_write("disk/new"), "the session");
	CHECK(!link(tmpdir_path("disk/new"), tmpdir_path("sd/samples/link")) &&
	      !rename(tmpdir_path("disk/new"), tmpdir_path("disk/newer")), "links");
	CHECK(!can_write("new") && !can_write("roots"), "other files");
	CHECK(truncate(tmpdir_path("roots"), 0) && unlink(tmpdir_path("roots")) &&
	      rename(tmpdir_path("roots"), tmpdir_path("sd/roots")) &&
	      symlink(tmpdir_path("roots"), tmpdir_path("sd/link")) &&
	      mkdir(tmpdir_path("folder"), 0700), "changes of folders");
	execl("/bin/true", "true", NULL);
	CHECK(errno == EACCES, "execution: %s", strerror(errno));
}

TEST(writes_only_the_session)
{
	int status;
	pid_t pid;

	need_root();
	if (!has_landlock())
		SKIP("needs Landlock");
	tmpdir_make();
	run_in(tmpdir, "mkdir -p sd/samples disk && ln -s ../disk sd/history && echo 1 > roots");
	pid = fork();
	if (!pid) {
		attack_files();
		fflush(stdout);
		_exit(tap_failures);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "refused too little or too much");
}

TEST(log_names_them)
{
	char *text;

	need_root();
	tmpdir_make();
	CHECK(!start(tmpdir_path("sd")) && !output[0], "%s", output);
	CHECK(!ask("shutdown"), "shutdown");
	CHECK(!file_read_all(tmpdir_path("sd/samples/oprofiled.log"), 100000, &text, NULL) &&
		      strstr(text, "capabilities: sys_nice") && strstr(text, "user: 0, because") &&
		      strstr(text, "opens files: perfmon, syslog, sys_ptrace"), "the log");
	CHECK(!has_landlock() || strstr(text, "files: only those of the session"), "%s", text);
	free(text);
}

TEST_MAIN()
