// SPDX-License-Identifier: GPL-2.0-or-later
/* processes.c - from a sample in JIT code to its object in the session */
#include <inttypes.h>
#include "daemon/jit/convert.h"
#include "daemon/jit/processes.h"
#include "libutil/errand.h"
#include "libutil/strbuf.h"
#include "tests/unit/daemon/jit/child.h"
#include "tests/unit/daemon/jit/test.h"

static struct jit_processes *p;
static char object[5000];

static void write_map(void)
{
	put_text(own_map(), "1000 10 first\n");
	chmod(own_map(), 0640);
}

/* A process that was sampled in /bin/app's anonymous memory. */
static pid_t sampled_child(void (*prepare)(void))
{
	char *folder;
	pid_t pid;

	need_namespaces();
	tmpdir_make();
	folder = tmpdir_path("samples/{root}/bin/app/{dep}/{anon:anon}");
	file_make_dirs(folder, 0755);
	file_make_dirs(tmpdir_path("samples/stats"), 0755);
	p = jit_processes_new(NULL);
	jit_processes_set_session(p, tmpdir_path("samples"));
	pid = child_start(CHILD_UID, prepare);
	snprintf(object, sizeof(object), "%s/%d.jo", folder, pid);
	jit_processes_add_sample(p, "/bin/app", (uint32_t)pid, "anon", 0, 0);
	return pid;
}

/* Whether the object's names include @name. */
static bool has(const char *name)
{
	size_t len;
	char *text;
	bool found;

	if (file_read_all(object, 1 << 20, &text, &len))
		return false;
	found = memmem(text, len, name, strlen(name) + 1);
	free(text);
	return found;
}

static void convert(void)
{
	jit_processes_convert(p, NULL, NULL);
}

static void expect_troubles(uint64_t refused, uint64_t damaged)
{
	const struct jit_troubles *t = jit_processes_troubles(p);

	CHECK(t->refused == refused && t->damaged == damaged,
	      "want %" PRIu64 " refused, %" PRIu64 " damaged, got %" PRIu64 ", %" PRIu64, refused,
	      damaged, t->refused, t->damaged);
}

TEST(object_is_made)
{
	pid_t pid = sampled_child(write_map);
	struct stat st;

	CHECK(!file_exists(object), "not before it is asked for");
	convert();
	CHECK(has("first"), "made");
	CHECK(!stat(object, &st) && (st.st_mode & 0777) == 0440 && st.st_uid == CHILD_UID,
	      "its owner and who may read it: mode %o, user %u", st.st_mode, st.st_uid);
	CHECK(!file_exists(tmpdir_path("samples/stats/new.jo")), "nothing is left");
	expect_troubles(0, 0);
	child_end(pid);
	jit_processes_free(p);
}

TEST(process_gone_before_the_dump)
{
	pid_t pid = sampled_child(write_map);

	child_end(pid);
	convert();
	CHECK(has("first"), "its file was kept open");
	jit_processes_free(p);
}

static void write_nothing(void)
{
}

/* As programs do that write their map when they end: nothing was there at any look. */
TEST(map_written_just_before_the_end)
{
	pid_t pid = sampled_child(write_nothing);
	char path[80];

	convert();
	CHECK(!file_exists(object), "nothing to make it of");
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	put_text(path, "1000 10 final\n");
	child_end(pid);
	convert();
	CHECK(has("final"), "found");
	jit_processes_free(p);
}

TEST(new_code_is_found)
{
	pid_t pid = sampled_child(write_map);
	char path[80];
	FILE *f;

	convert();
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	f = fopen(path, "r+");		/* fs.protected_regular refuses O_CREAT */
	CHECK(f && !fseek(f, 0, SEEK_END) && fputs("2000 10 second\n", f) >= 0 && !fclose(f),
	      "appended");
	convert();
	CHECK(has("first") && has("second"), "made anew");
	unlink(object);
	convert();
	CHECK(!file_exists(object), "not again without a change");
	child_end(pid);
	jit_processes_free(p);
}

TEST(file_comes_later)
{
	pid_t pid = sampled_child(write_nothing);
	char path[80];

	convert();
	CHECK(!file_exists(object), "nothing to make it of");
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	put_text(path, "1000 10 late\n");
	convert();
	CHECK(has("late"), "found");
	child_end(pid);
	jit_processes_free(p);
}

