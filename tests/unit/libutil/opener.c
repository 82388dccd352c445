// SPDX-License-Identifier: GPL-2.0-or-later
/* opener.c - what an opener opens, and what it refuses to a program that was taken over */
#include "libutil/opener/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libutil/fd_message.h"
#include "libutil/file.h"
#include "libutil/opener/objects.h"
#include "libutil/opener/registered.h"
#include "runtime/runtime.h"
#include "libutil/opener/serve.h"
#include "libutil/quiet_path.h"
#include "tests/unit/own_mounts.h"
#include "tests/unit/tmpdir.h"

#define OURS	870		/* who asks */
#define HIS	1234

static bool is_symbol_file(const char *name)
{
	return !strcmp(name, "perf-1.map");
}

static bool is_symbol_folder(const char *path, const struct stat *st)
{
	return !strcmp(path, "/tmp") && st->st_mode & S_ISVTX;
}

static int connection;
static pid_t opener;

/* An opener with all of root's rights, which this process gives up; and connection to it. */
static void start(void)
{
	static const char *removable[1];
	static struct opener_config config = {
		.uid = OURS,
		.is_symbol_file = is_symbol_file,
		.is_symbol_folder = is_symbol_folder,
		.removable = removable, .nr_removable = 1,
	};
	int main_ends[2], ends[2];
	char greeting;

	removable[0] = strdup(tmpdir_path("removable"));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, main_ends) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		exit(1);
	opener = fork();
	if (!opener) {
		close(main_ends[0]);
		close(ends[0]);
		opener_serve(main_ends[1], &config);
		_exit(0);
	}
	close(main_ends[1]);
	CHECK(!fd_message_send(main_ends[0], "", 1, &ends[1], 1), "connect");
	close(ends[1]);
	CHECK(recv(ends[0], &greeting, sizeof(greeting), 0) > 0, "greeting");
	connection = ends[0];
	opener_use(main_ends[0], removable, 1);
	CHECK(!setresgid(OURS, OURS, OURS) && !setresuid(OURS, OURS, 0), "a user");
}

/* What looks for leaks at the end of a test traces this process, as root may. */
static void end(void)
{
	CHECK(!seteuid(0), "root again");
}

static void need_root(void)
{
	if (geteuid())
		SKIP("needs root");
	tmpdir_make();
	CHECK(!chmod(tmpdir, 0755) && !mkdir(tmpdir_path("private"), 0700), "folders");
}

/* Of root's process that runs the tests. */
static const char *file_of(const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "/proc/%d/%s", getppid(), name);
	return path;
}

/* A descriptor or 0, or the error of the answer. */
static int ask_raw(const void *bytes, size_t len, int fd)
{
	static struct opener_answer answer;
	int got[OPENER_RANGES_MAX];
	size_t n, nr;

	if (fd_message_send(connection, bytes, len, &fd, fd >= 0) ||
	    fd_message_receive(connection, &answer, sizeof(answer), &n, got, OPENER_RANGES_MAX,
			       &nr) || n != opener_answer_size(&answer))
		return -EPROTO;
	for (size_t i = 1; i < nr; i++)
		close(got[i]);
	return answer.err ? answer.err : nr ? got[0] : 0;
}

static int ask_for(const struct opener_request *r, int fd)
{
	return ask_raw(r, opener_request_size(r->kind), fd);
}

static bool can_read(int fd)
{
	char byte;
	bool can = fd >= 0 && read(fd, &byte, 1) == 1;

	if (fd >= 0)
		close(fd);
	return can;
}

TEST(opens_files_of_processes)
{
	struct opener_mapping m[2] = { { 1, 2, 0 }, { 3, 4, 0 } };
	uint32_t pids[OPENER_PIDS_MAX];
	char comm[80];

	need_root();
	start();
	CHECK(open(file_of("maps"), O_RDONLY | O_CLOEXEC) < 0, "without it");
	CHECK(can_read(opener_open(file_of("maps"), O_RDONLY)), "maps");
	snprintf(comm, sizeof(comm), "/proc/%d/task/%d/comm", getppid(), getppid());
	CHECK(can_read(opener_open(comm, O_RDONLY)), "a thread's name");
	CHECK(fcntl(opener_open(file_of("exe"), O_PATH), F_GETFL) & O_PATH,
	      "the program's handle");
	if (!access(file_of("autogroup"), F_OK))
		CHECK(opener_open(file_of("autogroup"), O_WRONLY) >= 0, "its autogroup");
	CHECK(opener_open(file_of("maps"), O_WRONLY) == -EACCES, "other flags");
	CHECK(opener_open(file_of("environ"), O_RDONLY) == -EACCES, "not on the list");
	CHECK(opener_open("/proc/999999999/maps", O_RDONLY) == -ENOENT, "no such process");
	opener_map_files("/proc", (uint32_t)getppid(), m, 2);
	CHECK(m[0].handle == -ENOENT && m[1].handle == -ENOENT, "no such mappings: %d",
	      m[0].handle);
	CHECK(opener_list("/proc", 0, pids) > 1 && pids[0] == 1, "processes");
	CHECK(opener_is_alive(), "alive");
	CHECK(!seteuid(0) && !kill(opener, SIGKILL) && !seteuid(OURS), "kill");
	waitpid(opener, NULL, 0);
	CHECK(!opener_is_alive(), "gone");
	CHECK(opener_open(file_of("maps"), O_RDONLY) < 0, "nobody to ask");
	end();
}

