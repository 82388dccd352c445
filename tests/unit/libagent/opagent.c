// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opagent.c - records of libopagent, read back by the daemon's reader
 *
 * Each test has a /tmp of its own and runs as an unprivileged user.
 */
#include <errno.h>
#include <pthread.h>
#include "daemon/jit/sweep.h"
#include "libagent/opagent.h"
#include "tests/unit/daemon/jit/child.h"
#include "tests/unit/daemon/jit/test.h"

#define FOLDER		"/tmp/oprofile-1234"

/* Mount a new /tmp with @options, call @prepare as root, then become user CHILD_UID. */
static void enter(const char *options, void (*prepare)(void))
{
	need_namespaces();
	if (!own_mounts() || mount("test", "/tmp", "tmpfs", 0, options))
		SKIP("cannot mount");
	if (prepare)
		prepare();
	if (setresuid(CHILD_UID, CHILD_UID, CHILD_UID))
		SKIP("cannot become another user");
}

static const char *dump_path(pid_t pid)
{
	static char path[80];

	snprintf(path, sizeof(path), FOLDER "/jitdump/%d.dump", pid);
	return path;
}

/* The blocks of @c point into the returned text. */
static char *read_dump(pid_t pid, struct jit_code *c)
{
	char *text;
	size_t len;
	int err = file_read_all(dump_path(pid), 1 << 28, &text, &len);

	jit_code_init(c, NULL);
	CHECK(!err && jit_read_dump(text, len, c) && !c->dropped, "%s: %d", dump_path(pid), err);
	return err ? NULL : text;
}

static const char *last_name(const struct jit_code *c)
{
	return c->nr ? jit_name(c, &c->blocks[c->nr - 1]) : "";
}

TEST(write_and_read_back)
{
	static const struct debug_line_info lines[] = {
		{ 0x1000, 7, "a.js" }, { 0x1002, 8, "b.js" },
	};
	struct jit_code c;
	struct stat st;
	op_agent_t a;
	char *text;

	enter("mode=1777", NULL);
	a = op_open_agent();
	CHECK(a, "open: %d", errno);
	CHECK(!op_write_native_code(a, "Main.run", 0x1000, "CODE", 4), "code");
	CHECK(!op_write_debug_line_info(a, "CODE", 2, lines), "lines");
	CHECK(!op_write_native_code(a, "no code", UINT64_C(0x7f0000002000), NULL, 16), "no code");
	CHECK(!op_unload_native_code(a, 0x1000), "unload");
	CHECK(!op_close_agent(a), "close");
	text = read_dump(getpid(), &c);
	CHECK(c.nr == 2 && !strcmp(jit_name(&c, &c.blocks[0]), "Main.run") &&
	      c.blocks[0].start == 0x1000 && c.blocks[0].size == 4 && c.blocks[0].code &&
	      !memcmp(c.blocks[0].code, "CODE", 4) && c.blocks[0].death != JIT_FOREVER, "first");
	CHECK(!strcmp(last_name(&c), "no code") && !c.blocks[1].code &&
	      c.blocks[1].start == UINT64_C(0x7f0000002000), "second");
#if defined(__x86_64__)
	CHECK(c.machine == 62, "machine %u", c.machine);
#endif
	jit_code_free(&c);
	free(text);
	CHECK(!stat(dump_path(getpid()), &st) && (st.st_mode & 07777) == 0600, "mode of the file");
	CHECK(!stat(FOLDER, &st) && (st.st_mode & 07777) == 0700, "mode of " FOLDER);
	CHECK(!stat(FOLDER "/jitdump", &st) && (st.st_mode & 07777) == 0700, "mode of jitdump");
}

static bool is_refused(int status)
{
	return status == -1 && errno == EINVAL;
}

TEST(invalid_calls)
{
	static const struct debug_line_info no_file = { 1, 1, NULL };
	op_agent_t a;

	enter("mode=1777", NULL);
	CHECK(op_major_version() == 1 && op_minor_version() == 0, "version");
	CHECK(is_refused(op_write_native_code(NULL, "x", 1, NULL, 1)), "not open");
	a = op_open_agent();
	CHECK(a && op_open_agent() == a, "the same handle twice");
	CHECK(is_refused(op_write_native_code(a, NULL, 1, NULL, 1)), "no name");
	CHECK(is_refused(op_write_native_code(a, "", 1, NULL, 1)), "empty name");
	CHECK(is_refused(op_write_native_code(a, "x", 1, NULL, 0)), "no size");
	CHECK(is_refused(op_write_native_code(&a, "x", 1, NULL, 1)), "another handle");
	CHECK(is_refused(op_write_debug_line_info(a, NULL, 0, NULL)), "lines without code");
	CHECK(is_refused(op_write_debug_line_info(a, "", 1, &no_file)), "line without a file");
	CHECK(!op_close_agent(a) && !op_write_native_code(a, "x", 1, NULL, 1), "still open");
	CHECK(!op_close_agent(a), "close");
	CHECK(is_refused(op_close_agent(a)) && is_refused(op_unload_native_code(a, 1)), "closed");
}

TEST(fork_makes_a_second_dump)
{
	struct jit_code c;
	int status = 1;
	op_agent_t a;
	char *text;
	pid_t pid;

	enter("mode=1777", NULL);
	a = op_open_agent();
	CHECK(a && !op_write_native_code(a, "before", 0x1000, "CODE", 4), "before");
	pid = fork();
	if (!pid) {
		if (!op_write_native_code(a, "childs", 0x2000, "CODE", 4) && !op_close_agent(a))
			_exit(0);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "child");
	CHECK(!op_write_native_code(a, "parents", 0x2000, "CODE", 4) && !op_close_agent(a),
	      "parent");
	text = read_dump(getpid(), &c);
	CHECK(c.nr == 2 && !strcmp(last_name(&c), "parents"), "parent's: %zu, %s", c.nr,
	      last_name(&c));
	jit_code_free(&c);
	free(text);
	text = read_dump(pid, &c);
	CHECK(c.nr == 2 && !strcmp(last_name(&c), "childs"), "child's: %zu, %s", c.nr,
	      last_name(&c));
	jit_code_free(&c);
	free(text);
}

