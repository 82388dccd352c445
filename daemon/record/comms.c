// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms.c - a cache of the names of tasks
 *
 * Any user can create many tasks: the size of the cache and the number of reads are limited.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/record/comms.h"
#include "libdb/session/name.h"
#include "libdb/session/processes.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

#define NR_TASKS	8192
#define READS_MAX	1000		/* per second */
#define FILE_LIMIT	64		/* bytes */
#define ARGUMENTS_LIMIT	256		/* bytes of the first argument */

struct task {
	bool is_known;			/* or known to have no name */
	uint32_t tgid, tid;
	op_word app;
	char name[OP_COMM_WORDS * sizeof(op_word) + 1];
};

/* A task that was recorded last of those in its place. */
struct recorded {
	uint32_t tgid, tid;		/* @tid 0: none */
	op_word app;
};

struct comms {
	struct task tasks[NR_TASKS];	/* a new one replaces the old one in its place */
	struct recorded recorded[NR_TASKS];
	char *stats_dir;		/* of the session; NULL: none */
	struct hash_table listed;	/* of @lines: what is in the session's list */
	uint64_t *lines;		/* hashes */
	size_t nr_lines, room;
	const char *proc;
	time_t second;
	unsigned int reads;		/* in @second */
};

struct comms *comms_new(const char *proc)
{
	struct comms *c = xcalloc(1, sizeof(*c));

	c->proc = proc ? proc : "/proc";
	return c;
}

static void forget_lines(struct comms *c)
{
	memset(c->recorded, 0, sizeof(c->recorded));
	hash_table_free(&c->listed);
	c->listed = (struct hash_table){ 0 };
	free(c->lines);
	c->lines = NULL;
	c->nr_lines = c->room = 0;
}

void comms_free(struct comms *c)
{
	if (!c)
		return;
	forget_lines(c);
	free(c->stats_dir);
	free(c);
}

static bool can_read(struct comms *c)
{
	time_t now = (time_t)(clock_ns(CLOCK_MONOTONIC_COARSE) / NS_PER_SECOND);

	if (now != c->second) {
		c->second = now;
		c->reads = 0;
	}
	return c->reads++ < READS_MAX;
}

/* The file has the name and a newline; the name may contain newlines, too. */
static void read_name(const struct comms *c, struct task *t)
{
	char *path = xasprintf("%s/%" PRIu32 "/task/%" PRIu32 "/comm", c->proc, t->tgid, t->tid);
	char *text = NULL;
	size_t len;

	if (!file_read_all(path, FILE_LIMIT, &text, NULL)) {
		len = strlen(text);
		if (len && text[len - 1] == '\n')
			text[len - 1] = '\0';
		snprintf(t->name, sizeof(t->name), "%s", text);
	}
	free(text);
	free(path);
}

const char *comms_of(struct comms *c, uint32_t tgid, uint32_t tid, op_word app, const char *noted)
{
	struct task *t = &c->tasks[tid % NR_TASKS];

	if (*noted)
		return noted;
	if (!tid)
		return "swapper";	/* idle: not in /proc */
	if (t->is_known && t->tid == tid && t->tgid == tgid && t->app == app)
		return t->name;
	if (!can_read(c))
		return "";
	*t = (struct task){ .is_known = true, .tgid = tgid, .tid = tid, .app = app };
	read_name(c, t);
	return t->name;
}

static uint64_t line_hash(const struct session_process *p)
{
	uint64_t hash = hash_mix((uint64_t)p->tgid, (uint64_t)p->tid);

	hash = hash_mix(hash, hash_string(p->comm));
	hash = hash_mix(hash, hash_string(p->started_as));
	return hash_mix(hash, hash_string(p->app));
}

static bool is_hash(const void *lines, uint32_t i, const void *key)
{
	return ((const uint64_t *)lines)[i] == *(const uint64_t *)key;
}

/* Returns false if the line is known, or there is no room for another. */
static bool add_line(struct comms *c, const struct session_process *p)
{
	uint64_t hash = line_hash(p);

	if (c->nr_lines == SESSION_PROCESSES_MAX ||
	    hash_table_find(&c->listed, hash, is_hash, c->lines, &hash) != HASH_NONE)
		return false;
	xgrow(c->lines, c->nr_lines, c->room);
	hash_table_add(&c->listed, hash, (uint32_t)c->nr_lines);
	c->lines[c->nr_lines++] = hash;
	return true;
}

void comms_set_session(struct comms *c, const char *stats_dir)
{
	struct session_processes earlier = { 0 };

	forget_lines(c);
	free(c->stats_dir);
	c->stats_dir = xstrdup(stats_dir);
	if (session_processes_read(stats_dir, &earlier, NULL))
		return;
	for (size_t i = 0; i < earlier.nr; i++)
		(void)add_line(c, &earlier.processes[i]);
	session_processes_free(&earlier);
}

/* "": the process has ended, or is one of the kernel. */
static void read_started_as(const struct comms *c, uint32_t tgid, char name[ARGUMENTS_LIMIT])
{
	char *path = xasprintf("%s/%" PRIu32 "/cmdline", c->proc, tgid);

	/* each argument ends in a NUL: this is the first */
	if (file_read_line(path, name, ARGUMENTS_LIMIT))
		*name = '\0';
	session_started_as(name);
	free(path);
}

/*
 * Does it still execute that file? If it has executed another one since the sample, its names are
 * those of the other. The last parts of the paths are compared: the rest may differ in a container.
 */
static bool executes(const struct comms *c, uint32_t tgid, const char *app)
{
	static const char deleted[] = " (deleted)";
	char *path = xasprintf("%s/%" PRIu32 "/exe", c->proc, tgid), link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof(link) - 1);

	free(path);
	if (n < 0)
		return false;
	link[n] = '\0';
	if (n >= (ssize_t)sizeof(deleted) && !strcmp(link + n - (sizeof(deleted) - 1), deleted))
		link[n - (ssize_t)(sizeof(deleted) - 1)] = '\0';
	return !strcmp(path_base(link), path_base(app));
}

void comms_record(struct comms *c, uint32_t tgid, uint32_t tid, op_word app, const char *path,
		  const char *noted, bool by_thread)
{
	struct recorded *slot = &c->recorded[tid % NR_TASKS];
	char started_as[ARGUMENTS_LIMIT];
	struct session_process p = { .app = path, .started_as = started_as };

	if (!tid || !c->stats_dir || (slot->tid == tid && slot->tgid == tgid && slot->app == app))
		return;
	if (tid != tgid)	/* it names the process, and may have no samples */
		comms_record(c, tgid, tgid, app, path, "", by_thread);
	p.tgid = by_thread ? (int64_t)tgid : SAMPLE_ALL;
	p.tid = by_thread ? (int64_t)tid : SAMPLE_ALL;
	p.comm = comms_of(c, tgid, tid, app, noted);
	*started_as = '\0';
	if (can_read(c))
		read_started_as(c, tgid, started_as);
	/* samples of an exec may come with the new name and the old program: one thread's matter */
	if (*path && !executes(c, tgid, path)) {
		*started_as = '\0';
		p.comm = by_thread ? noted : "";
	}
	if ((*p.comm || *started_as) && add_line(c, &p))
		(void)session_processes_append(c->stats_dir, &p);	/* else without names */
	*slot = (struct recorded){ tgid, tid, app };
}
