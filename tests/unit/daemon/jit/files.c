// SPDX-License-Identifier: GPL-2.0-or-later
/* files.c - which files are accepted and which are refused */
#include <grp.h>
#include <sys/mman.h>
#include <sys/time.h>
#include "daemon/jit/owner.h"
#include "tests/unit/daemon/jit/child.h"

/* The types of @pid's files that are accepted, as bits. */
static unsigned int taken(pid_t pid)
{
	struct jit_owner owner = { 0 };
	struct jit_files files;
	unsigned int kinds = 0;

	jit_files_init(&files);
	jit_files_look("/proc", (uint32_t)pid, &owner, &files);
	for (unsigned int i = 0; i < JIT_KINDS; i++)
		if (files.fd[i] >= 0)
			kinds |= 1u << i;
	jit_files_close(&files);
	return kinds;
}

#define MAP	(1u << JIT_PERF_MAP)
#define JITDUMP	(1u << JIT_JITDUMP)
#define DUMP	(1u << JIT_DUMP)

static void write_map(void)
{
	put_text(own_map(), "1000 10 f\n");
}

static void write_nothing(void)
{
}

static void link_map(void)
{
	put_text("/tmp/elsewhere", "1000 10 f\n");
	(void)!symlink("/tmp/elsewhere", own_map());
}

static void link_shadow(void)
{
	(void)!symlink("/etc/shadow", own_map());
}

static void make_fifo(void)
{
	mkfifo(own_map(), 0666);
}

static void make_folder(void)
{
	mkdir(own_map(), 0777);
}

static void map_that_is_older(void)
{
	struct timeval long_ago[2] = { { 1000, 0 }, { 1000, 0 } };

	write_map();
	utimes(own_map(), long_ago);
}

/* Like OProfile's agent, in a folder created by hand. */
static void write_dump(void)
{
	char path[80];

	snprintf(path, sizeof(path), "/tmp/oprofile-%u", getuid());
	mkdir(path, 0700);
	strcat(path, "/jitdump");
	mkdir(path, 0700);
	snprintf(path + strlen(path), 40, "/%d.dump", getpid());
	put_text(path, "x");
}

static void dump_behind_a_link(void)
{
	char path[80];

	mkdir("/tmp/other", 0700);
	mkdir("/tmp/other/jitdump", 0700);
	snprintf(path, sizeof(path), "/tmp/other/jitdump/%d.dump", getpid());
	put_text(path, "x");
	snprintf(path, sizeof(path), "/tmp/oprofile-%u", getuid());
	(void)!symlink("other", path);
}

static void map_file(const char *name)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), name, getpid());
	fd = open(path, O_RDWR | O_CREAT, 0600);
	(void)!ftruncate(fd, 4096);
	if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(1);
	close(fd);
}

static void map_jitdump(void)
{
	mkdir("/tmp/deep", 0700);
	map_file("/tmp/deep/jit-%d.dump");
}

static void map_and_remove_jitdump(void)
{
	char path[80];

	map_file("/tmp/jit-%d.dump");
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	unlink(path);
}

static void map_the_parents(void)
{
	map_file("/tmp/jit-1%d.dump");
}

static const struct {
	const char *what;
	void (*prepare)(void);
	unsigned int want;
} rows[] = {
	{ "nothing", write_nothing, 0 },
	{ "a map", write_map, MAP },
	{ "a link to a map", link_map, 0 },
	{ "a link to a secret", link_shadow, 0 },
	{ "a fifo", make_fifo, 0 },
	{ "a folder", make_folder, 0 },
	{ "an older process' map", map_that_is_older, 0 },
	{ "a dump", write_dump, DUMP },
	{ "a dump behind a link", dump_behind_a_link, 0 },
	{ "a jitdump that is mapped", map_jitdump, JITDUMP },
	{ "a jitdump that is gone", map_and_remove_jitdump, JITDUMP },
	{ "a jitdump of another process", map_the_parents, 0 },
};

TEST(acceptable_files)
{
	need_namespaces();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pid_t pid = child_start(CHILD_UID, rows[i].prepare);
		unsigned int got = taken(pid);

		CHECK(got == rows[i].want, "%s: want %u, got %u", rows[i].what, rows[i].want, got);
		child_end(pid);
	}
}

/* Written by one user for a process of another. */
static void foreign_map(uid_t owner)
{
	char path[80];
	pid_t pid = child_start(CHILD_UID, write_nothing);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	f = fopen(path, "w");
	CHECK(f && fputs("1000 10 f\n", f) >= 0 && !fclose(f) && !chown(path, owner, 0), "%s",
	      path);
	CHECK(taken(pid) == (owner ? 0 : MAP), "of user %u", owner);
	child_end(pid);
}

TEST(accepted_owners)
{
	need_namespaces();
	foreign_map(CHILD_UID + 1);
	foreign_map(0);
}

/* Once open, a file can be read even if file, process and namespace are gone. */
TEST(files_stay_open)
{
	struct jit_owner owner = { 0 };
	struct jit_files files;
	char text[20] = "";
	pid_t pid;

	need_namespaces();
	pid = child_start(CHILD_UID, write_map);
	jit_files_init(&files);
	jit_files_look("/proc", (uint32_t)pid, &owner, &files);
	CHECK(owner.alive && owner.uids[0] == CHILD_UID && owner.pid == (uint32_t)pid, "owner");
	child_end(pid);
	jit_files_look("/proc", (uint32_t)pid, &owner, &files);
	CHECK(!owner.alive, "gone");
	CHECK(files.fd[JIT_PERF_MAP] >= 0 &&
	      pread(files.fd[JIT_PERF_MAP], text, sizeof(text), 0) == 10, "'%s'", text);
	jit_files_close(&files);
}

