// SPDX-License-Identifier: GPL-2.0-or-later
/* process.c - processes through fork, exec, mmap and exit, and from /proc */
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/image_fd.h"
#include "daemon/collect/perf/process.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/unit/daemon/collect/perf/build.h"
#include "tests/unit/tmpdir.h"

static struct perf_cookies *cookies;
static struct perf_processes processes;

static void begin_test(void)
{
	tmpdir_make();
	cookies = perf_cookies_new();
	perf_processes_init(&processes, cookies, tmpdir);
}

/* No image without a cookie may remain. */
static void end_test(void)
{
	perf_processes_free(&processes);
	CHECK(perf_cookies_count(cookies) == 0, "%zu images left", perf_cookies_count(cookies));
	perf_cookies_free(cookies);
}

static void change(struct bytes *b)
{
	struct perf_record r;

	CHECK(!perf_record_parse(b->at, b->size, &r), "parse");
	perf_processes_change(&processes, &r);
}

static void do_mmap(uint32_t pid, uint64_t start, uint64_t len, const char *path, uint64_t time)
{
	struct bytes b;

	make_mmap2(&b, pid, start, len, 0, 9, path, time);
	change(&b);
}

static void do_fork(uint32_t child, uint32_t parent, uint64_t time)
{
	struct bytes b;

	make_task(&b, PERF_RECORD_FORK, child, parent, child, time);
	change(&b);
}

static void do_exec(uint32_t pid, uint64_t time)
{
	struct bytes b;

	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, pid, "x", time);
	change(&b);
}

static void do_exit(uint32_t pid, uint32_t tid, uint64_t time)
{
	struct bytes b;

	make_task(&b, PERF_RECORD_EXIT, pid, 1, tid, time);
	change(&b);
}

static const char *at(uint32_t pid, uint64_t pc)
{
	struct perf_process *q = perf_process_find(&processes, pid);
	const struct perf_mapping *m = q ? perf_maps_find(q->maps, pc) : NULL;

	return m ? m->image->path : "-";
}

static const char *program(uint32_t pid)
{
	struct perf_process *q = perf_process_find(&processes, pid);

	return q && q->program ? q->program->path : "-";
}

#define CHECK_TEXT(got, want) CHECK(!strcmp((got), (want)), "is \"%s\"", got)

TEST(exec_replaces_all_mappings)
{
	begin_test();
	do_exec(10, 1);
	do_mmap(10, 0x1000, 0x1000, "/bin/a", 2);
	do_mmap(10, 0x5000, 0x1000, "/lib/ld.so", 3);
	do_mmap(10, 0x7000, 0x1000, "[vdso]", 3);
	CHECK_TEXT(at(10, 0x1800), "/bin/a");
	CHECK_TEXT(at(10, 0x7000), "[vdso]");
	CHECK_TEXT(program(10), "/bin/a");
	do_exec(10, 4);
	CHECK_TEXT(at(10, 0x1800), "-");
	CHECK_TEXT(program(10), "/bin/a"); /* until the new one is mapped */
	do_mmap(10, 0x7000, 0x1000, "[vdso]", 5);
	do_mmap(10, 0x1000, 0x1000, "/bin/b", 5);
	CHECK_TEXT(at(10, 0x1800), "/bin/b");
	CHECK_TEXT(program(10), "/bin/b");
	end_test();
}

TEST(forks_change_independently)
{
	begin_test();
	do_exec(10, 1);
	do_mmap(10, 0x1000, 0x1000, "/bin/a", 2);
	do_fork(20, 10, 3);
	do_mmap(10, 0x1000, 0x1000, "/lib/parents", 4);
	do_mmap(20, 0x3000, 0x1000, "/lib/childs", 5);
	CHECK_TEXT(at(20, 0x1000), "/bin/a");
	CHECK_TEXT(at(20, 0x3000), "/lib/childs");
	CHECK_TEXT(at(10, 0x1000), "/lib/parents");
	CHECK_TEXT(at(10, 0x3000), "-");
	CHECK_TEXT(program(20), "/bin/a");
	CHECK(perf_process_find(&processes, 20)->memory_since == 3, "memory of its own");
	do_exec(20, 6);
	do_mmap(20, 0x1000, 0x1000, "/bin/c", 7);
	CHECK(perf_process_find(&processes, 20)->memory_since == 6, "other memory");
	CHECK(perf_process_find(&processes, 10)->memory_since == 1, "the parent keeps its");
	CHECK_TEXT(program(20), "/bin/c");
	CHECK_TEXT(program(10), "/bin/a");
	end_test();
}

