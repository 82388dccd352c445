// SPDX-License-Identifier: GPL-2.0-or-later
/* files.c - attacks with files, names and processes */
#include <errno.h>
#include <ftw.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "tests/unit/daemon/hostile/play.h"
#include "tests/unit/fuse_server.h"
#include "tests/unit/own_mounts.h"

#if defined(__x86_64__) || defined(__aarch64__)

/* ---- a lease on the sampled file ---- */

static int leased_fd;

static bool map_leased(void)
{
	const char *path = tmpdir_path("his/code");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd < 0 || write(fd, endless_loop, sizeof(endless_loop)) != sizeof(endless_loop) ||
	    close(fd))
		return false;
	leased_fd = open(path, O_RDONLY | O_CLOEXEC);
	signal(SIGIO, SIG_IGN);
	return !fcntl(leased_fd, F_SETLEASE, F_WRLCK);
}

static void run_leased(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, leased_fd, 0);

	if (at != MAP_FAILED)
		spin_at(at);
}

/* "1: LEASE  BREAKING  READ PID ..." once somebody wants to read it, "ACTIVE    WRITE" before. */
static bool lease_is(const char *state, pid_t pid)
{
	char *text, *line, *rest, *want = xasprintf(" %s %d ", state, pid);
	bool found = false;

	CHECK(!file_read_all("/proc/locks", 1 << 20, &text, NULL), "/proc/locks");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		found |= strstr(line, " LEASE ") && strstr(line, want);
	free(text);
	free(want);
	return found;
}

/*
 * The holder never gives up the lease, so whoever waits for it waits until the kernel takes it
 * (fs.lease-break-time). It is still there when the daemon has answered: it did not wait. Daemons
 * of tests beside this one may open the file before ours does.
 */
TEST(lease_on_a_sampled_file)
{
	pid_t attacker, other;

	start_daemon();
	attacker = attack(map_leased, run_leased);
	other = busy_child();
	CHECK(lease_is("ACTIVE    WRITE", attacker) || lease_is("BREAKING  READ", attacker),
	      "no lease");
	CHECK(!ask("start"), "start");
	let_be_sampled(attacker);
	let_be_sampled(other);
	CHECK(!ask("dump"), "dump");
	CHECK(lease_is("BREAKING  READ", attacker), "it waited for the lease, or did not try");
	CHECK(has_samples_of(tmpdir_path("his/code")), "not sampled");
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(attacker);
	attack_end(other);
}

/* ---- another file at the path of the host's ---- */

static const char *sudo;		/* without build ID */

static bool put_loop(const char *path)
{
	FILE *f = fopen(path, "we");

	return f && fwrite(endless_loop, sizeof(endless_loop), 1, f) == 1 && !fclose(f);
}

static bool has_own_mounts(void)
{
	return !unshare(CLONE_NEWUSER) && own_mounts();
}

static bool mount_over_sudo(void)
{
	return put_loop(tmpdir_path("his/sudo")) && has_own_mounts() &&
	       !mount(tmpdir_path("his/sudo"), sudo, NULL, MS_BIND, NULL);
}

