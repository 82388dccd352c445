// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuse.c - a program on a file system whose server stops answering does not stop the daemon
 *
 * The file is a shell, and once it runs the server keeps reading requests without answering them.
 * Files of FUSE are not opened, so for a network file system whose server is gone stands an overlay
 * of root's above it. Needs root and perf_event_open(). An unprivileged user's server:
 * unit/daemon/hostile/files.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "daemon/collect/perf/mounts.h"
#include "daemon/collect/perf/proc_files.h"
#include "libdb/session/session.h"
#include "libutil/channel.h"
#include "libutil/fd_message.h"
#include "libutil/opener/requests.h"
#include "libutil/opener/serve.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/need_perf.h"
#include "tests/unit/fuse_server.h"
#include "tests/unit/own_mounts.h"
#include "tests/unit/tmpdir.h"

/* Mounted where everybody may use it, root's daemon too. */
static pid_t mount_it(const char *at)
{
	char options[100];
	int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	pid_t server;

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 dev);
	if (dev < 0 || !own_mounts() ||
	    mount("test", at, "fuse.test", 0, options))
		SKIP("needs root and /dev/fuse");
	server = fork();
	if (!server)
		fuse_serve(dev);
	close(dev);
	return server;
}

static pid_t start_spinning(const char *program)
{
	pid_t pid = fork();

	if (!pid) {
		execl(program, program, "-c", "while :; do :; done", NULL);
		_exit(1);
	}
	let_be_sampled(pid);
	return pid;
}

static int run_daemon(const char *dir)
{
	char *command = xasprintf("timeout 60 %s/../bin/oprofiled --session-dir='%s' "
				  "--collector=perf --events=CPU_CLK_UNHALTED:0:0:2000000:0:1:1",
				  dir, tmpdir_path("sd"));
	int status = system(command);

	free(command);
	return status;
}

static int ask(const char *request)
{
	struct op_error e = { "" };
	int err = channel_ask(tmpdir_path("sd/control"), request, 30000, NULL, &e);

	CHECK(!err, "%s: %s", request, e.text);
	return err;
}

/* What root has mounted is believed to answer. */
static void mount_overlay(const char *at, const char *below)
{
	char *options;

	mkdir(at, 0755);
	mkdir(tmpdir_path("empty"), 0755);
	options = xasprintf("lowerdir=%s:%s", below, tmpdir_path("empty"));
	if (mount("test", at, "overlay", 0, options))
		SKIP("no overlay above FUSE");
	free(options);
}

/* Where else the samples are. */
static void show_samples(void)
{
	char *command = xasprintf("cd '%s/sd/samples/current' && { find . -name prog; "
				  "cat stats/counts; } | sed 's/^/# check failed: /'", tmpdir);

	(void)!system(command);
	free(command);
}

static void profile_it(bool lives, bool by_overlay)
{
	const char *folder = by_overlay ? "over" : "mnt";
	/* in a chroot /proc does not lead there once we have mounts of our own */
	char *files, *program, *dir = path_program_dir();
	pid_t server, spinner;
	int err;

	need_perf();
	tmpdir_make();
	CHECK(!file_read_all("/bin/sh", 16 << 20, &served_file, &served_size), "no /bin/sh");
	mute = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	mkdir(tmpdir_path("mnt"), 0755);
	server = mount_it(tmpdir_path("mnt"));
	if (by_overlay)
		mount_overlay(tmpdir_path("over"), tmpdir_path("mnt"));
	program = xasprintf("%s/%s/prog", tmpdir, folder);
	spinner = start_spinning(program);
	*(volatile int *)mute = 1;
	CHECK(!run_daemon(dir), "start");
	err = ask("start");
	let_be_sampled(spinner);
	if (!lives)
		kill(spinner, SIGKILL);
	err |= ask("dump");
	err |= ask("shutdown");
	kill(spinner, SIGKILL);
	kill(server, SIGKILL);		/* ends what still waits for it */
	waitpid(server, NULL, 0);
	waitpid(spinner, NULL, 0);
	if (by_overlay)
		umount2(tmpdir_path("over"), MNT_DETACH);
	umount2(tmpdir_path("mnt"), MNT_DETACH);
	files = xasprintf("%s/sd/samples/current/{root}%s", tmpdir, program);
	if (!err && !file_is_dir(files))
		show_samples();
	CHECK(err || file_is_dir(files), "no samples in '%s'", files);
	free(files);
	free(program);
	free(dir);
	free(served_file);
}