TEST(threads_share_their_process)
{
	struct bytes b;

	begin_test();
	do_exec(10, 1);
	do_mmap(10, 0x1000, 0x1000, "/bin/a", 2);
	make_task(&b, PERF_RECORD_FORK, 10, 10, 11, 3);
	change(&b);
	CHECK(processes.nr == 1, "%zu processes", processes.nr);
	do_exit(10, 11, 4);
	perf_processes_tick(&processes, 4 + 10 * NS_PER_SECOND);
	CHECK_TEXT(at(10, 0x1000), "/bin/a");
	end_test();
}

/* Numbers beyond pid_max do not exist, so the tick finds them gone. */
#define NOBODY 0x7f000000

TEST(exited_processes_linger)
{
	begin_test();
	do_exec(NOBODY, 1);
	do_mmap(NOBODY, 0x1000, 0x1000, "/bin/a", 2);
	do_exit(NOBODY, NOBODY, 10);
	perf_processes_tick(&processes, 11);
	CHECK_TEXT(program(NOBODY), "/bin/a"); /* its last kernel samples come now */
	perf_processes_tick(&processes, 10 + 2 * NS_PER_SECOND);
	CHECK(processes.nr == 0, "still there");
	end_test();
}

/* A leader that exited before its threads, at times that are no times: it stays, and the tick ends.
 */
TEST(exit_of_a_living_process)
{
	uint32_t me = (uint32_t)getpid();

	begin_test();
	do_exec(me, 1);
	do_exit(me, me, 2);
	perf_processes_tick(&processes, UINT64_MAX);
	perf_processes_tick(&processes, 5);
	CHECK(processes.nr == 1, "forgotten");
	end_test();
}

/* Reported twice, at an invalid time, it waits once. */
TEST(exit_reported_twice)
{
	begin_test();
	do_exec(NOBODY, 1);
	do_exit(NOBODY, NOBODY, 0);
	do_exit(NOBODY, NOBODY, 0);
	perf_process_read_again(&processes, NOBODY);
	perf_processes_tick(&processes, UINT64_MAX);
	CHECK(processes.nr == 0, "not forgotten");
	end_test();
}

TEST(a_reused_number_is_another_process)
{
	begin_test();
	do_exec(NOBODY, 1);
	do_mmap(NOBODY, 0x1000, 0x1000, "/bin/a", 2);
	do_exec(10, 1);
	do_mmap(10, 0x1000, 0x1000, "/bin/b", 2);
	do_exit(NOBODY, NOBODY, 10);
	do_fork(NOBODY, 10, 11);
	CHECK_TEXT(at(NOBODY, 0x1000), "/bin/b");
	perf_processes_tick(&processes, 10 + 2 * NS_PER_SECOND);
	CHECK_TEXT(at(NOBODY, 0x1000), "/bin/b");
	end_test();
}

static void put_proc(uint32_t pid, const char *maps)
{
	char *path = xasprintf("%s/%u/maps", tmpdir, pid);

	CHECK(!file_make_parent_dirs(path, 0755) &&
		      !file_write_atomic(path, maps, strlen(maps), 0644),
	      "cannot write %s", path);
	free(path);
}