/* As by ProtectProc=invisible: of others there is not even a folder. */
TEST(finds_programs_of_hidden_processes)
{
	char path[PATH_MAX], real[PATH_MAX];
	int handle = -1;

	need_root();
	if (!own_mounts() || mount("proc", "/proc", "proc", 0, "hidepid=2"))
		SKIP("cannot mount /proc with hidepid here");
	CHECK(readlink(file_of("exe"), real, sizeof(real)) > 0, "a program");
	start();
	CHECK(access(file_of("stat"), F_OK), "not hidden");
	CHECK(!opener_program("/proc", (uint32_t)getppid(), path, sizeof(path), NULL) &&
	      !strncmp(path, real, strlen(path)), "its path");
	CHECK(!opener_program("/proc", (uint32_t)getppid(), path, sizeof(path), &handle) &&
	      !strncmp(path, real, strlen(path)) && handle >= 0, "its path, and a handle");
	close(handle);
	end();
}

static int open_named(const char *name)
{
	int handle = quiet_open(AT_FDCWD, tmpdir_path(name)), fd;

	if (handle < 0)
		return handle;
	fd = quiet_open_file(handle);
	close(handle);
	return fd;
}

static int opened_as(uint32_t kind, const char *path, int fd)
{
	struct opener_request r = { .kind = kind };

	snprintf(r.path, sizeof(r.path), "%s", path);
	return ask_for(&r, fd);
}