static void run_sudo(void)
{
	int fd = open(sudo, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (at != MAP_FAILED)
		spin_at(at);
}

TEST(another_file_in_a_mount_namespace)
{
	pid_t pid, host;

	if (!is_true_for(ATTACKER_UID, has_own_mounts))
		SKIP("needs root, and user namespaces for all users");
	start_daemon();
	sudo = xstrdup(tmpdir_path("sudo"));
	CHECK(put_loop(sudo), "sudo");
	pid = attack(mount_over_sudo, run_sudo);
	sample_it(pid);
	CHECK(has_samples_apart(sudo) && !has_samples_of(sudo), "filed under the host's");
	host = fork();
	if (!host)
		run_sudo();
	sample_it(host);
	CHECK(has_samples_of(sudo), "the host's");
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(pid);
	attack_end(host);
}

/* ---- a file of a file system that he serves, and whose server answers no more ---- */

static void *served_code;

static bool put_line(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

/* Of a user namespace in which he has his own number; after setresuid() its files are root's. */
static bool has_own_namespace(void)
{
	char map[40];

	snprintf(map, sizeof(map), "%u %u 1", ATTACKER_UID, ATTACKER_UID);
	return !prctl(PR_SET_DUMPABLE, 1) && !unshare(CLONE_NEWUSER) &&
	       put_line("/proc/self/setgroups", "deny") && put_line("/proc/self/gid_map", map) &&
	       put_line("/proc/self/uid_map", map) && own_mounts();
}

static bool mount_served(const char *at)
{
	int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[100];
	pid_t server;

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", dev,
		 ATTACKER_UID, ATTACKER_UID);
	if (mount("test", at, "fuse.test", MS_NOSUID | MS_NODEV, options))
		return false;
	server = fork();
	if (!server && !prctl(PR_SET_PDEATHSIG, SIGKILL))
		fuse_serve(dev);
	close(dev);
	return server > 0;
}

static bool map_served(void)
{
	char *at = xasprintf("%s/his/mnt", tmpdir), *file = path_join(at, "code");
	int fd = -1;

	served_size = sizeof(endless_loop);
	served_file = xmalloc(served_size);
	memcpy(served_file, endless_loop, served_size);
	(void)mkdir(at, 0755);
	if (has_own_namespace() && mount_served(at))
		fd = open(file, O_RDONLY | O_CLOEXEC);
	served_code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	free(file);
	free(at);
	return served_code != MAP_FAILED;
}

static void run_served(void)
{
	spin_at(served_code);
}

/*
 * Nobody asks it anything, and others' samples are recorded while it would not answer. The kernel
 * keeps processes outside of his namespace from his file system, but not from reading about it.
 */
TEST(a_server_that_does_not_answer)
{
	pid_t attacker, other;
	char *others;

	need_perf();
	tmpdir_make();
	make_attackers_dir();
	mute = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!is_true_for(ATTACKER_UID, map_served))
		SKIP("needs root, and FUSE and user namespaces for all users");
	CHECK(!start(tmpdir_path("sd")), "%s", output);
	attacker = attack(map_served, run_served);
	*(volatile int *)mute = 1;
	other = busy_child();
	CHECK(!ask("start"), "start");
	let_be_sampled(attacker);
	let_be_sampled(other);
	CHECK(!ask("dump"), "dump");
	others = xasprintf("%s/daemon_hostile_files", program_dir);
	CHECK(has_samples_of(others), "no samples in '%s'", others);
	CHECK(!mute[1], "the server was asked %d times", mute[1]);
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	kill(mute[2], SIGKILL);		/* the attacker could not close the file */
	attack_end(attacker);
	attack_end(other);
	free(others);
}

/* ---- paths that are too long, or too deep ---- */

static unsigned int depth;		/* of the folder below his, and how long its parts are */
static size_t part_length;

static bool put_deep_loop(void)
{
	char part[256] = "";

	memset(part, 'd', part_length);
	if (chdir(tmpdir_path("his")))
		return false;
	for (unsigned int i = 0; i < depth; i++)
		if ((mkdir(part, 0755) && errno != EEXIST) || chdir(part))
			return false;
	sudo = "code";
	return put_loop(sudo);
}

/* The samples are recorded, and dumps do not fail. */
static void sample_deep(unsigned int folders, size_t length)
{
	char *as = xasprintf("%s/sd/samples/current/{root}%s/his", tmpdir, tmpdir);
	pid_t attacker;

	start_daemon();
	depth = folders;
	part_length = length;
	attacker = attack(put_deep_loop, run_sudo);
	sample_it(attacker);
	CHECK(file_is_dir(tmpdir_path("sd/samples/current/{root}/[long path]")), "shortened");
	CHECK(!file_is_dir(as), "%s", as);
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(attacker);
	free(as);
}

TEST(long_path)
{
	sample_deep(12, 250);
}

TEST(deep_path)
{
	sample_deep(900, 1);
}

/* ---- names with characters that mean something to readers ---- */

static bool put_named_loop(void)
{
	sudo = "\033[2J\n{dep}{root} \\012 (deleted)";
	return !chdir(tmpdir_path("his")) && put_loop(sudo) &&
	       !prctl(PR_SET_NAME, "\033[2J\nrecorded 9");
}

/* Whether a file that is read by line is there or may be missing, and has no escape. */
static bool is_clean(const char *name, bool may_be_missing)
{
	char *text = NULL, *path = session_stats_path(tmpdir_path("sd"), SESSION_CURRENT, name);
	int err = file_read_all(path, 16 << 20, &text, NULL);
	bool clean = err ? may_be_missing && err == -ENOENT : !strchr(text, '\033');

	if (!clean)
		printf("# '%s': %s\n", path, err ? strerror(-err) : "has an escape");
	free(text);
	free(path);
	return clean;
}