TEST(next_session)
{
	pid_t pid = sampled_child(write_map);

	convert();
	file_make_dirs(tmpdir_path("next/stats"), 0755);
	jit_processes_set_session(p, tmpdir_path("next"));
	snprintf(object, sizeof(object), "%s/{root}/bin/app/{dep}/{anon:anon}/%d.jo",
		 tmpdir_path("next"), pid);
	convert();
	CHECK(!file_exists(object), "no samples there yet");
	file_make_dirs(tmpdir_path("next/{root}/bin/app/{dep}/{anon:anon}"), 0755);
	convert();
	CHECK(has("first"), "now there are");
	child_end(pid);
	jit_processes_free(p);
}

/* A part of a session has sample files like the session itself. */
TEST(parts_of_a_session)
{
	pid_t pid = sampled_child(write_map);

	file_make_dirs(tmpdir_path("samples/stats/parts/3/{root}/bin/app/{dep}/{anon:anon}"), 0755);
	convert();
	CHECK(has("first"), "in the session");
	snprintf(object, sizeof(object), "%s/%d.jo",
		 tmpdir_path("samples/stats/parts/3/{root}/bin/app/{dep}/{anon:anon}"), pid);
	CHECK(has("first"), "and in its part");
	child_end(pid);
	jit_processes_free(p);
}

/* A sparse file of a terabyte. */
static void write_endless(void)
{
	int fd;

	write_map();
	fd = open(own_map(), O_WRONLY);
	(void)!ftruncate(fd, (off_t)1 << 40);
	(void)!pwrite(fd, "\n1000 10 last\n", 14, ((off_t)1 << 40) - 14);
	close(fd);
}

TEST(endless_file)
{
	pid_t pid = sampled_child(write_endless);

	convert();
	CHECK(has("last") && !has("first"), "its end was read");
	expect_troubles(0, 1);
	child_end(pid);
	jit_processes_free(p);
}

static void link_map(void)
{
	(void)!symlink("/etc/passwd", own_map());
}

TEST(refused_files_are_counted_once_per_session)
{
	pid_t pid = sampled_child(link_map);

	convert();
	convert();
	expect_troubles(1, 0);
	jit_processes_set_session(p, tmpdir_path("samples"));
	convert();
	expect_troubles(2, 0);
	child_end(pid);
	jit_processes_set_session(p, tmpdir_path("samples"));
	convert();
	jit_processes_free(p);
}

/* With a malformed line, and a malformed dump of libopagent. */
static void write_nonsense(void)
{
	char path[80];

	put_text(own_map(), "1000 10 first\nnonsense\n");
	snprintf(path, sizeof(path), "/tmp/oprofile-%d", CHILD_UID);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "/tmp/oprofile-%d/jitdump", CHILD_UID);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "/tmp/oprofile-%d/jitdump/%d.dump", CHILD_UID, getpid());
	put_text(path, "nothing that would make a header of a dump");
}

static void write_dump_of_nonsense(void)
{
	write_nonsense();
	put_text(own_map(), "1000 10 first\n");
}

TEST(damage_is_counted)
{
	pid_t pid = sampled_child(write_nonsense);

	convert();
	CHECK(has("first"), "what makes sense is there");
	expect_troubles(0, 1);
	unlink(object);
	jit_processes_set_session(p, tmpdir_path("samples"));
	convert();
	expect_troubles(0, 2);
	child_end(pid);
	jit_processes_free(p);
	pid = sampled_child(write_dump_of_nonsense);
	convert();
	CHECK(has("first"), "the other file is there");
	expect_troubles(0, 1);
	child_end(pid);
	jit_processes_free(p);
}

static void link_folder(void)
{
	mkdir("/tmp/elsewhere", 0700);
	(void)!symlink("/tmp/elsewhere", "/tmp/oprofile-1234");
}

TEST(links_in_the_path_are_counted)
{
	pid_t pid = sampled_child(link_folder);

	convert();
	expect_troubles(1, 0);
	child_end(pid);
	jit_processes_free(p);
}

#define SLOW		12
#define SLOW_US		30000

static char *slow_file(int tgid, const char *name)
{
	static char path[5000];

	snprintf(path, sizeof(path), "%s/%d/%s", tmpdir_path("proc"), tgid, name);
	return path;
}

/* Each of the processes is slow to answer when it is looked at, @times times. */
static pid_t answer_slowly(pid_t pid, int times)
{
	pid_t answering = fork();
	char path[40], *status;
	size_t len;

	if (answering)
		return answering;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (file_read_all(path, 1 << 20, &status, &len))
		_exit(1);
	for (int i = 0; i < times * SLOW; i++) {
		int fd = open(slow_file(1 + i % SLOW, "status"), O_WRONLY);

		usleep(SLOW_US);
		if (write(fd, status, len) != (ssize_t)len || close(fd))
			_exit(1);
	}
	_exit(0);
}

