// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon_full_disk.c - oprofiled on a disk that is full, or fills up while it samples
 */
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include "daemon_program.h"
#include "strbuf.h"

static void fill(const char *path)
{
	FILE *f = fopen(path, "w");

	setvbuf(f, NULL, _IONBF, 0);
	while (fwrite(said, 1, 4096, f) == 4096)
		;
	fclose(f);
}

TEST(a_disk_that_is_full_at_the_start)
{
	need_perf();
	tmpdir_make();
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", tmpdir, "tmpfs", 0, "size=256k"))
		SKIP("needs root, to mount a small file system");
	fill(tmpdir_path("filler"));
	CHECK(start(tmpdir_path("sd")) == 1 && one_line() && strstr(said, "No space left"), "%s",
	      said);
	CHECK(!file_exists(tmpdir_path("sd/lock")), "lock left behind");
}

static uint64_t status_number(const char *key)
{
	struct strbuf answer = STRBUF_INIT;
	struct op_error e = { "" };
	uint64_t n = 0;
	char *at;

	CHECK(!channel_ask(tmpdir_path("sd/control"), "status", 20000, &answer, &e), "%s", e.text);
	at = strstr(answer.text, key);
	if (at && (at == answer.text || at[-1] == '\n'))
		n = strtoull(at + strlen(key), NULL, 10);
	strbuf_free(&answer);
	return n;
}

static bool in_trouble(const char *why)
{
	struct strbuf answer = STRBUF_INIT;
	const char *at;
	bool yes;

	channel_ask(tmpdir_path("sd/control"), "status", 20000, &answer, NULL);
	at = strstr(answer.text, "\ntrouble ");
	yes = at && strstr(at, why);
	strbuf_free(&answer);
	return yes;
}

/* While sampling: what has no room is lost under its name, the daemon lives, and goes on later. */
TEST(a_disk_that_fills_up)
{
	uint64_t recorded, lost;
	pid_t busy;

	need_perf();
	tmpdir_make();
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", tmpdir, "tmpfs", 0, "size=32m"))
		SKIP("needs root, to mount a small file system");
	busy = fork();
	if (!busy)
		for (;;)
			;
	CHECK(start(tmpdir_path("sd")) == 0, "%s", said);
	fill(tmpdir_path("filler"));
	CHECK(!ask("start"), "start");
	usleep(200000);
	CHECK(!ask("dump"), "dump");
	lost = status_number("lost.sample_file ");
	CHECK(lost > 0, "nothing lost on a full disk");
	CHECK(in_trouble("No space left on device"), "the status says nothing");
	recorded = status_number("recorded ");
	unlink(tmpdir_path("filler"));
	for (int i = 0; i < 50 && (in_trouble("") || status_number("recorded ") == recorded); i++)
		usleep(100000);
	CHECK(!ask("stop"), "stop");
	CHECK(status_number("recorded ") > recorded, "it does not go on");
	CHECK(!in_trouble(""), "still in trouble");
	lost = status_number("lost.sample_file ");
	CHECK(status_number("received ") == status_number("recorded ") + lost, "it does not balance");
	CHECK(!ask("shutdown"), "shutdown");
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
}

TEST_MAIN()
