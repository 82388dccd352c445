// SPDX-License-Identifier: GPL-2.0-or-later
/* jit.c - attacks on the processes that read JIT symbol files */
#include <ftw.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include "libutil/strbuf.h"
#include "tests/unit/daemon/jit/test.h"
#include "tests/unit/daemon/hostile/play.h"
#include "tests/unit/daemon/hostile/workers.h"
#include "tests/unit/own_mounts.h"

#if defined(__x86_64__) || defined(__aarch64__)

/* ---- a process whose code has a name ---- */

static void *code;

static bool put_map(void)
{
	char path[64];
	FILE *f;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return false;
	memcpy(code, endless_loop, sizeof(endless_loop));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "we");
	return f && fprintf(f, "%lx 10 spin\n", (unsigned long)code) > 0 && !fclose(f) &&
	       !mprotect(code, 4096, PROT_READ | PROT_EXEC);
}

/* The last @hole bytes of the file take no room on the disk. Frees @dump. */
static bool map_jitdump(struct strbuf *dump, off_t hole)
{
	char path[64];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	done = fd >= 0 && write(fd, dump->text, dump->len) == (ssize_t)dump->len &&
	       !ftruncate(fd, (off_t)dump->len + hole) &&
	       mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED &&
	       !close(fd);
	strbuf_free(dump);
	return done;
}

#define SCATTERED	20000

/* And 20000 functions of one byte, of each of which a page would be kept. */
static bool put_bomb(void)
{
	struct strbuf dump = STRBUF_INIT;

	if (!put_map())
		return false;
	jitdump_header(&dump, 0);
	for (uint64_t i = 0; i < SCATTERED; i++)
		jitdump_load(&dump, 1, 0x1000 + 4095 * i, 1, "f", "c");
	return map_jitdump(&dump, 0);
}

#define FLOOD		100000

static bool put_flood(void)
{
	struct strbuf dump = STRBUF_INIT;

	if (!put_map())
		return false;
	jitdump_header(&dump, 0);
	for (uint64_t i = 1; i <= FLOOD; i++)
		jitdump_load(&dump, 1, colliding_address(i), 1, "f", "c");
	return map_jitdump(&dump, 0);
}

#define DISK		(104 << 20)
#define LARGE		(48 << 20)
#define DISK_KEPT	(64 << 20)

/* A function that would leave less free than the disk has to keep. */
static bool put_large(void)
{
	struct strbuf dump = STRBUF_INIT;

	if (!put_map())
		return false;
	jitdump_header(&dump, 0);
	jitdump_load(&dump, 1, 0x1000, LARGE, "f", NULL);
	set_u32(&dump, JITDUMP_HEADER + 4, (uint32_t)dump.len - JITDUMP_HEADER + LARGE);
	return map_jitdump(&dump, LARGE);
}

static void run_code(void)
{
	spin_at(code);
}

static void end_with_map(pid_t pid)
{
	char path[64];

	attack_end(pid);
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", pid);
	unlink(path);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
}

static char sought[32];		/* how its name begins */
static int sought_type;
static bool found;
static off_t found_size;

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type != sought_type || strncmp(path + ftw->base, sought, strlen(sought)))
		return 0;
	found = true;
	found_size = st->st_size;
	return 0;
}

static bool has(int type)
{
	sought_type = type;
	found = false;
	nftw(tmpdir_path("sd/samples/current"), visit, 32, FTW_PHYS);
	return found;
}

static bool has_object(pid_t pid)
{
	snprintf(sought, sizeof(sought), "%d.jo", pid);
	return has(FTW_F);
}

static bool has_samples_in_code(pid_t pid)
{
	snprintf(sought, sizeof(sought), "%d.0x", pid);
	return has(FTW_D);
}

/* ---- requests while a file takes long ---- */

/* Returns when the daemon has read the request, of whose answer the connection is the start. */
static int send_request(const char *request)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), unread = 1;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", tmpdir_path("sd/control"));
	CHECK(!connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	      write(fd, request, strlen(request)) == (ssize_t)strlen(request), "%s", request);
	while (!ioctl(fd, SIOCOUTQ, &unread) && unread)
		usleep(1000);
	return fd;
}