#define NR_THREADS	8
#define NR_CALLS	200

static op_agent_t shared;

static void *write_many(void *arg)
{
	char code[64];

	memset(code, 'x', sizeof(code));
	for (uintptr_t i = 0; i < NR_CALLS; i++)
		if (op_write_native_code(shared, "some name", ((uintptr_t)arg << 20) + i * 64 + 64,
					 code, sizeof(code)))
			return NULL;
	return arg;
}

TEST(threads)
{
	pthread_t threads[NR_THREADS];
	struct jit_code c;
	char *text;

	enter("mode=1777", NULL);
	shared = op_open_agent();
	for (uintptr_t i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, write_many, (void *)(i + 1));
	for (uintptr_t i = 0; i < NR_THREADS; i++) {
		void *done;

		pthread_join(threads[i], &done);
		CHECK(done == (void *)(i + 1), "thread %zu", (size_t)i);
	}
	CHECK(!op_close_agent(shared), "close");
	text = read_dump(getpid(), &c);
	CHECK(c.nr == NR_THREADS * NR_CALLS, "%zu", c.nr);
	jit_code_free(&c);
	free(text);
}

/* Complete records stay, and writing continues once there is room. */
TEST(full_disk)
{
	static char code[65536];
	struct jit_code c;
	unsigned int nr = 0;
	op_agent_t a;
	char *text;

	enter("mode=1777,size=200k", NULL);
	a = op_open_agent();
	while (nr < 100 && !op_write_native_code(a, "large", 0x1000, code, sizeof(code)))
		nr++;
	CHECK(errno == ENOSPC && nr > 0 && nr < 100, "%u, %s", nr, strerror(errno));
	CHECK(!op_write_native_code(a, "small", 0x1000, NULL, 1), "small");
	text = read_dump(getpid(), &c);
	CHECK(c.nr == nr + 1 && !strcmp(last_name(&c), "small"), "%zu of %u", c.nr, nr);
	jit_code_free(&c);
	free(text);
	op_close_agent(a);
}

static void make_folder_of_another_user(void)
{
	mkdir(FOLDER, 0777);
	if (chmod(FOLDER, 0777) || chown(FOLDER, CHILD_UID + 1, 0))
		_exit(1);
}

static void make_writable_folder(void)
{
	mkdir(FOLDER, 0777);
	if (chown(FOLDER, CHILD_UID, 0) || chmod(FOLDER, 0777))
		_exit(1);
}

static void make_link(void)
{
	mkdir("/tmp/real", 0700);
	if (chown("/tmp/real", CHILD_UID, 0) || symlink("/tmp/real", FOLDER) ||
	    lchown(FOLDER, CHILD_UID, 0))
		_exit(1);
}

static void make_file(void)
{
	put_text(FOLDER, "");
}

static const struct {
	const char *what;
	void (*prepare)(void);
} unsafe[] = {
	{ "another user's folder", make_folder_of_another_user },
	{ "a folder writable for others", make_writable_folder },
	{ "a link", make_link },
	{ "a file", make_file },
};

TEST(unsafe_folder)
{
	need_namespaces();
	for (size_t i = 0; i < ARRAY_SIZE(unsafe); i++) {
		int status = 1;
		pid_t pid = fork();

		if (!pid) {
			enter("mode=1777", unsafe[i].prepare);
			_exit(op_open_agent() || errno != EPERM);
		}
		CHECK(waitpid(pid, &status, 0) == pid && !status, "%s", unsafe[i].what);
	}
}

/* Dumps that no process has open are removed. */
TEST(stale_dumps_are_removed)
{
	op_agent_t a;
	pid_t pid;

	enter("mode=1777", NULL);
	a = op_open_agent();
	pid = fork();
	if (!pid)
		_exit(op_write_native_code(a, "childs", 0x2000, "CODE", 4) ? 1 : 0);
	waitpid(pid, NULL, 0);
	put_text(FOLDER "/jitdump/notes", "x");
	CHECK(file_exists(dump_path(pid)), "the child's dump exists");
	CHECK(jit_sweep() == 1, "one dump removed");
	CHECK(!file_exists(dump_path(pid)) && file_exists(dump_path(getpid())), "the child's");
	CHECK(file_exists(FOLDER "/jitdump/notes"), "other files stay");
	op_close_agent(a);
	CHECK(jit_sweep() == 1 && !file_exists(dump_path(getpid())), "our dump after closing");
}

/* A link with the name of the dump is replaced, not followed. */
TEST(link_with_the_name_of_the_dump)
{
	struct stat st;

	enter("mode=1777", NULL);
	mkdir(FOLDER, 0700);
	mkdir(FOLDER "/jitdump", 0700);
	put_text("/tmp/precious", "x");
	CHECK(!symlink("/tmp/precious", dump_path(getpid())), "link");
	CHECK(op_open_agent(), "opened");
	CHECK(!lstat(dump_path(getpid()), &st) && S_ISREG(st.st_mode), "replaced by a file");
	CHECK(!stat("/tmp/precious", &st) && st.st_size == 1, "target unchanged");
}

TEST_MAIN()