TEST(names_with_escapes)
{
	pid_t attacker;

	start_daemon();
	attacker = attack(put_named_loop, run_sudo);
	sample_it(attacker);
	check_nothing_lost();
	/* there are images only if something with a build ID was sampled */
	CHECK(is_clean("images", true) && is_clean("processes", false) &&
	      is_clean("session", false) && is_clean("counts", false), "a file");
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(attacker);
}

/* ---- many processes, each of another name ---- */

/* As fast as it can, so that most are gone before the daemon sees them. */
static void fork_with_names(void)
{
	for (unsigned int i = 0;; i++) {
		char name[16];
		pid_t pid = fork();

		if (pid) {
			waitpid(pid, NULL, 0);
			continue;
		}
		snprintf(name, sizeof(name), "n%u", i);
		prctl(PR_SET_NAME, name);
		_exit(0);
	}
}

TEST(a_storm_of_names)
{
	pid_t attacker, other;

	start_daemon();
	other = busy_child();
	attacker = attack(nothing_to_prepare, fork_with_names);
	sample_it(attacker);
	let_be_sampled(other);
	CHECK(!ask("dump"), "dump");
	CHECK(!counts().lost[LOST_LIMIT] && !counts().lost[LOST_SAMPLE_FILE], "no room");
	attack_end(attacker);
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(other);
}

/* ---- connections that say nothing ---- */

static bool connect_in_silence(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", tmpdir_path("sd/control"));
	for (int i = 0; i < 200; i++) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (fd < 0)
			return false;
		if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) && i % 2)
			(void)!write(fd, "stat", 4);
	}
	return true;
}

static void wait_forever(void)
{
	for (;;)
		pause();
}

TEST(half_open_connections)
{
	pid_t attacker, other;

	start_daemon();
	attacker = attack(connect_in_silence, wait_forever);
	other = busy_child();
	sample_it(other);
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(attacker);
	attack_end(other);
}

/* ---- files of JIT symbols that nobody can open at once ---- */

static int map_fd;

static bool put_leased_map(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (map_fd < 0 || write(map_fd, "1000 10 f\n", 10) != 10 || close(map_fd))
		return false;
	map_fd = open(path, O_RDONLY | O_CLOEXEC);
	signal(SIGIO, SIG_IGN);
	return !fcntl(map_fd, F_SETLEASE, F_WRLCK);
}

static void run_anonymous(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	memcpy(at, endless_loop, sizeof(endless_loop));
	if (!mprotect(at, 4096, PROT_READ | PROT_EXEC))
		spin_at(at);
}

TEST(lease_on_a_perf_map)
{
	char path[64];
	pid_t attacker;

	start_daemon();
	attacker = attack(put_leased_map, run_anonymous);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", attacker);
	sample_it(attacker);
	CHECK(lease_is("BREAKING  READ", attacker), "it waited for the lease, or did not try");
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(attacker);
	unlink(path);
}

/* ---- what others can read ---- */

static const char *readable;		/* the first path that the attacker could read */

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (!readable && (type == FTW_F || type == FTW_D) && !access(path, R_OK))
		readable = xstrdup(path);
	return 0;
}

static bool is_anything_readable(const char *path)
{
	readable = NULL;
	nftw(tmpdir_path(path), visit, 32, FTW_PHYS);
	if (readable)
		printf("# readable: %s\n", readable);
	return readable;
}

static bool cannot_read(void)
{
	return !is_anything_readable("sd/samples") && !is_anything_readable("sd/kernels/.");
}

/* The samples, but not where the kernel is. */
static bool can_read_samples(void)
{
	return access(tmpdir_path("sd/samples/current/stats/kernel-symbols"), R_OK) &&
	       !access(tmpdir_path("sd/samples/current/stats/session"), R_OK) &&
	       is_anything_readable("sd/samples/current/{root}");
}

static void nothing(void)
{
}

TEST(files_that_others_can_read)
{
	pid_t busy;

	start_daemon();
	busy = busy_child();
	CHECK(!ask("start"), "start");
	let_be_sampled(busy);
	CHECK(!ask("dump"), "dump");
	attack_end(attack(cannot_read, nothing));
	CHECK(!ask("shutdown"), "shutdown");
	file_remove_tree(tmpdir_path("sd"));
	CHECK(!run(tmpdir_path("sd"), "--world-readable --collector=perf " EVENT), "%s", output);
	CHECK(!ask("start"), "start");
	let_be_sampled(busy_child());
	CHECK(!ask("dump"), "dump");
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(attack(can_read_samples, nothing));
	attack_end(busy);
}

#endif

TEST_MAIN()