static bool has_answer(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Waits for all of it. */
static bool is_answer(int fd, const char *text)
{
	char got[100];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(got) - 1 && (n = read(fd, got + len, sizeof(got) - 1 - len)) > 0)
		len += (size_t)n;
	got[len] = '\0';
	close(fd);
	return !strcmp(got, text);
}

static uint64_t recorded_by_status(void)
{
	struct strbuf text = STRBUF_INIT;
	unsigned long long recorded = 0;
	const char *line = NULL;

	if (!channel_ask(tmpdir_path("sd/control"), "status", 20000, &text, NULL))
		line = strstr(text.text, "\nrecorded ");
	CHECK(line && sscanf(line, "\nrecorded %llu", &recorded) == 1, "status");
	strbuf_free(&text);
	return recorded;
}

/* As if the attacker's file took forever: the process that starts the tasks stands still. */
TEST(requests_while_a_file_is_read)
{
	pid_t attacker, other, helper;
	uint64_t before;
	int dump, later, stop;

	start_daemon();
	attacker = attack(put_map, run_code);
	other = busy_child();
	CHECK(!ask("start"), "start");
	let_be_sampled(attacker);
	helper = worker_helper(daemon_pid());
	CHECK(helper && !kill(helper, SIGSTOP), "no helper");
	dump = send_request("dump\n");
	CHECK(!ask("ping"), "ping");
	before = recorded_by_status();
	stop = send_request("stop\n");
	let_be_sampled(other);
	while (recorded_by_status() == before)
		usleep(2000);
	later = send_request("dump\n");
	CHECK(is_answer(dump, "pending names\nok\n"), "dump");
	CHECK(is_answer(later, "pending names\nok\n"), "a dump that was requested meanwhile");
	CHECK(has_samples_in_code(attacker) && !has_object(attacker), "the samples that are there");
	CHECK(!has_answer(stop), "answered too early");
	kill(helper, SIGCONT);
	CHECK(is_answer(stop, "ok\n"), "stop");
	check_nothing_lost();
	CHECK(has_object(attacker), "no names");
	CHECK(!ask("shutdown"), "shutdown");
	end_with_map(attacker);
	attack_end(other);
}

/* ---- files that cost more than they seem to ---- */

/* It has an object, of more than @least and less than @most bytes. */
static void convert_his(bool (*prepare)(void), off_t least, off_t most)
{
	pid_t attacker;

	start_daemon();
	attacker = attack(prepare, run_code);
	CHECK(!ask("start"), "start");
	let_be_sampled(attacker);
	while (!ask("dump") && !has_object(attacker))
		usleep(1000);
	CHECK(has_object(attacker) && found_size > least && found_size < most,
	      "an object of %lld bytes", (long long)found_size);
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	end_with_map(attacker);
}

TEST(a_file_that_would_grow)
{
	convert_his(put_bomb, SCATTERED, 200 * SCATTERED);
}

TEST(a_hash_flood)
{
	convert_his(put_flood, FLOOD, 200 * FLOOD);
}

/* ---- a file that ends its task ---- */

/* Let tasks run, except one that has a file of the attacker's open, until @asking ends. */
static bool kill_task_of(pid_t attacker, pid_t asking)
{
	unsigned int nr_killed = 0;
	char map[64];
	int status;
	pid_t pid;

	snprintf(map, sizeof(map), "/tmp/perf-%d.map", attacker);
	while ((pid = waitpid(-1, &status, __WALL)) > 0 && pid != asking) {
		if (!WIFSTOPPED(status))
			continue;
		if (status >> 16 == PTRACE_EVENT_STOP && worker_has_open(pid, map))
			nr_killed += !kill(pid, SIGKILL);
		else
			ptrace(PTRACE_CONT, pid, 0, 0);
	}
	return pid == asking && WIFEXITED(status) && !WEXITSTATUS(status) && nr_killed == 1;
}