TEST(a_server_that_stops_answering)
{
	profile_it(true, false);
}

/* Now the file is found by its path. */
TEST(a_server_without_its_program)
{
	profile_it(false, false);
}

TEST(a_file_system_that_hangs)
{
	profile_it(true, true);
}

/* Of a folder that has all files, until it is mute; its server. */
static pid_t mount_folder(void)
{
	tmpdir_make();
	CHECK(!mkdir(tmpdir_path("mnt"), 0755), "mnt");
	mute = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return mount_it(tmpdir_path("mnt"));
}

static void unmount_folder(pid_t server)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	umount2(tmpdir_path("mnt"), MNT_DETACH);
}

static void link_in_proc(const char *pid, const char *name, const char *target)
{
	char *link = xasprintf("%s/%s/%s", tmpdir, pid, name);

	mkdir(tmpdir_path(pid), 0755);
	CHECK(!symlink(target, link), "'%s'", link);
	free(link);
}

/* As a network file system's, which is asked also for what a link of /proc leads to. */
TEST(links_of_processes_to_what_hangs)
{
	int handle;
	char path[PATH_MAX], real[PATH_MAX];
	pid_t server = mount_folder();

	CHECK(realpath("/bin/sh", real), "a shell");
	*(volatile int *)mute = 1;
	link_in_proc("1", "exe", tmpdir_path("mnt/prog"));
	link_in_proc("2", "root", tmpdir_path("mnt/prog"));
	link_in_proc("3", "exe", real);
	link_in_proc("4", "root", "/");
	CHECK(proc_files_read_program(tmpdir, 1, path, &handle) == -EAGAIN, "its program");
	CHECK(proc_files_read_program(tmpdir, 1, path, NULL) == -EAGAIN, "set aside");
	CHECK(proc_files_open_root(tmpdir, 2) == -EAGAIN, "its root");
	CHECK(!proc_files_read_program(tmpdir, 3, path, &handle) && !strcmp(path, real),
	      "another's");
	CHECK(handle >= 0 && !close(handle), "its handle");
	handle = proc_files_open_root(tmpdir, 4);
	CHECK(handle >= 0 && !close(handle), "another's root");
	unmount_folder(server);
}

/* What hangs in an opener outlives a SIGKILL; that it is gone is seen all the same. */
TEST(an_opener_that_is_killed_while_it_hangs)
{
	struct opener_request r = { .kind = OPENER_FILE };
	int sockets[2], ends[2], idle[2], handle;
	pid_t server = mount_folder(), opener;
	struct opener_config config = { 0 };
	char byte;

	handle = open(tmpdir_path("mnt/prog"), O_PATH | O_CLOEXEC);
	CHECK(handle >= 0, "prog");
	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) &&
	      !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) &&
	      !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, idle), "sockets");
	*(volatile int *)mute = 1;
	opener = fork();
	if (!opener) {
		close(sockets[0]);
		close(ends[0]);
		close(idle[0]);
		opener_serve(sockets[1], &config);
		_exit(0);
	}
	close(sockets[1]);
	CHECK(!fd_message_send(sockets[0], "", 1, &ends[1], 1) && !close(ends[1]) &&
	      !fd_message_send(sockets[0], "", 1, &idle[1], 1) && !close(idle[1]), "connections");
	CHECK(!fd_message_send(ends[0], &r, opener_request_size(r.kind), &handle, 1), "a request");
	while (!__atomic_load_n(&mute[1], __ATOMIC_RELAXED))	/* until it hangs */
		usleep(1000);
	kill(opener, SIGKILL);
	CHECK(recv(sockets[0], &byte, 1, 0) <= 0, "its end");
	/* which may have had its greeting */
	CHECK(recv(idle[0], &byte, 1, 0) <= 0 || recv(idle[0], &byte, 1, 0) <= 0,
	      "of another connection");
	CHECK(!waitpid(opener, NULL, WNOHANG), "it did not hang");
	close(handle);
	unmount_folder(server);
	waitpid(opener, NULL, 0);
}

