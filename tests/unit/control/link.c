// SPDX-License-Identifier: GPL-2.0-or-later
/* link.c - locks, offline actions, settings of the module, and the daemon's command line */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "control/machine/collector_choice.h"
#include "control/machine/driver.h"
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/daemon_start.h"
#include "control/opcontrol/offline.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/kernel_elf.h"
#include "tests/unit/tmpdir.h"

static char *make_dir(void)
{
	tmpdir_make();
	return tmpdir;
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char *path = path_join(dir, name);

	CHECK(!file_make_parent_dirs(path, 0755), "%s", path);
	CHECK(!file_write_atomic(path, text, strlen(text), 0644), "%s", path);
	free(path);
}

static bool has(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	bool yes = file_exists(path);

	free(path);
	return yes;
}

TEST(lock_keeps_others_out)
{
	char *dir = make_dir();
	struct op_error e = { "" };
	int fd;

	CHECK(!daemon_runs(dir), "nothing there");
	fd = session_lock(dir, &e);
	CHECK(fd >= 0, "%s", e.text);
	CHECK(daemon_runs_after(dir, 100), "held");
	CHECK(session_lock(dir, &e) == -EBUSY, "twice");
	session_unlock(dir, fd);
	CHECK(!has(dir, "lock"), "removed");

	write_file(dir, "lock", "999999");
	CHECK(!daemon_runs(dir), "nobody holds it");
}

TEST(ask_nobody)
{
	char *dir = make_dir();
	struct op_error e = { "" };

	CHECK(daemon_ask(dir, "dump", NULL, &e) == -ESRCH, "%s", e.text);
	CHECK(strstr(e.text, "not running"), "%s", e.text);
}

TEST(offline_save_and_reset)
{
	char *dir = make_dir();
	struct op_error e = { "" };

	CHECK(!offline_has_samples(dir), "no folder");
	CHECK(!offline_reset(dir, &e), "nothing to reset: %s", e.text);
	write_file(dir, "samples/current/{kern}/x", "1");
	CHECK(offline_has_samples(dir), "something");
	CHECK(!offline_save(dir, "one", &e), "%s", e.text);
	CHECK(has(dir, "samples/one/{kern}/x"), "moved");
	CHECK(!offline_has_samples(dir), "and not left");

	write_file(dir, "samples/current/{kern}/y", "1");
	CHECK(offline_save(dir, "one", &e) == -EEXIST, "a taken name");
	CHECK(strstr(e.text, "already exists"), "%s", e.text);
	CHECK(has(dir, "samples/current/{kern}/y") && has(dir, "samples/one/{kern}/x"),
	      "nothing lost");
	CHECK(!offline_reset(dir, &e), "%s", e.text);
	CHECK(!offline_has_samples(dir) && has(dir, "samples/one/{kern}/x"),
	      "only the current one");
	CHECK(!has(dir, "lock"), "no lock left");
}

/* Resets by the daemon and by opcontrol that were killed after their rename. */
TEST(offline_reset_removes_leftovers)
{
	char *dir = make_dir();
	struct op_error e = { "" };

	write_file(dir, "samples/.tmp_reset.999999/{kern}/x", "1");
	write_file(dir, "samples/.removed.999999/{kern}/x", "1");
	write_file(dir, "samples/one/{kern}/x", "1");
	CHECK(!offline_reset(dir, &e), "%s", e.text);
	CHECK(!has(dir, "samples/.tmp_reset.999999") && !has(dir, "samples/.removed.999999"),
	      "left there");
	write_file(dir, "samples/.tmp_reset.1/x", "1");
	write_file(dir, "samples/current/{kern}/y", "1");
	CHECK(!offline_reset(dir, &e), "%s", e.text);
	CHECK(!has(dir, "samples/.tmp_reset.1") && !offline_has_samples(dir), "left there");
	CHECK(has(dir, "samples/one/{kern}/x"), "a saved session was removed");
}

/* The counts of a killed daemon are settled. */
TEST(offline_save_after_a_kill)
{
	char *dir = make_dir(), *stats = session_stats_path(dir, "one", NULL);
	struct session_counts counts = { 0, NULL };
	struct op_error e = { "" };

	write_file(dir, "samples/current/stats/counts",
		   "cpus 1\ncpu 0 received 7 recorded 5 throttled 0 filtered 2\n");
	CHECK(!offline_save(dir, "one", &e), "%s", e.text);
	CHECK(!session_counts_read(stats, &counts) && counts.nr_cpus == 1, "no counts");
	CHECK(counts.nr_cpus && counts.cpu[0].received == 7 && !counts.cpu[0].recorded &&
	      counts.cpu[0].lost[LOST_SAMPLE_FILE] == 5, "not settled");
	free(counts.cpu);
	free(stats);
}

