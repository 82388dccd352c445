// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opagent.c - what programs tell libopagent, read back by what the daemon reads it with
 *
 * Each test has a /tmp of its own, and is some user.
 */
#include <errno.h>
#include <pthread.h>
#include "daemon/jit/sweep.h"
#include "libagent/opagent.h"
#include "tests/unit/daemon/jit/child.h"
#include "tests/unit/daemon/jit/test.h"

#define FOLDER		"/tmp/oprofile-1234"

/* In a new /tmp, of @options, which @prepare fills as root; from then on user CHILD_UID. */
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

/* @c's blocks point into what is returned. */
static char *read_dump(pid_t pid, struct jit_code *c)
{
	char *text;
	size_t len;
	int err = file_read_all(dump_path(pid), 1 << 28, &text, &len);

	jit_code_init(c, NULL);
	CHECK(!err && jit_read_dump(text, len, c) && !c->dropped, "%s: %d", dump_path(pid), err);
	return err ? NULL : text;
}

/* The last name that was told. */
static const char *last(const struct jit_code *c)
{
	return c->nr ? jit_name(c, &c->blocks[c->nr - 1]) : "";
}

TEST(told_and_read_back)
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
	CHECK(!op_write_native_code(a, "nothing known", UINT64_C(0x7f0000002000), NULL, 16),
	      "no code");
	CHECK(!op_unload_native_code(a, 0x1000), "unload");
	CHECK(!op_close_agent(a), "close");
	text = read_dump(getpid(), &c);
	CHECK(c.nr == 2 && !strcmp(jit_name(&c, &c.blocks[0]), "Main.run") &&
	      c.blocks[0].start == 0x1000 && c.blocks[0].size == 4 && c.blocks[0].code &&
	      !memcmp(c.blocks[0].code, "CODE", 4) && c.blocks[0].death != JIT_FOREVER, "first");
	CHECK(!strcmp(last(&c), "nothing known") && !c.blocks[1].code &&
	      c.blocks[1].start == UINT64_C(0x7f0000002000), "second");
#if defined(__x86_64__)
	CHECK(c.machine == 62, "machine %u", c.machine);
#endif
	jit_code_free(&c);
	free(text);
	CHECK(!stat(dump_path(getpid()), &st) && (st.st_mode & 07777) == 0600, "file's mode");
	CHECK(!stat(FOLDER, &st) && (st.st_mode & 07777) == 0700, "folder's mode");
	CHECK(!stat(FOLDER "/jitdump", &st) && (st.st_mode & 07777) == 0700, "its folder's mode");
}

static bool is_refused(int status)
{
	return status == -1 && errno == EINVAL;
}

TEST(wrong_calls)
{
	static const struct debug_line_info no_file = { 1, 1, NULL };
	op_agent_t a;

	enter("mode=1777", NULL);
	CHECK(op_major_version() == 1 && op_minor_version() == 0, "version");
	CHECK(is_refused(op_write_native_code(NULL, "x", 1, NULL, 1)), "never opened");
	a = op_open_agent();
	CHECK(a && op_open_agent() == a, "twice the same");
	CHECK(is_refused(op_write_native_code(a, NULL, 1, NULL, 1)), "no name");
	CHECK(is_refused(op_write_native_code(a, "", 1, NULL, 1)), "an empty name");
	CHECK(is_refused(op_write_native_code(a, "x", 1, NULL, 0)), "no size");
	CHECK(is_refused(op_write_native_code(&a, "x", 1, NULL, 1)), "another handle");
	CHECK(is_refused(op_write_debug_line_info(a, NULL, 0, NULL)), "lines of nothing");
	CHECK(is_refused(op_write_debug_line_info(a, "", 1, &no_file)), "line without a file");
	CHECK(!op_close_agent(a) && !op_write_native_code(a, "x", 1, NULL, 1), "one is left");
	CHECK(!op_close_agent(a), "closed");
	CHECK(is_refused(op_close_agent(a)) && is_refused(op_unload_native_code(a, 1)), "no more");
}

TEST(fork_makes_two)
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
	CHECK(c.nr == 2 && !strcmp(last(&c), "parents"), "parent's: %zu, %s", c.nr, last(&c));
	jit_code_free(&c);
	free(text);
	text = read_dump(pid, &c);
	CHECK(c.nr == 2 && !strcmp(last(&c), "childs"), "child's: %zu, %s", c.nr, last(&c));
	jit_code_free(&c);
	free(text);
}

#define NR_THREADS	8
#define NR_CALLS	200

static op_agent_t shared;

static void *tell_much(void *arg)
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
		pthread_create(&threads[i], NULL, tell_much, (void *)(i + 1));
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

/* What was whole stays so, and once there is room it goes on. */
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
	CHECK(c.nr == nr + 1 && !strcmp(last(&c), "small"), "%zu of %u", c.nr, nr);
	jit_code_free(&c);
	free(text);
	op_close_agent(a);
}

static void of_another_user(void)
{
	mkdir(FOLDER, 0777);
	if (chmod(FOLDER, 0777) || chown(FOLDER, CHILD_UID + 1, 0))
		_exit(1);
}

static void writable_for_others(void)
{
	mkdir(FOLDER, 0777);
	if (chown(FOLDER, CHILD_UID, 0) || chmod(FOLDER, 0777))
		_exit(1);
}

static void a_link(void)
{
	mkdir("/tmp/real", 0700);
	if (chown("/tmp/real", CHILD_UID, 0) || symlink("/tmp/real", FOLDER) ||
	    lchown(FOLDER, CHILD_UID, 0))
		_exit(1);
}

static void a_file(void)
{
	put_text(FOLDER, "");
}

static const struct {
	const char *what;
	void (*prepare)(void);
} in_the_way[] = {
	{ "another user's", of_another_user },
	{ "writable for others", writable_for_others },
	{ "a link", a_link },
	{ "a file", a_file },
};

TEST(what_is_in_the_way)
{
	need_namespaces();
	for (size_t i = 0; i < ARRAY_SIZE(in_the_way); i++) {
		int status = 1;
		pid_t pid = fork();

		if (!pid) {
			enter("mode=1777", in_the_way[i].prepare);
			_exit(op_open_agent() || errno != EPERM);
		}
		CHECK(waitpid(pid, &status, 0) == pid && !status, "%s", in_the_way[i].what);
	}
}

/* Dumps that nobody writes any more go; ours is open. */
TEST(what_is_left_is_swept)
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
	CHECK(file_exists(dump_path(pid)), "the child's is left");
	CHECK(jit_sweep() == 1, "one is swept");
	CHECK(!file_exists(dump_path(pid)) && file_exists(dump_path(getpid())), "the child's");
	CHECK(file_exists(FOLDER "/jitdump/notes"), "no other file");
	op_close_agent(a);
	CHECK(jit_sweep() == 1 && !file_exists(dump_path(getpid())), "and now ours");
}

/* A dump of an older process, or a trap by the same user: never written through. */
TEST(old_dump)
{
	struct stat st;

	enter("mode=1777", NULL);
	mkdir(FOLDER, 0700);
	mkdir(FOLDER "/jitdump", 0700);
	put_text("/tmp/precious", "x");
	CHECK(!symlink("/tmp/precious", dump_path(getpid())), "link");
	CHECK(op_open_agent(), "opened");
	CHECK(!lstat(dump_path(getpid()), &st) && S_ISREG(st.st_mode), "a file now");
	CHECK(!stat("/tmp/precious", &st) && st.st_size == 1, "untouched");
}

TEST_MAIN()
