// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - a parser that was taken over: what it tries is refused, or ends it and nothing else */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/sandbox/capabilities.h"
#include "libutil/sandbox/worker.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define GB	(UINT64_C(1) << 30)

static const struct sandbox usual = {
	.memory = GB, .file_size = GB, .cpu_seconds = 20, .seconds = 60,
};

struct answer {
	char what[60];
	int value, error;		/* of a call, and its errno */
};

/* From the task: a call that should have failed with @error. */
static void tried(int out, const char *what, long value, int error)
{
	struct answer a = { .value = (int)value, .error = error };

	snprintf(a.what, sizeof(a.what), "%s", what);
	if (write(out, &a, sizeof(a)) != sizeof(a))
		_exit(2);
}

#define TRY(out, call)							\
	do {								\
		long got_ = (long)(call);				\
		tried(out, #call, got_, errno);				\
	} while (0)

/* Runs it; returns the number of answers. */
static size_t run(void (*task)(const struct worker_task *, const int *, int),
		  const struct sandbox *sandbox, struct answer *answers, size_t room)
{
	const struct worker_task t = { .run = task, .sandbox = *sandbox };
	int fd = worker_run(&t, NULL, 0);
	size_t nr = 0;

	CHECK(fd >= 0, "run: %s", strerror(-fd));
	while (fd >= 0 && nr < room && read(fd, &answers[nr], sizeof(*answers)) == sizeof(*answers))
		nr++;
	close(fd);
	return nr;
}

static void check_refused(const struct answer *answers, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		CHECK(answers[i].value < 0 && answers[i].error == EPERM, "%s: %d, %s",
		      answers[i].what, answers[i].value, strerror(answers[i].error));
}

static char *const arguments[] = { (char *)"true", NULL };

static void attack(const struct worker_task *task, const int *fds, int out)
{
	static char text[8];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(22) };
	struct itimerval none = { .it_value = { 0 } };
	struct rlimit more = { 16 * GB, 16 * GB };
	int error;
	long pid;

	(void)task;
	(void)fds;
	TRY(out, open("/etc/passwd", O_RDONLY));
	TRY(out, open("/tmp/written", O_WRONLY | O_CREAT, 0600));
	TRY(out, unlink("/etc/passwd"));
	TRY(out, rename("/etc/passwd", "/etc/shadow"));
	TRY(out, chmod("/etc/shadow", 0666));
	TRY(out, fchmod(out, 0666));
	TRY(out, truncate("/etc/passwd", 0));
	TRY(out, socket(AF_INET, SOCK_STREAM, 0));
	TRY(out, connect(out, (struct sockaddr *)&to, sizeof(to)));
	TRY(out, execve("/bin/true", arguments, NULL));
	TRY(out, kill(1, SIGKILL));
	TRY(out, kill(getppid(), SIGKILL));
	TRY(out, syscall(SYS_tgkill, 1, 1, SIGKILL));
	TRY(out, ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	TRY(out, syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0));
	TRY(out, setuid(0));
	TRY(out, setrlimit(RLIMIT_AS, &more));
	TRY(out, setitimer(ITIMER_REAL, &none, NULL));
	TRY(out, fcntl(out, F_SETOWN, 1));
	TRY(out, ioctl(out, FIONREAD, text));
	TRY(out, syscall(SYS_bpf, 0, NULL, 0));
	TRY(out, syscall(SYS_io_uring_setup, 1, NULL));
	TRY(out, syscall(SYS_unshare, CLONE_NEWUSER));
	errno = 0;
	pid = fork();
	error = errno;
	if (!pid)
		_exit(0);
	tried(out, "fork", pid, error);
}

#define ATTACKS	24

TEST(attacks_are_refused)
{
	struct answer answers[ATTACKS + 1];
	size_t nr = run(attack, &usual, answers, ATTACKS + 1);

	CHECK(nr == ATTACKS, "%zu answers", nr);
	check_refused(answers, nr);
	CHECK(access("/tmp/written", F_OK), "written");
}

