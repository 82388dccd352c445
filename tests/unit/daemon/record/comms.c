// SPDX-License-Identifier: GPL-2.0-or-later
/* comms.c - the list of tasks with samples: their names, each once, of what they execute */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/record/comms.h"
#include "libdb/session/name.h"
#include "libdb/session/processes.h"
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static char proc[300], stats[300];

static void put_proc_file(const char *path, const char *name, const char *text, size_t len)
{
	char file[600];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	f = fopen(file, "w");
	CHECK(f && fwrite(text, 1, len, f) == len && !fclose(f), "%s", file);
}

/* A process of one more thread, tid + 1. */
static void make_process(unsigned int tgid, const char *comm, const char *cmdline, const char *exe)
{
	char path[400], link[600];

	snprintf(path, sizeof(path), "%s/%u/task/%u", proc, tgid, tgid);
	CHECK(!file_make_dirs(path, 0755), "%s", path);
	put_proc_file(path, "comm", comm, strlen(comm));
	snprintf(path, sizeof(path), "%s/%u/task/%u", proc, tgid, tgid + 1);
	CHECK(!file_make_dirs(path, 0755), "%s", path);
	put_proc_file(path, "comm", "thread\n", 7);
	snprintf(path, sizeof(path), "%s/%u", proc, tgid);
	put_proc_file(path, "cmdline", cmdline, strlen(cmdline) + 1);
	snprintf(link, sizeof(link), "%s/exe", path);
	(void)unlink(link);
	CHECK(!symlink(exe, link), "%s", link);
}

static struct comms *prepare(void)
{
	struct comms *c;

	tmpdir_make();
	snprintf(proc, sizeof(proc), "%s/proc", tmpdir);
	snprintf(stats, sizeof(stats), "%s/stats", tmpdir);
	CHECK(!mkdir(stats, 0755), "%s", stats);
	make_process(70, "redis-server\n", "redis-server *:6379", "/usr/bin/redis-check-rdb");
	c = comms_new(proc);
	comms_set_session(c, stats);
	return c;
}

static void check_list(struct comms *c, const char *want)
{
	char path[400], *text = NULL;

	comms_finish(c);
	snprintf(path, sizeof(path), "%s/processes", stats);
	(void)file_read_all(path, 1 << 20, &text, NULL);
	CHECK(!strcmp(text ? text : "", want), "'%s'", text ? text : "none");
	free(text);
}

static size_t count_lines(void)
{
	struct session_processes all = { 0 };
	size_t nr = session_processes_read(stats, &all, NULL) ? 0 : all.nr;

	session_processes_free(&all);
	return nr;
}

#define REDIS "/usr/bin/redis-check-rdb"

TEST(by_name)
{
	struct comms *c = prepare();

	comms_record(c, 70, 70, 1, REDIS, "", false);
	comms_record(c, 70, 71, 1, REDIS, "", false);
	comms_record(c, 70, 70, 1, REDIS, "", false);
	make_process(80, "redis-server\n", "redis-server *:6380", REDIS);
	comms_record(c, 80, 80, 1, REDIS, "", false);
	check_list(c, "- - redis-server redis-server " REDIS "\n"
		   "- - thread redis-server " REDIS "\n");
	comms_free(c);
	c = comms_new(proc);
	comms_set_session(c, stats);	/* of an earlier daemon */
	comms_record(c, 80, 80, 1, REDIS, "", false);
	check_list(c, "- - redis-server redis-server " REDIS "\n"
		   "- - thread redis-server " REDIS "\n");
	comms_free(c);
}

TEST(by_thread)
{
	struct comms *c = prepare();

	comms_record(c, 70, 71, 1, REDIS, "noted", true);
	comms_record(c, 0, 0, 0, "", "", true);
	comms_record(c, 9, 9, 0, "", "kworker/0:1", true);
	check_list(c, "70 70 redis-server redis-server " REDIS "\n70 71 noted redis-server " REDIS
		   "\n9 9 kworker/0:1 - -\n");
	comms_free(c);
}

/* Samples are looked at later than they are taken. */
TEST(executes_another_program)
{
	struct comms *c = prepare();

	comms_record(c, 70, 70, 1, "/bin/sh", "", false);
	check_list(c, "");
	comms_record(c, 70, 70, 2, "/bin/dash", "sh", false);
	comms_record(c, 75, 75, 2, "/bin/gone", "gone", false);
	check_list(c, "");
	comms_record(c, 70, 70, 3, "/bin/dash", "sh", true);
	check_list(c, "70 70 sh - /bin/dash\n");
	comms_record(c, 70, 70, 4, REDIS, "", false);
	check_list(c, "70 70 sh - /bin/dash\n- - redis-server redis-server " REDIS "\n");
	comms_free(c);
}

TEST(removed_and_hostile)
{
	struct comms *c = prepare();
	char name[600];

	make_process(90, "a b\nc\n", "x\ny", "/tmp/evil (deleted)");
	comms_record(c, 90, 90, 1, "/tmp/evil", "", false);
	check_list(c, "- - a\\040b\\012c x /tmp/evil\n");
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	make_process(92, "long\n", name, "/tmp/long");
	comms_record(c, 92, 92, 2, "/tmp/long", "", false);
	name[255] = '\0';
	comms_finish(c);
	{
		struct session_processes all = { 0 };

		CHECK(!session_processes_read(stats, &all, NULL) && all.nr == 2, "%zu", all.nr);
		CHECK(!strcmp(all.processes[1].started_as, name), "%zu characters",
		      strlen(all.processes[1].started_as));
		session_processes_free(&all);
	}
	comms_free(c);
}

/* A process may map its arguments from a file system that never answers: a fifo stands in. */
TEST(held_up)
{
	struct comms *c = prepare();
	char path[400];
	int fd;

	make_process(60, "hostile\n", "", "/tmp/hostile");
	snprintf(path, sizeof(path), "%s/60/cmdline", proc);
	CHECK(!unlink(path) && !mkfifo(path, 0600), "%s", path);
	comms_record(c, 60, 60, 1, "/tmp/hostile", "", false);
	comms_record(c, 70, 70, 1, REDIS, "", false);
	check_list(c, "");
	check_list(c, "");		/* is not waited for again */
	comms_set_session(c, stats);
	comms_record(c, 80, 80, 1, "/bin/gone", "", false);
	/* it answers: what was asked for another session is not used */
	fd = open(path, O_WRONLY);
	CHECK(fd >= 0 && !close(fd), "%s", path);
	comms_record(c, 70, 71, 1, REDIS, "", false);
	while (comms_finish(c), count_lines() < 2)
		usleep(1000);
	check_list(c, "- - redis-server redis-server " REDIS "\n"
		   "- - thread redis-server " REDIS "\n");
	comms_free(c);
	c = comms_new(proc);
	comms_set_session(c, stats);
	comms_record(c, 60, 60, 1, "/tmp/hostile", "", false);
	comms_free(c);			/* leaves the thread behind */
}

TEST(bounded)
{
	struct comms *c = prepare();
	struct session_processes all = { 0 };
	char name[20];

	for (unsigned int i = 1; i <= SESSION_PROCESSES_MAX + 10; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		comms_record(c, i, i, 1, "", name, true);
	}
	comms_finish(c);
	CHECK(!session_processes_read(stats, &all, NULL) && all.nr == SESSION_PROCESSES_MAX, "%zu",
	      all.nr);
	session_processes_free(&all);
	comms_free(c);
}

TEST_MAIN()