/* Just before it ends, after the last look while it lived. */
static void write_late(pid_t pid, uid_t owner)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	put_text(path, "1000 10 f\n");
	CHECK(!chown(path, owner, 0), "%s", path);
}

static const struct {
	const char *what;
	uid_t owner;
	bool want, refused;
} late[] = {
	{ "its own", CHILD_UID, true, false },
	{ "another user's", CHILD_UID + 1, false, true },
};

/* Its namespace is gone by then, but its /tmp is held. It is the last look. */
TEST(files_written_just_before_the_end)
{
	need_namespaces();
	for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
		struct jit_owner owner = { 0 };
		struct jit_files files;
		pid_t pid = child_start(CHILD_UID, write_nothing);
		bool got;

		jit_files_init(&files);
		jit_files_look("/proc", (uint32_t)pid, &owner, &files);
		CHECK(files.fd[JIT_PERF_MAP] < 0 && files.folder[JIT_TMP] >= 0, "not yet");
		write_late(pid, late[i].owner);
		child_end(pid);
		jit_files_look("/proc", (uint32_t)pid, &owner, &files);
		got = files.fd[JIT_PERF_MAP] >= 0;
		CHECK(got == late[i].want && files.refused == late[i].refused, "%s: %d, refused %d",
		      late[i].what, got, files.refused);
		for (size_t k = 0; k < JIT_FOLDERS; k++)
			CHECK(files.folder[k] < 0, "%s: folder %zu is closed", late[i].what, k);
		jit_files_close(&files);
	}
}

static void hold_what_is_dangerous(pid_t pid, int (*make)(const char *path))
{
	struct jit_owner owner = { 0 };
	struct jit_files files;
	char path[80];

	jit_files_init(&files);
	jit_files_look("/proc", (uint32_t)pid, &owner, &files);
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	CHECK(!make(path) && !lchown(path, CHILD_UID, 0), "%s", path);
	child_end(pid);
	jit_files_look("/proc", (uint32_t)pid, &owner, &files);
	CHECK(files.fd[JIT_PERF_MAP] < 0 && files.refused, "refused");
	jit_files_close(&files);
}

static int make_late_fifo(const char *path)
{
	return mkfifo(path, 0666);
}

static int make_late_link(const char *path)
{
	return symlink("/etc/shadow", path);
}

TEST(last_look_is_as_careful)
{
	need_namespaces();
	hold_what_is_dangerous(child_start(CHILD_UID, write_nothing), make_late_fifo);
	hold_what_is_dangerous(child_start(CHILD_UID, write_nothing), make_late_link);
}

/* Nobody has waited for it: it is in /proc still, without a root folder. */
TEST(files_of_a_zombie)
{
	struct jit_owner owner = { 0 };
	struct jit_files files;
	siginfo_t info;
	pid_t pid;

	need_namespaces();
	pid = child_start(CHILD_UID, write_nothing);
	jit_files_init(&files);
	jit_files_look("/proc", (uint32_t)pid, &owner, &files);
	write_late(pid, CHILD_UID);
	kill(pid, SIGKILL);
	CHECK(!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), "ended");
	jit_files_look("/proc", (uint32_t)pid, &owner, &files);
	CHECK(owner.alive && files.fd[JIT_PERF_MAP] >= 0, "found");
	child_end(pid);
	jit_files_close(&files);
}

#define STAT "7 (a) b) S 1 1 1 0 -1 0 0 0 0 0 1 1 1 1 20 0 1 0 100 0 0"

static const struct {
	const char *status;
	bool ok;
	uint32_t pid;
} statuses[] = {
	{ "Name:\tx\nUid:\t1\t2\t3\t4\nNStgid:\t7\n", true, 7 },
	{ "Name:\tx\nUid:\t1\t2\t3\t4\nNStgid:\t7\t30\t1\nNSpid:\t7\n", true, 1 },
	{ "Name:\tx\nUid:\t1\t2\t3\t4\n", true, 7 },
	{ "Name:\tx\nUid:\t1\t2\n", false, 0 },
	{ "", false, 0 },
};

TEST(owners)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct jit_owner o = { 0 };
		bool ok = jit_owner_parse(statuses[i].status, STAT, 7, &o);

		CHECK(ok == statuses[i].ok && o.pid == statuses[i].pid, "%zu: %d, pid %u", i, ok,
		      o.pid);
		if (ok)
			CHECK(jit_owner_allows(&o, 1) && jit_owner_allows(&o, 4) &&
			      jit_owner_allows(&o, 0) && !jit_owner_allows(&o, 5), "%zu", i);
	}
}

TEST(folders_that_can_have_symbols)
{
	struct stat all = { .st_mode = S_IFDIR | 01777 };
	struct stat user = { .st_mode = S_IFDIR | 0700, .st_uid = 1234 };

	CHECK(jit_is_symbol_folder("/tmp", &all) && !jit_is_symbol_folder("/tmp", &user), "/tmp");
	CHECK(jit_is_symbol_folder("/run/user/1234", &user) &&
	      !jit_is_symbol_folder("/run/user/1235", &user) &&
	      !jit_is_symbol_folder("/run/user/4294968530", &user) &&
	      !jit_is_symbol_folder("/run/user/0", &all), "/run/user");
	CHECK(!jit_is_symbol_folder("/home", &all) && !jit_is_symbol_folder("tmp", &all), "others");
}

TEST_MAIN()