/* In a process of its own, with whose end the others are free. */
static bool dump_without(pid_t attacker)
{
	pid_t helper = worker_helper(daemon_pid()), asking, pid = fork();
	int status = 1;

	if (!pid) {
		if (!helper || ptrace(PTRACE_SEIZE, helper, 0, PTRACE_O_TRACEFORK))
			_exit(1);
		asking = fork();
		if (!asking)
			_exit(ask("dump") != 0);
		_exit(!kill_task_of(attacker, asking));
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

static uid_t victim_uid;

static pid_t victim(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	victim_uid = ATTACKER_UID + 1;
	if (pipe(ends))
		exit(1);
	pid = fork();
	if (!pid) {
		if (setresuid(victim_uid, victim_uid, victim_uid) ||
		    prctl(PR_SET_PDEATHSIG, SIGKILL) || !put_map() || write(ends[1], "", 1) != 1)
			_exit(1);
		run_code();
	}
	CHECK(read(ends[0], &byte, 1) == 1, "no victim");
	close(ends[0]);
	close(ends[1]);
	return pid;
}

TEST(a_file_that_ends_its_task)
{
	pid_t attacker, other;

	start_daemon();
	attacker = attack(put_map, run_code);
	other = victim();
	CHECK(!ask("start"), "start");
	let_be_sampled(attacker);
	let_be_sampled(other);
	CHECK(dump_without(attacker), "its task was not killed, or dump failed");
	check_nothing_lost();
	CHECK(!has_object(attacker), "a task that was killed wrote an object");
	CHECK(has_object(other), "another user's process lost its names");
	CHECK(!ask("shutdown"), "shutdown");
	end_with_map(attacker);
	end_with_map(other);
}

/* ---- a file that would fill the disk ---- */

TEST(a_file_that_would_fill_the_disk)
{
	char *size = xasprintf("mode=755,size=%d", DISK);
	pid_t attacker, other;
	struct statvfs disk;

	need_perf();
	if (!own_mounts())
		SKIP("needs root");
	tmpdir_make();
	make_attackers_dir();
	CHECK(!mkdir(tmpdir_path("sd"), 0755) &&
	      !mount("none", tmpdir_path("sd"), "tmpfs", 0, size), "tmpfs");
	CHECK(!start(tmpdir_path("sd")), "%s", output);
	attacker = attack(put_large, run_code);
	other = victim();
	CHECK(!ask("start"), "start");
	let_be_sampled(attacker);
	let_be_sampled(other);
	while (!ask("dump") && !has_object(other))
		usleep(1000);
	CHECK(!ask("stop"), "stop");		/* which waits for all files */
	CHECK(!has_object(attacker) && has_object(other), "the other user's only");
	CHECK(!statvfs(tmpdir_path("sd"), &disk) &&
	      disk.f_bavail * disk.f_frsize >= DISK_KEPT, "too little is free");
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	end_with_map(attacker);
	end_with_map(other);
	umount(tmpdir_path("sd"));
	free(size);
}

/* ---- a program of the same user as the parsers ---- */

static uid_t uid_of(pid_t pid)
{
	char *path = xasprintf("/proc/%d/status", pid), *text = NULL;
	const char *line = NULL;
	unsigned int uid = 0;

	if (!file_read_all(path, 65536, &text, NULL))
		line = strstr(text, "\nUid:");
	CHECK(line && sscanf(line, "\nUid: %u", &uid) == 1 && uid, "it is root's");
	free(text);
	free(path);
	return uid;
}

/* A container's root or a network's users may be nobody, too. */
TEST(the_parsers_user)
{
	pid_t other, helper, killer;
	int status = 1;
	uid_t uid;

	start_daemon();
	other = victim();
	helper = worker_helper(daemon_pid());
	uid = uid_of(helper);
	killer = fork();
	if (!killer)
		_exit(setresuid(uid, uid, uid) || kill(helper, SIGKILL) ||
		      !kill(first_child(daemon_pid()), SIGKILL));
	CHECK(waitpid(killer, &status, 0) == killer && !status, "it killed another process, too");
	sample_it(other);
	check_nothing_lost();
	CHECK(has_object(other), "no names");
	CHECK(!ask("shutdown"), "shutdown");
	end_with_map(other);
}

#endif

TEST_MAIN()