TEST(processes_older_than_the_records)
{
	struct perf_process *q;

	begin_test();
	put_proc(10, "00001000-00002000 r-xp 00000000 08:01 55 /bin/old\n"
		     "00002000-00003000 rw-p 00001000 08:01 55 /bin/old\n"
		     "00005000-00006000 r-xp 00000000 00:00 0 \n");
	put_proc(11, "");
	CHECK(!perf_processes_read_all(&processes), "read");
	CHECK_TEXT(at(10, 0x1000), "/bin/old");
	CHECK_TEXT(at(10, 0x2000), "-");
	CHECK_TEXT(at(10, 0x5fff), "anon");
	q = perf_process_find(&processes, 11);
	CHECK(q && q->known && !q->maps, "a kernel thread");
	/* changes older than the reading are included already; younger ones are applied */
	do_mmap(10, 0x1000, 0x1000, "/bin/older", 1);
	CHECK_TEXT(at(10, 0x1000), "/bin/old");
	do_fork(10, 11, 2);
	CHECK_TEXT(at(10, 0x1000), "/bin/old");
	do_mmap(10, 0x1000, 0x1000, "/bin/newer", perf_now());
	CHECK_TEXT(at(10, 0x1000), "/bin/newer");
	end_test();
}

TEST(repeated_reads_are_limited)
{
	begin_test();
	put_proc(10, "00001000-00002000 r-xp 00000000 08:01 55 /bin/old\n");
	CHECK(!perf_process_read_again(&processes, 10), "first");
	CHECK(perf_process_read_again(&processes, 10) == -EAGAIN, "at once again");
	CHECK(perf_process_read_again(&processes, NOBODY) == -ESRCH, "nobody");
	CHECK(perf_process_read_again(&processes, NOBODY) == -EAGAIN, "nobody again");
	for (uint32_t pid = 1; pid < 1000; pid++)
		perf_process_read_again(&processes, NOBODY + pid);
	CHECK(processes.reads < 100, "%llu in one drain", (unsigned long long)processes.reads);
	end_test();
}

/* Stale mappings left by munmap() are eventually dropped. */
TEST(stale_mappings_are_dropped)
{
	begin_test();
	put_proc(10, "7000-8000 r-xp 00000000 08:01 55 /lib/live\n");
	do_exec(10, 1);
	for (uint64_t i = 0; i < 20000; i++)
		do_mmap(10, 0x100000 + i * 0x2000, 0x1000, "/lib/now-and-gone", 2 + i);
	CHECK(perf_process_find(&processes, 10)->maps->nr < 5000, "%zu mappings",
	      perf_process_find(&processes, 10)->maps->nr);
	CHECK_TEXT(at(10, 0x7000), "/lib/live");
	end_test();
}

/* Its parent does not wait for it: it executes nothing, but is there. */
TEST(zombies_are_forgotten)
{
	pid_t zombie = fork();
	siginfo_t info;

	if (!zombie)
		_exit(0);
	begin_test();
	processes.proc = "/proc";
	CHECK(!waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT), "a zombie");
	do_exec((uint32_t)zombie, 1);
	do_mmap((uint32_t)zombie, 0x1000, 0x1000, "/bin/a", 2);
	do_exit((uint32_t)zombie, (uint32_t)zombie, 3);
	perf_processes_tick(&processes, 10 + 2 * NS_PER_SECOND);
	CHECK(!processes.nr, "it keeps its mappings");
	waitpid(zombie, NULL, 0);
	end_test();
}

/* Their addresses fall, so that each would move all others, and their files have long paths. */
TEST(mappings_are_limited)
{
	char path[4000];
	size_t few = 0;

	begin_test();
	memset(path, 'x', sizeof(path));
	for (uint32_t pid = 1; pid <= 40; pid++) {
		do_exec(pid, 1);
		for (uint64_t i = 0; i < (pid > 4 ? 2000 : 10000); i++) {
			snprintf(path, sizeof(path), "/%u/%u/", pid, (unsigned int)i);
			path[strlen(path)] = 'x';
			path[sizeof(path) - 1] = '\0';
			do_mmap(pid, (20000 - i) * 0x2000, 0x1000, path, 2);
		}
		CHECK(perf_process_find(&processes, pid)->maps->nr <= PERF_MAPS_MAX, "of one");
		CHECK(perf_process_find(&processes, pid)->maps->is_cut, "told");
	}
	/* and each has the path of its program */
	CHECK(*perf_cookies_bytes(cookies) < PERF_MAPS_BYTES_MAX + 42 * sizeof(path),
	      "%zu bytes of all", (size_t)*perf_cookies_bytes(cookies));
	/* a process with few mappings finds room until all is used */
	for (uint32_t pid = 1; pid <= 40; pid++)
		few += perf_process_find(&processes, pid)->maps->nr >= PERF_MAPS_FEW;
	CHECK(few > 4, "%zu processes have some", few);
	CHECK_TEXT(at(1, 1), "-");
	end_test();
}

