// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c - a reader that hangs or is killed costs its own table, and delays nobody */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include "libutil/file.h"
#include "tests/tap.h"
#include "unwind/apart.h"
#include "unwind/build.h"
#include "unwind/cache.h"

#define MB	(1 << 20)

/* The child that the cache forked. 0: none. */
static pid_t find_helper(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (dir && (entry = readdir(dir))) {
		char path[300], line[400];
		int pid, parent;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		if (!file_read_line(path, line, sizeof(line)) && strrchr(line, ')') &&
		    sscanf(line, "%d", &pid) == 1 &&
		    sscanf(strrchr(line, ')') + 1, " %*c %d", &parent) == 1 && parent == getpid())
			found = pid;
	}
	if (dir)
		closedir(dir);
	return found;
}

static int open_self(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

TEST(same_table)
{
	struct op_unwind_table *here = NULL, *apart = NULL;
	size_t len_here = 0, len = 0;
	uint64_t cpu_ns = 0;
	int fd = open_self();

	CHECK(!unwind_build_fd(fd, 64 * MB, &here, &len_here, NULL), "here");
	CHECK(!unwind_build_apart(fd, 64 * MB, -1, &apart, &len, &cpu_ns), "apart");
	CHECK(len == len_here && !memcmp(here, apart, len), "%zu and %zu bytes", len, len_here);
	CHECK(cpu_ns > 0, "CPU time");
	CHECK(unwind_build_apart(fd, 1000, -1, &apart, &len, &cpu_ns) == -EFBIG, "limit");
	free(here);
	free(apart);
	close(fd);
}

TEST(descriptor_keeps_its_position)
{
	struct op_unwind_table *table = NULL;
	uint64_t cpu_ns;
	int fd = open_self();
	size_t len;

	CHECK(lseek(fd, 7, SEEK_SET) == 7, "seek");
	CHECK(!unwind_build_apart(fd, 64 * MB, -1, &table, &len, &cpu_ns), "apart");
	CHECK(lseek(fd, 0, SEEK_CUR) == 7, "moved");
	free(table);
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
	helper = find_helper();
	CHECK(helper > 0 && !kill(helper, SIGSTOP), "stopped");
	for (int i = 0; i < 3; i++) {
		CHECK(unwind_cache_get(cache, &key, fd, &table, NULL) == UNWIND_PENDING, "%d", i);
		poll(NULL, 0, 10);
	}
	unwind_cache_destroy(cache);	/* or the test's own limit ends it */
	kill(helper, SIGKILL);
	close(fd);
}

TEST(killed_reader_costs_its_table)
{
	const struct unwind_table *table;
	const char *reason = "";
	struct unwind_cache *cache;
	struct unwind_key key;
	struct pollfd ready;
	int fd = open_self();

	CHECK(!unwind_cache_create(64 * MB, &cache) && !unwind_key_of_fd(fd, &key), "created");
	kill(find_helper(), SIGKILL);
	ready = (struct pollfd){ .fd = unwind_cache_fd(cache), .events = POLLIN };
	CHECK(unwind_cache_get(cache, &key, fd, &table, NULL) == UNWIND_PENDING, "asked for");
	CHECK(poll(&ready, 1, -1) == 1, "finished");
	CHECK(unwind_cache_get(cache, &key, -1, &table, &reason) == UNWIND_REFUSED, "refused");
	CHECK(*reason, "with a reason");
	unwind_cache_destroy(cache);
	close(fd);
}

TEST_MAIN()