TEST(opens_executables_and_symbols_only)
{
	need_root();
	put_file(tmpdir_path("private/program"), "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18);
	put_file(tmpdir_path("private/core"), "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0", 18);
	put_text(tmpdir_path("private/secret"), "secret");
	put_text(tmpdir_path("private/perf-1.map"), "1 2 f\n");
	put_text(tmpdir_path("private/shadow"), "secret");
	CHECK(!chmod(tmpdir_path("private/program"), 0500) &&
	      !chmod(tmpdir_path("private/core"), 0600) &&
	      !chmod(tmpdir_path("private/secret"), 0600) &&
	      !chmod(tmpdir_path("private/shadow"), 0600) &&
	      !chmod(tmpdir_path("private/perf-1.map"), 0600), "modes");
	CHECK(!mkdir(tmpdir_path("private/linked"), 0755) &&
	      !link(tmpdir_path("private/shadow"), tmpdir_path("private/linked/perf-1.map")),
	      "a second name");
	CHECK(!symlink(tmpdir_path("private/shadow"), tmpdir_path("perf-1.map")) &&
	      !mkfifo(tmpdir_path("private/fifo"), 0600), "traps");
	CHECK(!mkdir(tmpdir_path("private/mounted"), 0755), "mounted");
	put_text(tmpdir_path("private/mounted/perf-1.map"), "");
	CHECK(own_mounts() &&
	      !mount(tmpdir_path("private/shadow"), tmpdir_path("private/mounted/perf-1.map"),
		     NULL, MS_BIND, NULL), "mount");
	start();
	CHECK(can_read(open_named("private/program")), "an executable");
	CHECK(can_read(open_named("private/perf-1.map")), "symbols");
	CHECK(open_named("private/secret") == -EACCES, "another file");
	CHECK(open_named("private/core") == -EACCES, "a process's memory");
	CHECK(opened_as(OPENER_FILE, "", open(file_of("mem"), O_PATH | O_CLOEXEC)) == -EINVAL,
	      "its memory itself");
	CHECK(open_named("private/linked/perf-1.map") == -EACCES, "another file's second name");
	CHECK(open_named("private/mounted/perf-1.map") == -EACCES, "another file, mounted");
	/* or -EAGAIN: following it changes its time */
	CHECK(open_named("perf-1.map") < 0, "a link to another");
	CHECK(open_named("private/fifo") == -EACCES, "no file at all");
	CHECK(open_named("private") == -EACCES || open_named("private") == -EINVAL, "a folder");
	CHECK(quiet_open_below(open(tmpdir, O_PATH | O_CLOEXEC), "private/perf-1.map") >= 0 &&
	      quiet_open_below(open(tmpdir, O_PATH | O_CLOEXEC), "private/secret") < 0 &&
	      quiet_open_below(open(tmpdir, O_PATH | O_CLOEXEC), "../perf-1.map") < 0, "below");
	end();
}

TEST(refuses_what_is_malformed)
{
	static struct opener_request r;
	static char many[2 * sizeof(r)];
	uint64_t type;
	int here = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	need_root();
	start();
	CHECK(ask_raw("x", 1, -1) == -EINVAL, "too short");
	CHECK(ask_raw(many, sizeof(many), -1) == -EINVAL, "too long");
	r = (struct opener_request){ .kind = 1000 };
	CHECK(ask_raw(&r, sizeof(r), -1) == -EINVAL, "no such kind");
	r = (struct opener_request){ .kind = OPENER_PROC, .pid = 1 };
	CHECK(ask_raw(&r, sizeof(r), -1) == -EINVAL, "another kind's size");
	r = (struct opener_request){ .kind = OPENER_PROC, .pid = 0 };
	CHECK(ask_for(&r, -1) == -EINVAL, "no process");
	r = (struct opener_request){ .kind = OPENER_PROC, .pid = 1, .file = 1000 };
	CHECK(ask_for(&r, -1) == -EINVAL, "no such file");
	r = (struct opener_request){ .kind = OPENER_PROC, .pid = UINT32_MAX };
	CHECK(ask_for(&r, -1) == -EINVAL, "a negative process");
	r = (struct opener_request){ .kind = OPENER_PROC, .pid = 1, .tid = 1 };
	CHECK(ask_for(&r, -1) == -EINVAL, "a thread's maps");
	r = (struct opener_request){ .kind = OPENER_KERNEL, .file = 1000 };
	CHECK(ask_for(&r, -1) == -EINVAL, "no such file of the kernel");
	r = (struct opener_request){ .kind = OPENER_MAP_FILES, .pid = 1,
				     .nr = OPENER_RANGES_MAX + 1 };
	CHECK(ask_for(&r, -1) == -EINVAL, "too many mappings");
	r = (struct opener_request){ .kind = OPENER_PATH };
	memset(r.path, 'x', sizeof(r.path));
	CHECK(ask_for(&r, -1) == -EINVAL, "a path without end");
	r.kind = OPENER_MODULE;
	CHECK(ask_for(&r, -1) == -EINVAL, "of the module, too");
	CHECK(opened_as(OPENER_PATH, "etc", -1) == -EINVAL, "a relative path");
	CHECK(opened_as(OPENER_PATH, "/etc", -1) == -EACCES, "a folder");
	CHECK(opened_as(OPENER_PATH, "/dev/null", -1) == -EACCES, "a device");
	CHECK(opened_as(OPENER_BELOW, "perf-1.map", -1) == -EINVAL, "below nothing");
	CHECK(opened_as(OPENER_BELOW, "etc/shadow", here) == -EINVAL, "not a symbol file");
	CHECK(opened_as(OPENER_MODULE, "../kmsg", -1) == -EINVAL, "out of the module's files");
	CHECK(opened_as(OPENER_FILE, "", -1) == -EINVAL, "no file");
	CHECK(opened_as(OPENER_FILE, "", here) == -EINVAL, "not a file");
	CHECK(opened_as(OPENER_CGROUP, "", here) == -EINVAL, "not a control group");
	r = (struct opener_request){ .kind = OPENER_PERF,
				     .attr = { .type = PERF_TYPE_TRACEPOINT,
					       .size = sizeof(r.attr) } };
	CHECK(ask_for(&r, -1) == -EINVAL, "a tracepoint");
	r.attr.type = PERF_TYPE_BREAKPOINT;
	CHECK(ask_for(&r, -1) == -EINVAL, "a watched address");
	if (!file_read_u64("/sys/bus/event_source/devices/kprobe/type", &type)) {
		r.attr.type = (uint32_t)type;
		CHECK(ask_for(&r, -1) == -EINVAL, "a watched instruction");
	}
	r.attr = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .size = UINT32_MAX };
	CHECK(ask_for(&r, -1) == -EINVAL, "a size past the request");
	r = (struct opener_request){ .kind = OPENER_REMOVE, .file = 1 };
	CHECK(ask_for(&r, -1) == -EINVAL, "a file that was not named");
	CHECK(opener_is_alive() && can_read(opener_open(file_of("maps"), O_RDONLY)), "and goes on");
	end();
}