/* A hundred thousand forks that share one table are cheap, and all are freed. */
TEST(fork_storm)
{
	begin_test();
	do_exec(10, 1);
	for (uint64_t i = 0; i < 100; i++)
		do_mmap(10, 0x100000 + i * 0x2000, 0x1000, "/lib/many", 2);
	for (uint32_t i = 0; i < 100000; i++) {
		do_fork(NOBODY + i, 10, 10 + i);
		do_exit(NOBODY + i, NOBODY + i, 10 + i);
	}
	CHECK(perf_process_find(&processes, 10)->maps->refs == 100001, "not shared");
	perf_processes_tick(&processes, 10 * NS_PER_SECOND);
	CHECK(processes.nr == 1, "%zu left", processes.nr);
	end_test();
}

/* Code is mapped from a file that gets another name, while its old one gets another file. */
TEST(renamed_files_are_found)
{
	struct perf_processes real;
	char old[TMPDIR_SIZE], map[64];
	struct stat st, got;
	struct perf_image *image;
	void *at;
	int fd, link;

	tmpdir_make();
	snprintf(old, sizeof(old), "%s", tmpdir_path("old"));
	put_text(old, "the one");
	fd = open(old, O_RDONLY | O_CLOEXEC);
	CHECK(!fstat(fd, &st), "stat");
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	CHECK(!rename(old, tmpdir_path("new")), "rename");
	put_text(old, "another");
	snprintf(map, sizeof(map), "/proc/self/map_files/%lx-%lx", (long)at, (long)at + 4096);
	link = open(map, O_PATH | O_CLOEXEC);
	if (link < 0)
		SKIP("map_files needs CAP_CHECKPOINT_RESTORE");
	cookies = perf_cookies_new();
	perf_processes_init(&real, cookies, "/proc");
	image = perf_image_get(cookies, &(struct perf_image_key){
		.path = old, .major = major(st.st_dev), .minor = minor(st.st_dev),
		.inode = st.st_ino });
	image->tgid = getpid();
	image->start = (uintptr_t)at;
	image->end = image->start + 4096;
	fd = perf_image_open(&real, image);
	CHECK(fd >= 0 && !fstat(fd, &got) && got.st_ino == st.st_ino, "%d: the file itself", fd);
	close(fd);
	CHECK(!strcmp(image->path, old), "under the name through which it was mapped");
	perf_image_put(cookies, image);
	perf_processes_free(&real);
	perf_cookies_free(cookies);
	tmpdir_remove();
}

/* A fifo without a writer is like a process that keeps the lock of its memory. */
TEST(a_process_that_keeps_us_waiting)
{
	char *dir, *path;
	int err;

	begin_test();
	dir = xasprintf("%s/77", tmpdir);
	path = xasprintf("%s/maps", dir);
	CHECK(!mkdir(dir, 0755) && !mkfifo(path, 0600), "fifo");
	do_exec(78, 1);
	do_mmap(78, 0x1000, 0x1000, "/bin/b", 2);
	put_proc(79, "1000-2000 r-xp 00000000 08:01 5 /bin/c\n");
	CHECK(perf_process_read_again(&processes, 77) == -EAGAIN, "waited for");
	CHECK(!perf_process_find(&processes, 77), "known");
	for (int i = 0; i < 100; i++)
		CHECK(perf_process_read_again(&processes, 77) == -EAGAIN, "asked again");
	CHECK_TEXT(at(78, 0x1000), "/bin/b");
	do
		err = perf_process_read_again(&processes, 79);
	while (err == -EAGAIN);
	CHECK(!err, "others are read");
	CHECK_TEXT(at(79, 0x1000), "/bin/c");
	CHECK(perf_processes_read_all(&processes) == 0, "all");
	free(path);
	free(dir);
	end_test();
}

TEST_MAIN()