TEST(file_systems)
{
	static const char ours[] =
		"20 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
		"21 20 0:50 / /merged rw - overlay overlay rw,lowerdir=/l\n"
		"22 20 0:51 / /home/u/mnt\\040- rw - fuse.sshfs u@h rw\n"
		"23 20 0:52 / /v rw - virtiofs v rw";
	static const char theirs[] =
		"80 79 0:50 / / rw master:2 - overlay overlay rw\n"
		"81 79 0:60 / /mine rw - overlay overlay rw\n"
		"82 79 0:61 / /f rw - fuse f rw\n"
		"83 79 0:62 / /t rw - tmpfs t rw\n"
		"garbage\n84 79 - ext4\n85 79 0:62 / /t rw tmpfs";
	static const char first[] =
		"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"30 20 8:2 / /srv rw - xfs /dev/sda2 rw\n"
		"31 20 0:53 / /srv/f rw - fuse f rw\n"
		"32 20 0:54 / /srv/o rw - overlay overlay rw";
	static const struct {
		struct perf_mount_key key;
		bool answers;
	} cases[] = {
		{{20, 8, 1}, true}, {{21, 0, 50}, true},
		{{22, 0, 51}, false}, {{23, 0, 52}, true},
		{{80, 0, 50}, true}, {{81, 0, 60}, false},
		{{82, 0, 61}, false}, {{83, 0, 62}, true},
		/* malformed */
		{{84, 0, 0}, false}, {{85, 0, 62}, false}, {{99, 0, 0}, false},
		/* the first process's alone, by its mount or by its device */
		{{30, 0, 70}, true}, {{31, 0, 70}, false}, {{32, 0, 70}, true},
		{{99, 8, 2}, true}, {{99, 0, 53}, false}, {{99, 0, 54}, true},
		/* a mount in their list or ours has the type listed there, whatever the device */
		{{22, 8, 2}, false}, {{81, 8, 2}, false}, {{99, 0, 62}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK(perf_mount_answers_by(&(struct perf_mount_lists){ theirs, ours, first },
					    &cases[i].key) == cases[i].answers,
		      "mount %d of %u:%u", (int)cases[i].key.id, cases[i].key.major,
		      cases[i].key.minor);
	CHECK(perf_mount_answers_by(&(struct perf_mount_lists){ "", ours, "" }, &cases[0].key) &&
	      !perf_mount_answers_by(&(struct perf_mount_lists){ "", "", "" }, &cases[0].key),
	      "ours alone");
}

/* A handle of @path in the folder, without asking a server. */
static int handle_of(const char *path)
{
	int fd = open(tmpdir_path(path), O_PATH | O_CLOEXEC);

	CHECK(fd >= 0, "'%s': %s", path, strerror(errno));
	return fd;
}

static bool first_process_has_mount_of(int fd)
{
	char device[40], *mounts;
	struct stat st;
	bool found;

	if (fstat(fd, &st) || file_read_all("/proc/1/mountinfo", 16 << 20, &mounts, NULL))
		return false;
	snprintf(device, sizeof(device), " %u:%u ", major(st.st_dev), minor(st.st_dev));
	found = strstr(mounts, device);
	free(mounts);
	return found;
}

/* Then our own root is a plain folder, whose mount is not in our list. */
static void change_root(void)
{
	CHECK(!mount("proc", tmpdir_path("root/proc"), "proc", 0, NULL) &&
	      !chroot(tmpdir_path("root")) && !chdir("/"), "chroot: %s", strerror(errno));
}

TEST(files_of_a_root_that_is_not_a_mount_point)
{
	int known, copied, mounted, served;
	pid_t server;

	tmpdir_make();
	mkdir(tmpdir_path("root"), 0755);
	mkdir(tmpdir_path("root/proc"), 0755);
	put_text(tmpdir_path("root/inside"), "");
	known = handle_of("root/inside");
	if (!first_process_has_mount_of(known))
		SKIP("the first process has not mounted TMPDIR's file system");
	mute = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	mkdir(tmpdir_path("mnt"), 0755);
	server = mount_it(tmpdir_path("mnt"));
	copied = handle_of("root/inside");	/* by a mount of our own namespace */
	mounted = handle_of("root/proc");
	served = handle_of("mnt/prog");
	*(volatile int *)mute = 1;
	change_root();
	CHECK(perf_mount_answers("/proc", 0, known), "a mount that the first process has");
	CHECK(perf_mount_answers("/proc", 0, copied), "a file system that it has");
	CHECK(perf_mount_answers("/proc", getpid(), copied), "by way of a process");
	CHECK(perf_mount_answers("/proc", 0, mounted), "its mount point");
	CHECK(!perf_mount_answers("/proc", 0, served), "a file that a server has");
	CHECK(!perf_mount_answers("/proc", getpid(), served), "by way of a process");
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
}

TEST_MAIN()