static int give(int fd, uid_t uid, mode_t mode)
{
	return opener_give(fd, uid, uid, mode);
}

TEST(gives_only_what_the_program_wrote)
{
	int roots, ours, read_only, twice;
	struct stat st;

	need_root();
	put_text(tmpdir_path("roots"), "");
	put_text(tmpdir_path("removable"), "");
	CHECK(!mkdir(tmpdir_path("ours"), 0755) && !chown(tmpdir_path("ours"), OURS, OURS), "ours");
	roots = open(tmpdir_path("roots"), O_RDWR | O_CLOEXEC);
	start();
	put_text(tmpdir_path("ours/new"), "");
	put_text(tmpdir_path("ours/twice"), "");
	CHECK(!link(tmpdir_path("ours/twice"), tmpdir_path("ours/again")), "a second name");
	ours = open(tmpdir_path("ours/new"), O_WRONLY | O_CLOEXEC);
	twice = open(tmpdir_path("ours/twice"), O_WRONLY | O_CLOEXEC);
	read_only = open(tmpdir_path("ours/new"), O_RDONLY | O_CLOEXEC);
	CHECK(give(roots, HIS, 0400) == -EINVAL, "root's");
	CHECK(give(twice, HIS, 0400) == -EINVAL, "what has two names");
	CHECK(give(read_only, HIS, 0400) == -EINVAL, "what is not written");
	CHECK(give(ours, HIS, 0755) == -EINVAL && give(ours, HIS, 04644) == -EINVAL, "programs");
	CHECK(give(ours, 0, 0400) == -EPERM, "to root");
	CHECK(give(ours, (uid_t)-1, 0400) == -EINVAL, "to nobody else");
	CHECK(!give(ours, HIS, 0440) && !fstat(ours, &st) && st.st_uid == HIS &&
	      st.st_gid == HIS && (st.st_mode & 07777) == 0440, "ours");
	CHECK(!opener_remove(tmpdir_path("removable")) && opener_remove(tmpdir_path("roots")),
	      "removes what was named");
	end();
}

/* Memory as GDB's JIT interface has it, in a process of root. */
struct list {
	struct { uint32_t version, action; const void *relevant, *first; } descriptor;
	struct { const void *next, *previous, *image; uint64_t size; } entry;
	unsigned char image[256];
};