/* The same calls outside, so that EPERM above means the sandbox and not a call that is wrong. */
TEST(attacks_would_work)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		int fd = open("/etc/passwd", O_RDONLY);

		_exit(fd < 0 || socket(AF_INET, SOCK_STREAM, 0) < 0 || kill(getpid(), 0) ||
		      fcntl(fd, F_GETOWN) == -1);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "%d", status);
}

static void identify(const struct worker_task *task, const int *fds, int out)
{
	(void)task;
	(void)fds;
	tried(out, "getpid", getpid(), 0);
	poll(NULL, 0, 1);		/* refused: no harm */
	for (;;)
		(void)getpid();
}

static bool has_line(const char *text, const char *line)
{
	const char *p = strstr(text, line);

	if (!p)
		printf("# missing: %s\n", line);
	return p;
}

TEST(another_user_without_rights)
{
	const struct worker_task t = { .run = identify, .sandbox = usual };
	int fd = worker_run(&t, NULL, 0), nr_fds = 0;
	struct answer a;
	char path[60], *status;
	struct dirent *entry;
	DIR *dir;

	CHECK(fd >= 0 && read(fd, &a, sizeof(a)) == sizeof(a), "runs");
	snprintf(path, sizeof(path), "/proc/%d/status", a.value);
	CHECK(!file_read_all(path, 65536, &status, NULL), "%s", path);
	if (!geteuid())
		CHECK(!strstr(status, "\nUid:\t0") && !strstr(status, "\nGid:\t0"), "%s", status);
	CHECK(has_line(status, "\nCapEff:\t0000000000000000\n"), "capabilities");
	CHECK(has_line(status, "\nNoNewPrivs:\t1\n") && has_line(status, "\nSeccomp:\t2\n"),
	      "filter");
	free(status);
	snprintf(path, sizeof(path), "/proc/%d/fd", a.value);
	dir = geteuid() ? NULL : opendir(path);
	while (dir && (entry = readdir(dir)))
		nr_fds += entry->d_name[0] != '.';
	CHECK(!dir || nr_fds == 4, "%d descriptors, not /dev/null and its output", nr_fds);
	if (dir)
		closedir(dir);
	close(fd);
}

static void allocate(const struct worker_task *task, const int *fds, int out)
{
	const void *p = mmap(NULL, 3 * GB, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)task;
	(void)fds;
	tried(out, "mmap", p == MAP_FAILED, errno);
}

TEST(memory_is_limited)
{
	struct answer a = { .value = 0 };

	CHECK(run(allocate, &usual, &a, 1) == 1 && a.value && a.error == ENOMEM, "%d, %s", a.value,
	      strerror(a.error));
}

static void write_much(const struct worker_task *task, const int *fds, int out)
{
	(void)task;
	tried(out, "after SIGXFSZ", ftruncate(fds[0], 16 * (off_t)GB), 0);
}

TEST(file_size_is_limited)
{
	const struct worker_task t = { .run = write_much, .sandbox = usual };
	int file = memfd_create("out", MFD_CLOEXEC), fd = worker_run(&t, &file, 1);
	struct answer a;
	struct stat st;

	CHECK(read(fd, &a, sizeof(a)) == 0, "killed");
	CHECK(!fstat(file, &st) && !st.st_size, "%ld bytes", (long)st.st_size);
	close(fd);
	close(file);
}

static void loop_forever(const struct worker_task *task, const int *fds, int out)
{
	volatile unsigned int n = 0;

	(void)task;
	(void)fds;
	tried(out, "loop", 0, 0);
	for (;;)
		n++;
}

/* A file system that never answers does this to a read(). */
static void block_forever(const struct worker_task *task, const int *fds, int out)
{
	char c;

	(void)task;
	tried(out, "block", 0, 0);
	tried(out, "read", read(fds[0], &c, 1), 0);
}