/* Of another user's samples, who has put links there to what only root may write. */
TEST(offline_save_and_reset_of_another_users)
{
	static const char counts[] = "cpus 1\ncpu 0 received 7 recorded 5 throttled 0 filtered 2\n";
	char *dir = make_dir(), *text = NULL;
	struct op_error e = { "" };

	if (geteuid())
		SKIP("needs root");
	CHECK(!chmod(dir, 0755), "chmod");
	write_file(dir, "roots/stats/counts", counts);
	CHECK(!mkdir(tmpdir_path("samples"), 0755), "mkdir");
	CHECK(!symlink(tmpdir_path("roots"), tmpdir_path("samples/current")), "link");
	CHECK(!chown(tmpdir_path("samples"), 870, 870), "chown");
	CHECK(offline_save(dir, "one", &e) == -EACCES, "%s", e.text);
	CHECK(!geteuid() && !getegid(), "root again");
	CHECK(!file_read_all(tmpdir_path("roots/stats/counts"), 4096, &text, NULL) &&
	      !strcmp(text, counts), "root's file was written");
	free(text);
	CHECK(!offline_reset(dir, &e), "%s", e.text);
	CHECK(has(dir, "roots/stats/counts"), "root's file was removed");

	/* what is its own is saved and removed as before */
	write_file(dir, "samples/current/stats/counts", counts);
	CHECK(!chown(tmpdir_path("samples/current"), 870, 870) &&
	      !chown(tmpdir_path("samples/current/stats"), 870, 870), "chown");
	CHECK(!offline_save(dir, "one", &e) && has(dir, "samples/one/stats/counts"), "%s", e.text);
}

static int nr_entries(const char *folder)
{
	DIR *dir = opendir(tmpdir_path(folder));
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return nr;
}

/* The daemon's user was removed, and the daemon then recorded as root. */
TEST(offline_reset_of_two_users)
{
	char *dir = make_dir();
	struct op_error e = { "" };

	if (geteuid())
		SKIP("needs root");
	CHECK(!chmod(dir, 0755), "chmod");
	write_file(dir, "samples/.removed.1/{root}/usr/x", "1");
	write_file(dir, "samples/current/{root}/usr/x", "1");
	write_file(dir, "samples/one/{root}/usr/x", "1");
	write_file(dir, "roots/x", "1");
	CHECK(!symlink(tmpdir_path("roots"), tmpdir_path("samples/current/{root}/link")), "link");
	CHECK(!chown(tmpdir_path("samples"), 870, 870) &&
	      !chown(tmpdir_path("samples/current"), 870, 870), "chown");
	CHECK(!offline_reset(dir, &e), "%s", e.text);
	CHECK(!geteuid() && !getegid(), "root again");
	CHECK(!offline_has_samples(dir), "not reset");
	CHECK(nr_entries("samples") == 2 && has(dir, "samples/one/{root}/usr/x"), "%d entries",
	      nr_entries("samples"));
	CHECK(has(dir, "roots/x"), "by way of a link");

	/* in a folder of his he could have others' in the place of the samples */
	write_file(dir, "samples/current/{root}/usr/x", "1");
	CHECK(!chown(dir, 870, 870) && offline_reset(dir, &e) == -EACCES, "removed");
	CHECK(strstr(e.text, "cannot remove all of '"), "%s", e.text);
}

TEST(driver_with_fake_files)
{
	char *dir = make_dir(), *filesystems = path_join(dir, "filesystems");
	char *modules = path_join(dir, "modules"), *mount = path_join(dir, "mnt");
	struct driver d = { .filesystems = filesystems, .modules = modules,
			    .parameter = "/nonexistent", .lockdown = "/nonexistent",
			    .mount_point = mount, .module_file = path_join(dir, "no.ko") };
	struct op_error e = { "" };

	CHECK(driver_ready(&d, "", &e) == -ENOSYS, "no /proc/modules");
	CHECK(strstr(e.text, "does not support loadable modules"), "%s", e.text);
	write_file(dir, "filesystems", "nodev\tsysfs\n\text4\nnodev\toprofilefs2\n");
	CHECK(!driver_registered(&d), "another name");
	write_file(dir, "filesystems", "nodev\tsysfs\nnodev\toprofilefs\n");
	CHECK(driver_registered(&d), "registered");
	CHECK(!driver_mounted(&d), "not mounted");
	driver_free(&d);
	free(filesystems);
	free(modules);
	free(mount);
}