static pid_t start_waiting(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

/* What CPython 3.11 has in memory for a function. */
struct fake_function {
	struct { uint64_t head[3]; const char *name; } code_type, str_type, bytes_type;
	struct { uint64_t head; void *type; uint64_t length, hash, state, unused; char text[64]; }
		name, file;
	struct { uint64_t head; void *type; uint64_t size, hash; char bytes[8]; } lines;
	uint64_t code[32];
};

static uint64_t make_function(struct fake_function *f)
{
	const struct op_runtime_python *t = &op_runtime_tables[OP_RUNTIME_PYTHON_3_11].python;

	f->code_type.name = "code";
	f->str_type.name = "str";
	f->bytes_type.name = "bytes";
	f->name.type = f->file.type = &f->str_type;
	f->name.state = f->file.state = 1 << 2 | 1 << 5 | 1 << 6;
	f->name.length = f->file.length = 4;
	memcpy(f->name.text, "main", 4);
	memcpy(f->file.text, "a.py", 4);
	f->lines.type = &f->bytes_type;
	f->lines.size = 3;
	f->code[OP_PYTHON_TYPE / 8] = (uintptr_t)&f->code_type;
	f->code[OP_PYTHON_SIZE / 8] = 5;
	f->code[t->line / 8] = 77;
	f->code[t->name / 8] = (uintptr_t)&f->name;
	f->code[t->file / 8] = (uintptr_t)&f->file;
	f->code[t->lines / 8] = (uintptr_t)&f->lines;
	return (uintptr_t)f->code | op_runtime_mark(5, 77);
}

TEST(copies_only_code_objects)
{
	static struct fake_function good, no_code, no_text, other;
	struct opener_request r = { .kind = OPENER_OBJECTS, .nr = 6,
				    .file = OP_RUNTIME_PYTHON_3_11 };
	struct object_head head;
	char text[11];
	pid_t pid;
	int fd;

	need_root();
	r.ranges[0].start = make_function(&no_code);
	no_code.code_type.name = "coda";
	r.ranges[1].start = make_function(&no_text);
	no_text.file.type = &no_text.bytes_type;
	r.ranges[2].start = make_function(&other);
	other.code[OP_PYTHON_SIZE / 8] = 6;	/* not the one that was sampled */
	r.ranges[3].start = 8;			/* not mapped */
	r.ranges[4].start = make_function(&good);
	r.ranges[5].start = (uintptr_t)&good.name;
	pid = start_waiting();
	start();
	r.pid = (uint32_t)pid;
	fd = ask_for(&r, -1);
	CHECK(fd > 0 && pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	      lseek(fd, 0, SEEK_END) == sizeof(head) + sizeof(text), "one object");
	CHECK(head.object == r.ranges[4].start && head.instructions == 5 && head.line == 77 &&
	      head.name_size == 4 && head.name_width == 1 && head.lines_size == 3, "its head");
	CHECK(pread(fd, text, sizeof(text), sizeof(head)) == sizeof(text) &&
	      !memcmp(text, "maina.py\0\0", sizeof(text)), "its names");
	close(fd);
	r.file = OP_RUNTIMES;
	CHECK(ask_for(&r, -1) == -EINVAL, "no runtime");
	r.file = OP_RUNTIME_PYTHON_3_11;
	r.nr = OBJECTS_MAX + 1;
	CHECK(ask_for(&r, -1) == -EINVAL, "too many");
	end();
	kill(pid, SIGKILL);
}

TEST(copies_only_what_begins_as_an_elf_file)
{
	static struct list elf, secret;
	struct opener_request r = { .kind = OPENER_REGISTERED, .nr = 1 };
	struct list *lists[] = { &elf, &secret };
	struct registered_head head;
	pid_t pid;
	int fd;

	need_root();
	for (size_t i = 0; i < 2; i++) {
		struct list *l = lists[i];

		l->descriptor.version = 1;
		l->descriptor.first = &l->entry;
		l->entry.image = l->image;
		l->entry.size = sizeof(l->image);
		memset(l->image, 'x', sizeof(l->image));
	}
	memcpy(elf.image, "\177ELF", 4);
	memcpy(elf.image + 16, &(uint16_t){ 2 }, 2);
	pid = start_waiting();
	start();
	r.pid = (uint32_t)pid;
	r.ranges[0].start = (uintptr_t)&elf.descriptor;
	fd = ask_for(&r, -1);
	CHECK(fd > 0 && pread(fd, &head, sizeof(head), 0) == sizeof(head) && head.nr == 1 &&
	      !head.missing, "what was registered");
	CHECK(write(fd, "x", 1) < 0 && ftruncate(fd, 0), "sealed");
	close(fd);
	r.ranges[0].start = (uintptr_t)&secret.descriptor;
	fd = ask_for(&r, -1);
	CHECK(fd > 0 && pread(fd, &head, sizeof(head), 0) == sizeof(head) && !head.nr &&
	      head.missing == 1u << REGISTERED_NO_ELF && lseek(fd, 0, SEEK_END) == sizeof(head),
	      "other memory");
	close(fd);
	r.ranges[0].start = (uintptr_t)secret.image;
	CHECK(ask_for(&r, -1) == -ENOENT, "another version");
	r.ranges[0].start = 8;
	CHECK(ask_for(&r, -1) == -EFAULT, "unmapped");
	r.nr = REGISTERED_LISTS_MAX + 1;
	CHECK(ask_for(&r, -1) == -EINVAL, "too many");
	r.nr = 1;
	r.pid = 0;
	CHECK(ask_for(&r, -1) == -EINVAL, "no process");
	end();
	kill(pid, SIGKILL);
}

TEST(requests_at_a_time_have_a_limit)
{
	int fds[OPENER_CONNECTIONS_MAX + 8][2], nr = 0, main_ends[2];
	static struct opener_config config = {
		.is_symbol_file = is_symbol_file, .is_symbol_folder = is_symbol_folder,
	};
	struct opener_request r = { .kind = OPENER_LIST };

	need_root();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, main_ends))
		exit(1);
	opener = fork();
	if (!opener) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(main_ends[0]);
		opener_serve(main_ends[1], &config);
		_exit(0);
	}
	for (int i = 0; i < OPENER_CONNECTIONS_MAX + 8; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds[i]) ||
		    fd_message_send(main_ends[0], "", 1, &fds[i][1], 1))
			exit(1);
		close(fds[i][1]);
		connection = fds[i][0];
		nr += ask_for(&r, -1) == 0;
	}
	CHECK(nr == OPENER_CONNECTIONS_MAX, "%d connections", nr);
}

TEST_MAIN()
