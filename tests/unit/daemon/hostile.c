// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile.c - attacks of an unprivileged user on root's daemon with the perf collector
 *
 * Each shows that the daemon answers while the attack goes on, and that samples of other users'
 * processes are recorded and none of any is lost.
 */
#include <errno.h>
#include <ftw.h>
#include <time.h>
#include "libdb/session/session.h"
#include "tests/unit/daemon/attacker.h"
#include "tests/unit/daemon/program.h"
#include "tests/unit/own_mounts.h"

#if defined(__x86_64__) || defined(__aarch64__)

static void start_daemon(void)
{
	need_perf();
	tmpdir_make();
	make_attackers_dir();
	CHECK(!start(tmpdir_path("sd")), "%s", output);
}

static struct cpu_counts counts(void)
{
	char *stats = session_stats_path(tmpdir_path("sd"), SESSION_CURRENT, NULL);
	struct cpu_counts total = { 0 };
	struct session_counts c;

	CHECK(!session_counts_read(stats, &c), "counts");
	session_counts_total(&c, &total);
	session_counts_free(&c);
	free(stats);
	return total;
}

static void check_nothing_lost(void)
{
	struct cpu_counts c = counts();

	for (int r = 0; r < NR_LOSS_REASONS; r++)
		CHECK(!c.lost[r], "%llu samples lost: %s", (unsigned long long)c.lost[r],
		      loss_text(r));
	CHECK(c.recorded, "no samples");
}

/* Until it has been on a CPU for long enough to be sampled. */
static void let_work(pid_t pid)
{
	clockid_t clock;
	struct timespec t = { 0 };

	if (clock_getcpuclockid(pid, &clock))
		return;
	while (!clock_gettime(clock, &t) && !t.tv_sec && t.tv_nsec < 50000000)
		usleep(2000);
}

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
 * (fs.lease-break-time). It is still there when the daemon has answered: it did not wait.
 */
TEST(lease_on_a_sampled_file)
{
	pid_t attacker, other;

	start_daemon();
	attacker = attack(map_leased, run_leased);
	other = busy_child();
	CHECK(lease_is("ACTIVE    WRITE", attacker), "no lease");
	CHECK(!ask("start"), "start");
	let_work(attacker);
	let_work(other);
	CHECK(!ask("dump"), "dump");
	CHECK(lease_is("BREAKING  READ", attacker), "it waited for the lease, or did not try");
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

static bool mount_over_sudo(void)
{
	return put_loop(tmpdir_path("his/sudo")) && !unshare(CLONE_NEWUSER) && own_mounts() &&
	       !mount(tmpdir_path("his/sudo"), sudo, NULL, MS_BIND, NULL);
}

static void run_sudo(void)
{
	int fd = open(sudo, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (at != MAP_FAILED)
		spin_at(at);
}

static bool has_folder(const char *format)
{
	char *path = xasprintf("%s/sd/samples/current/%s{root}%s", tmpdir, format, sudo);
	bool has = file_is_dir(path);

	free(path);
	return has;
}

static void sample_it(pid_t pid)
{
	CHECK(!ask("start"), "start");
	let_work(pid);
	CHECK(!ask("dump"), "dump");
}

TEST(another_file_in_a_mount_namespace)
{
	pid_t pid = fork(), host;
	int status = 1;

	if (!pid)
		_exit(setresuid(ATTACKER_UID, ATTACKER_UID, ATTACKER_UID) ||
		      unshare(CLONE_NEWUSER) || !own_mounts());
	if (waitpid(pid, &status, 0) != pid || status)
		SKIP("needs root, and user namespaces for all users");
	start_daemon();
	sudo = xstrdup(tmpdir_path("sudo"));
	CHECK(put_loop(sudo), "sudo");
	pid = attack(mount_over_sudo, run_sudo);
	sample_it(pid);
	CHECK(has_folder("stats/parts/0/") && !has_folder(""), "filed under the host's");
	host = fork();
	if (!host)
		run_sudo();
	sample_it(host);
	CHECK(has_folder(""), "the host's");
	check_nothing_lost();
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(pid);
	attack_end(host);
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
	let_work(busy);
	CHECK(!ask("dump"), "dump");
	attack_end(attack(cannot_read, nothing));
	CHECK(!ask("shutdown"), "shutdown");
	file_remove_tree(tmpdir_path("sd"));
	CHECK(!run(tmpdir_path("sd"), "--world-readable --collector=perf " EVENT), "%s", output);
	CHECK(!ask("start"), "start");
	let_work(busy_child());
	CHECK(!ask("dump"), "dump");
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(attack(can_read_samples, nothing));
	attack_end(busy);
}

#endif

TEST_MAIN()