static uint64_t number_in(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	uint64_t n = 0;

	CHECK(!file_read_u64(path, &n), "%s", path);
	free(path);
	return n;
}

/* TRP-17: 0 is the default, more for stacks [CC-50]; a refused depth is not an error. */
TEST(settings_of_the_module)
{
	char *dir = make_dir(), *depth = path_join(dir, "backtrace_depth");
	struct driver d = { .mount_point = dir };
	struct op_error e = { "" };
	struct setup s;

	setup_init(&s);
	write_file(dir, "buffer_size", "4096");
	write_file(dir, "buffer_watershed", "4096");
	write_file(dir, "cpu_buffer_size", "16");
	write_file(dir, "backtrace_depth", "0");
	write_file(dir, "idle", "1");
	s.buffer_sizes[BUFFER_CPU] = 64;
	s.callgraph_depth = 5;
	CHECK(!daemon_write_settings(&s, &d, &e), "%s", e.text);
	CHECK(number_in(dir, "buffer_size") == 2 * 131072, "twice the default");
	CHECK(number_in(dir, "buffer_watershed") == 2 * 32768, "that too");
	CHECK(number_in(dir, "cpu_buffer_size") == 64, "as requested");
	CHECK(number_in(dir, "backtrace_depth") == 5 && s.callgraph_depth == 5, "the depth");
	CHECK(number_in(dir, "idle") == 0, "idle CPUs are only counted");
	s.idle = true;
	CHECK(!daemon_write_settings(&s, &d, &e) && number_in(dir, "idle") == 1, "with --idle");

	/* a file of the kernel that accepts -17 to 15 */
	unlink(depth);
	CHECK(!symlink("/proc/self/oom_adj", depth), "symlink");
	s.callgraph_depth = 64;
	if (file_exists("/proc/self/oom_adj")) {
		CHECK(!daemon_write_settings(&s, &d, &e), "%s", e.text);
		CHECK(!s.callgraph_depth, "still %d", (int)s.callgraph_depth);
	}
	unlink(depth);
	CHECK(daemon_write_settings(&s, &d, &e), "no such file");
	setup_free(&s);
	free(depth);
}

TEST(settings_for_deep_stacks)
{
	static const char *const files[] = { "buffer_size", "buffer_watershed", "cpu_buffer_size",
					     "backtrace_depth", "unwind/memory" };
	char *dir = make_dir(), *unwind = path_join(dir, "unwind");
	struct driver d = { .mount_point = dir };
	struct op_error e = { "" };
	struct setup s;

	setup_init(&s);
	CHECK(!mkdir(unwind, 0700), "%s", unwind);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		write_file(dir, files[i], "");
	s.callgraph_depth = 1024;
	s.frame_pointers_only = true;
	s.buffer_sizes[BUFFER_EVENTS] = 1000000;
	CHECK(!daemon_write_settings(&s, &d, &e), "%s", e.text);
	CHECK(number_in(dir, "buffer_watershed") == 32768, "a size is set: the plain default");
	CHECK(number_in(dir, "cpu_buffer_size") == 16 * 8192, "no more than 16 times");
	s.frame_pointers_only = false;
	CHECK(!daemon_write_settings(&s, &d, &e), "%s", e.text);
	CHECK(number_in(dir, "unwind/memory") == OP_UNWIND_MEMORY, "in KiB");
	/* a module that records all samples has no such file */
	write_file(dir, "idle", "1");
	CHECK(!daemon_write_settings(&s, &d, &e) && !number_in(dir, "idle"), "idle CPUs left out");
	s.idle = true;
	CHECK(!daemon_write_settings(&s, &d, &e) && number_in(dir, "idle") == 1, "recorded");
	setup_free(&s);
	free(unwind);
}