static unsigned int pauses;

static void count_pause(void *context)
{
	(void)context;
	pauses++;
}

/* All are looked at before a conversion, with pauses for the caller's work. */
TEST(many_slow_processes)
{
	pid_t pid = sampled_child(write_nothing), answering;
	char path[80];

	jit_processes_free(p);
	for (int i = 1; i <= SLOW; i++) {
		file_make_dirs(slow_file(i, ""), 0755);
		CHECK(!mkfifo(slow_file(i, "status"), 0600), "status");
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		CHECK(!symlink(path, slow_file(i, "stat")), "stat");
		snprintf(path, sizeof(path), "/proc/%d/root", pid);
		CHECK(!symlink(path, slow_file(i, "root")), "root");
	}
	p = jit_processes_new(tmpdir_path("proc"));
	jit_processes_set_session(p, tmpdir_path("samples"));
	answering = answer_slowly(pid, 2);
	for (int i = 1; i <= SLOW; i++)
		jit_processes_add_sample(p, "/bin/app", (uint32_t)i, "anon", 0, 0);
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, pid);
	put_text(path, "1000 10 first\n");
	jit_processes_convert(p, count_pause, NULL);
	for (int i = 1; i <= SLOW; i++) {
		*strrchr(object, '/') = '\0';
		snprintf(object + strlen(object), 20, "/%d.jo", i);
		CHECK(has("first"), "process %d", i);
	}
	CHECK(pauses, "no pause");
	child_end(answering);
	child_end(pid);
	jit_processes_free(p);
}

static void write_jitdump(void)
{
	struct strbuf dump = STRBUF_INIT;
	char path[40];

	jitdump_header(&dump, 0);
	jitdump_load(&dump, 1, 0x1000, 1, "first", "c");
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	put_file(path, dump.text, dump.len);
	(void)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(path, O_RDONLY), 0);
	strbuf_free(&dump);
}

/* While samples wait a process that answers late is left alone for a second. */
TEST(late_process)
{
	pid_t pid = sampled_child(write_jitdump);
	char path[80];

	jit_processes_free(p);
	file_make_dirs(slow_file(pid, ""), 0755);
	for (size_t i = 0; i < 4; i++) {
		static const char *const names[] = { "status", "stat", "root", "map_files" };

		snprintf(path, sizeof(path), "/proc/%d/%s", pid, names[i]);
		CHECK(!symlink(path, slow_file(pid, names[i])), "%s", names[i]);
	}
	CHECK(!mkfifo(slow_file(pid, "maps"), 0600), "maps");
	p = jit_processes_new(tmpdir_path("proc"));
	jit_processes_set_session(p, tmpdir_path("samples"));
	errand_set_urgent(true);
	jit_processes_add_sample(p, "/bin/app", (uint32_t)pid, "anon", 0, 0);
	close(open(slow_file(pid, "maps"), O_WRONLY));		/* now it answers */
	unlink(slow_file(pid, "maps"));
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	CHECK(!symlink(path, slow_file(pid, "maps")), "maps");
	convert();
	errand_set_urgent(false);
	CHECK(has("first"), "no names");
	child_end(pid);
	jit_processes_free(p);
}

TEST(many_blocks)
{
	struct strbuf text = STRBUF_INIT;
	struct jit_job job = { .in = { -1, -1, -1 } };
	int fd;

	tmpdir_make();
	for (unsigned int i = 0; i < 300000; i++)
		strbuf_addf(&text, "%x 8 function_%u\n", 16 * i + 16, i);
	put_file(tmpdir_path("map"), text.text, text.len);
	strbuf_free(&text);
	fd = open(tmpdir_path("map"), O_RDONLY);
	job.in[JIT_PERF_MAP] = fd;
	job.out = open(tmpdir_path("out"), O_RDWR | O_CREAT, 0600);
	CHECK(!jit_job_do(&job, NULL, NULL, NULL), "done");
	CHECK(job.done && !job.err && job.nr_symbols == 300000, "%zu symbols", job.nr_symbols);
	CHECK(job.in[JIT_PERF_MAP] == fd, "descriptors stay ours");
	close(fd);
	close(job.out);
}

TEST_MAIN()
