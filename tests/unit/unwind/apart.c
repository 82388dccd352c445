// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c - a reader that hangs or is killed costs its own table, and delays nobody */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/children.h"
#include "tests/unit/tmpdir.h"
#include "unwind/apart.h"
#include "unwind/build.h"
#include "unwind/cache.h"

#define MB	(1 << 20)

static int open_self(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

TEST(same_table)
{
	struct op_unwind_table *here = NULL;
	struct unwind_table apart = {.blob = NULL}, none;
	size_t len_here = 0;
	uint64_t cpu_ns = 0;
	int fd = open_self();

	CHECK(!unwind_build_fd(fd, 64 * MB, &here, &len_here, NULL), "here");
	CHECK(!unwind_build_apart(fd, 0, 64 * MB, -1, &apart, &cpu_ns), "apart");
	CHECK(apart.len == len_here && !memcmp(here, apart.blob, apart.len), "%zu and %zu bytes",
	      apart.len, len_here);
	CHECK(!apart.runtime.number, "an interpreter");
	CHECK(cpu_ns > 0, "CPU time");
	CHECK(unwind_build_apart(fd, 0, 1000, -1, &none, &cpu_ns) == -EFBIG, "limit");
	free(here);
	free((void *)apart.blob);
	close(fd);
}

TEST(descriptor_keeps_its_position)
{
	struct unwind_table table = {.blob = NULL};
	uint64_t cpu_ns;
	int fd = open_self();

	CHECK(lseek(fd, 7, SEEK_SET) == 7, "seek");
	CHECK(!unwind_build_apart(fd, 0, 64 * MB, -1, &table, &cpu_ns), "apart");
	CHECK(lseek(fd, 0, SEEK_CUR) == 7, "moved");
	free((void *)table.blob);
	close(fd);
}

/* As if the file system of a binary never answered. */
TEST(hanging_reader_delays_nobody)
{
	const struct unwind_table *table;
	struct unwind_cache *cache;
	struct unwind_key key;
	int fd = open_self();
	pid_t helper;

	CHECK(!unwind_cache_create(64 * MB, &cache) && !unwind_key_of_fd(fd, &key), "created");
	helper = worker_helper(getpid());
	CHECK(helper > 0 && !kill(helper, SIGSTOP), "stopped");
	for (int i = 0; i < 3; i++) {
		CHECK(unwind_cache_get(cache, &key, fd, &table, NULL) == UNWIND_PENDING, "%d", i);
		poll(NULL, 0, 10);
	}
	unwind_cache_destroy(cache);	/* or the test's own limit ends it */
	kill(helper, SIGKILL);
	close(fd);
}

/* A file like any other, but with a key of its own. */
static int make_copy(int number)
{
	char name[20], *bytes;
	size_t len;

	snprintf(name, sizeof(name), "%d", number);
	CHECK(!file_read_all("/proc/self/exe", 64 * MB, &bytes, &len), "copy");
	put_file(tmpdir_path(name), bytes, len);
	free(bytes);
	CHECK(!chmod(tmpdir_path(name), 0666), "anybody may write to it");
	return open(tmpdir_path(name), O_RDONLY | O_CLOEXEC);
}

/* 0: it ended before it was found. */
static pid_t find_reader(pid_t helper, struct pollfd *finished)
{
	pid_t reader;

	while (!(reader = first_child(helper)))
		if (poll(finished, 1, 0) == 1)
			return 0;
	return reader;
}

static enum unwind_state state_of(struct unwind_cache *cache, const struct unwind_key *key, int fd)
{
	const struct unwind_table *table;
	enum unwind_state state = unwind_cache_get(cache, key, fd, &table, NULL);

	if (state == UNWIND_READY)
		unwind_cache_put(cache, table);
	return state;
}

static void wait_for(struct unwind_cache *cache, const struct unwind_key *key)
{
	struct pollfd ready = { .fd = unwind_cache_fd(cache), .events = POLLIN };

	while (state_of(cache, key, -1) == UNWIND_PENDING) {
		poll(&ready, 1, -1);
		unwind_cache_seen(cache);
	}
}

#define STRANGER	12345

static int copy_of_stranger(int number, struct unwind_key *ret)
{
	int fd = make_copy(number);

	if (fchown(fd, STRANGER, -1))
		SKIP("not root: no file can be given away");
	CHECK(!unwind_key_of_fd(fd, ret), "key");
	return fd;
}

static bool file_says(pid_t pid, const char *name, const char *text)
{
	char path[60], *all = NULL;
	bool says;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	says = !file_read_all(path, 65536, &all, NULL) && strstr(all, text);
	free(all);
	return says;
}

/* Whether it stands still before it has answered. */
static bool stop_in_time(pid_t reader)
{
	bool in_time;

	kill(reader, SIGSTOP);
	while (file_says(reader, "status", "\nState:\tR") ||
	       file_says(reader, "status", "\nState:\tS") ||
	       file_says(reader, "status", "\nState:\tD"))
		poll(NULL, 0, 1);
	in_time = file_says(reader, "status", "\nState:\tT") &&
		  file_says(reader, "io", "\nwchar: 0\n");
	if (!in_time)
		kill(reader, SIGCONT);
	return in_time;
}

/* Return his file's reader, which was stopped while it read. */
static pid_t stop_reader(struct unwind_cache *cache, pid_t helper, struct unwind_key *ret_key)
{
	struct pollfd ready = { .fd = unwind_cache_fd(cache), .events = POLLIN };
	pid_t reader;
	int fd;

	for (int number = 0;; number++) {
		fd = copy_of_stranger(number, ret_key);
		CHECK(state_of(cache, ret_key, fd) == UNWIND_PENDING, "new");
		reader = find_reader(helper, &ready);
		close(fd);
		if (reader && stop_in_time(reader))
			return reader;
		poll(&ready, 1, -1);
		unwind_cache_seen(cache);
	}
}

/* The file of another user takes forever: his next one waits, and nobody else's. */
TEST(slow_reader_delays_its_user)
{
	struct unwind_key slow = { .by_build_id = false }, next, ours;
	struct unwind_cache *cache;
	int next_fd, our_fd;
	pid_t reader;

	tmpdir_make();
	CHECK(!unwind_cache_create(64 * MB, &cache), "created");
	reader = stop_reader(cache, worker_helper(getpid()), &slow);
	next_fd = copy_of_stranger(1000, &next);
	our_fd = make_copy(1001);
	CHECK(!unwind_key_of_fd(our_fd, &ours), "key");
	CHECK(state_of(cache, &next, next_fd) == UNWIND_PENDING, "next");
	CHECK(state_of(cache, &ours, our_fd) == UNWIND_PENDING, "ours");
	wait_for(cache, &ours);
	CHECK(state_of(cache, &ours, -1) == UNWIND_READY, "ours");
	CHECK(state_of(cache, &next, -1) == UNWIND_PENDING, "his next one was read beside it");
	kill(reader, SIGKILL);
	wait_for(cache, &next);
	CHECK(state_of(cache, &slow, -1) == UNWIND_REFUSED, "slow");
	CHECK(state_of(cache, &next, -1) == UNWIND_READY, "next");
	unwind_cache_destroy(cache);
	close(next_fd);
	close(our_fd);
}

/* It may be too quick to be killed, so try again with another file. */
TEST(killed_reader_costs_its_table)
{
	const struct unwind_table *table;
	enum unwind_state state = UNWIND_READY;
	const char *reason = "";
	struct unwind_cache *cache;
	struct unwind_key key;
	struct pollfd ready;
	pid_t helper, reader;

	tmpdir_make();
	CHECK(!unwind_cache_create(64 * MB, &cache), "created");
	helper = worker_helper(getpid());
	ready = (struct pollfd){ .fd = unwind_cache_fd(cache), .events = POLLIN };
	for (int i = 0; state == UNWIND_READY; i++) {
		int fd = make_copy(i);

		CHECK(!unwind_key_of_fd(fd, &key) && !key.by_build_id, "key");
		CHECK(unwind_cache_get(cache, &key, fd, &table, NULL) == UNWIND_PENDING, "new");
		reader = find_reader(helper, &ready);
		if (reader)
			kill(reader, SIGKILL);
		CHECK(poll(&ready, 1, -1) == 1, "finished");
		unwind_cache_seen(cache);
		state = unwind_cache_get(cache, &key, -1, &table, &reason);
		if (state == UNWIND_READY)
			unwind_cache_put(cache, table);
		close(fd);
	}
	CHECK(state == UNWIND_REFUSED && *reason, "refused with a reason");
	unwind_cache_destroy(cache);
}

TEST_MAIN()