static void check_command(const struct setup *s, bool module, const struct event_plan *plan,
			  const char *want)
{
	const char *range = s->kernel_end ? "1000,2000" : "none";
	const struct collector_choice choice = { .module = module };
	struct strbuf line = STRBUF_INIT;
	struct op_error e = { "" };
	struct words w;

	if (daemon_command(s, &choice, plan, NULL, "oprofiled", &w, &e)) {
		CHECK(false, "%s", e.text);
		return;
	}
	for (size_t i = 0; i < w.nr; i++)
		strbuf_addf(&line, "%s%s", i ? " " : "", w.words[i]);
	CHECK(!w.words[w.nr], "NULL at the end");
	CHECK(!strcmp(line.text, want), "got: %s", line.text);
	CHECK(!strcmp(w.kernel_range ? w.kernel_range : "none", range), "in the environment");
	strbuf_free(&line);
	words_free(&w);
}

TEST(daemon_command_lines)
{
	struct setting all[] = { { SET_SEPARATE, (char *)"all" }, { SET_NO_VMLINUX, NULL },
				 { SET_IMAGE, (char *)"/bin/sh" }, { SET_CALLGRAPH, (char *)"5" },
				 { SET_SESSION_DIR, (char *)"/tmp" }, { SET_IDLE, NULL } };
	struct setting unwind[] = { { SET_CALL_ARCS, NULL }, { SET_UNWIND, (char *)"fp" },
				    { SET_UNWIND_MEMORY, (char *)"16" },
				    { SET_CALLGRAPH, (char *)"1024" },
				    { SET_COLLECTOR, (char *)"perf" },
				    { SET_HISTORY, NULL }, { SET_QUOTA, (char *)"1G" } };
	struct setting image[] = { { SET_VMLINUX, NULL },
				   { SET_KERNEL_RANGE, (char *)"1000,2000" } };
	const struct event_plan by_time = {
		.events = { { .name = "CYCLES", .count = 100000, .kernel = true, .user = true } },
		.nr_events = 1,
	};
	const struct event_plan counts = { .cpu_type = (char *)"x86-64/family10",
					   .events = { { .name = "A", .value = 1, .count = 500,
							 .kernel = true, .user = true } },
					   .nr_events = 1,
					   .ibs = (char *)"ibs:op:IBS_OP_ALL:250000:0x1" };
	char *dir = make_dir(), *path = path_join(dir, "vmlinux"), want[1000];
	struct setup s;

	setup_init(&s);
	check_command(&s, false, &by_time,
		      "oprofiled --session-dir=/var/lib/oprofile --separate-lib=0 "
		      "--separate-kernel=0 --separate-thread=0 --separate-cpu=0 "
		      "--events=CYCLES:0x0:0:100000:0x0:1:1 --collector=auto");
	CHECK(!setup_set(&s, all, ARRAY_SIZE(all), NULL), "set");
	check_command(&s, true, &counts, "oprofiled --session-dir=/tmp --separate-lib=1 "
		      "--separate-kernel=1 --separate-thread=1 --separate-cpu=1 "
		      "--cpu-type=x86-64/family10 --events=A:0x1:0:500:0x0:1:1 "
		      "--ext-feature=ibs:op:IBS_OP_ALL:250000:0x1 "
		      "--no-vmlinux --image=/bin/sh --collector=module --callgraph-depth=5 "
		      "--idle");
	setup_free(&s);

	setup_init(&s);
	CHECK(!setup_set(&s, unwind, ARRAY_SIZE(unwind), NULL), "set");
	check_command(&s, false, &by_time,
		      "oprofiled --session-dir=/var/lib/oprofile --separate-lib=0 "
		      "--separate-kernel=0 --separate-thread=0 --separate-cpu=0 "
		      "--events=CYCLES:0x0:0:100000:0x0:1:1 --collector=perf "
		      "--callgraph-depth=1024 --call-arcs --unwind=fp --unwind-memory=16 "
		      "--history=14d --quota=1G");
	setup_free(&s);

	setup_init(&s);
	image[0].value = path;
	CHECK(kernel_elf_write(path, &(struct kernel_elf) { .symbols = { "_text" } }), "%s", path);
	CHECK(!setup_set(&s, image, 2, NULL), "set");
	snprintf(want, sizeof(want), "oprofiled --session-dir=/var/lib/oprofile --separate-lib=0 "
		 "--separate-kernel=0 --separate-thread=0 --separate-cpu=0 "
		 "--events=CYCLES:0x0:0:100000:0x0:1:1 --vmlinux=%s "
		 "--collector=auto", path);
	check_command(&s, false, &by_time, want);
	setup_free(&s);
	free(path);
}

TEST_MAIN()