TEST(cpu_time_is_limited)
{
	struct sandbox limits = usual;
	struct answer answers[2];

	limits.cpu_seconds = 1;
	CHECK(run(loop_forever, &limits, answers, 2) == 1, "killed");
}

TEST(wall_time_is_limited)
{
	struct sandbox limits = usual;
	struct worker_task t = { .run = block_forever };
	struct answer a;
	int ends[2], fd;

	limits.seconds = 1;
	t.sandbox = limits;
	CHECK(!pipe2(ends, O_CLOEXEC), "pipe");
	fd = worker_run(&t, ends, 1);
	CHECK(read(fd, &a, sizeof(a)) == sizeof(a), "begins");
	CHECK(read(fd, &a, sizeof(a)) == 0, "killed");
}

static void crash(const struct worker_task *task, const int *fds, int out)
{
	(void)task;
	(void)fds;
	(void)out;
	abort();
}

static void answer_once(const struct worker_task *task, const int *fds, int out)
{
	(void)fds;
	tried(out, (const char *)task->argument, 0, 0);
}

TEST(crash_harms_no_other)
{
	struct worker_task t = { .run = answer_once, .sandbox = usual, .argument = "works" };
	struct worker_task slow = { .run = loop_forever, .sandbox = usual };
	struct answer a = { .value = 1 };
	int looping = worker_run(&slow, NULL, 0), fd;

	CHECK(run(crash, &usual, &a, 1) == 0, "crashes");
	fd = worker_run(&t, NULL, 0);
	CHECK(read(fd, &a, sizeof(a)) == sizeof(a) && !strcmp(a.what, "works"), "%s", a.what);
	CHECK(read(looping, &a, sizeof(a)) == sizeof(a), "beside it");
	close(fd);
	close(looping);
}

static bool is_gone(int pid)
{
	char path[60], *stat = NULL;
	bool gone;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	gone = file_read_all(path, 4096, &stat, NULL) || strstr(stat, ") Z") || strstr(stat, ") X");
	free(stat);
	return gone;
}

static int parent_of(int pid)
{
	char path[60], *stat = NULL;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read_all(path, 4096, &stat, NULL) ||
	    sscanf(strrchr(stat, ')') + 1, " %*c %d", &parent) != 1)
		parent = 0;
	free(stat);
	return parent;
}

/* As a user could whom the parsers share, and as the kernel does without memory. */
TEST(a_killed_helper_is_replaced)
{
	const struct worker_task t = { .run = identify, .sandbox = usual };
	struct answer a;
	int fd, task, helper;

	for (int i = 0; i < 2; i++) {
		fd = worker_run(&t, NULL, 0);
		CHECK(read(fd, &a, sizeof(a)) == sizeof(a), "no answer");
		task = a.value;
		helper = parent_of(task);
		CHECK(helper > 1 && helper != getpid() && !kill(helper, SIGKILL), "helper");
		CHECK(read(fd, &a, sizeof(a)) == 0, "its task survived");
		close(fd);
		while (!is_gone(task))
			poll(NULL, 0, 10);
	}
	CHECK(run(answer_once, &usual, &a, 1) == 1, "no answer from the third");
}

TEST(all_end_with_the_program)
{
	int ends[2], pid = 0;
	pid_t program;

	CHECK(!pipe2(ends, O_CLOEXEC), "pipe");
	program = fork();
	if (!program) {
		const struct worker_task t = { .run = identify, .sandbox = usual };
		struct answer a;
		int fd = worker_run(&t, NULL, 0);

		if (read(fd, &a, sizeof(a)) != sizeof(a) ||
		    write(ends[1], &a.value, sizeof(int)) != sizeof(int))
			_exit(1);
		raise(SIGKILL);
	}
	CHECK(read(ends[0], &pid, sizeof(pid)) == sizeof(pid), "runs");
	waitpid(program, NULL, 0);
	while (!is_gone(pid))		/* until the test's own limit */
		poll(NULL, 0, 10);
}

TEST_MAIN()
