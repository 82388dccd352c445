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
#include "daemon/collect/perf/proc_files.h"
#include "daemon/record/comms.h"
#include "daemon/record/start_names.h"
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
	struct start_names *start_names;
	size_t nr_requested, nr_stale;	/* not taken yet; of them those of an earlier session */
	const char *proc;
	time_t second;
	unsigned int reads;		/* in @second */
};

struct comms *comms_new(const char *proc)
{
	struct comms *c = xcalloc(1, sizeof(*c));

	c->proc = proc ? proc : "/proc";
	c->start_names = start_names_new(c->proc);
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
	start_names_free(c->start_names);
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
	uint64_t hash = hash_mix(hash_seed() ^ (uint64_t)p->tgid, (uint64_t)p->tid);

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

	c->nr_stale = c->nr_requested;
	forget_lines(c);
	free(c->stats_dir);
	c->stats_dir = xstrdup(stats_dir);
	if (session_processes_read(stats_dir, &earlier, NULL))
		return;
	for (size_t i = 0; i < earlier.nr; i++)
		(void)add_line(c, &earlier.processes[i]);
	session_processes_free(&earlier);
}

static void record(struct comms *c, const struct start_name *name)
{
	struct session_process p = {
		.tgid = name->by_thread ? (int64_t)name->tgid : SAMPLE_ALL,
		.tid = name->by_thread ? (int64_t)name->tid : SAMPLE_ALL,
		.comm = name->comm,
		.started_as = name->started_as,
		.app = name->path,
	};

	/* samples of an exec may come with the new name and the old program: one thread's matter */
	if (*name->path && !name->executes) {
		p.started_as = "";
		p.comm = name->by_thread ? name->noted : "";
	}
	if ((*p.comm || *p.started_as) && add_line(c, &p))
		(void)session_processes_append(c->stats_dir, &p);	/* else without names */
}

static void record_read(struct comms *c)
{
	struct start_name name;

	while (start_names_take(c->start_names, &name)) {
		if (c->nr_stale)	/* of the session before */
			c->nr_stale--;
		else
			record(c, &name);
		c->nr_requested--;
		start_name_free(&name);
	}
}

void comms_finish(struct comms *c)
{
	if (c->nr_requested)
		start_names_wait(c->start_names);
	record_read(c);
}

/* By the thread that drains, because the other one has too much to do or is held up. */
static bool executes(const struct comms *c, uint32_t tgid, const char *path)
{
	char program[PATH_MAX];

	return !proc_files_read_program(c->proc, tgid, program, NULL) &&
	       start_names_executes(program, path);
}

void comms_record(struct comms *c, uint32_t tgid, uint32_t tid, op_word app, const char *path,
		  const char *noted, bool by_thread)
{
	struct recorded *slot = &c->recorded[tid % NR_TASKS];
	struct start_name name = { .tgid = tgid, .tid = tid, .by_thread = by_thread };

	if (!tid || !c->stats_dir || (slot->tid == tid && slot->tgid == tgid && slot->app == app))
		return;
	if (tid != tgid)	/* it names the process, and may have no samples */
		comms_record(c, tgid, tgid, app, path, "", by_thread);
	record_read(c);
	name.path = xstrdup(path);
	name.comm = xstrdup(comms_of(c, tgid, tid, app, noted));
	name.noted = xstrdup(noted);
	if (can_read(c) && start_names_request(c->start_names, &name)) {
		c->nr_requested++;
	} else {
		name.executes = *path && executes(c, tgid, path);
		record(c, &name);
		start_name_free(&name);
	}
	*slot = (struct recorded){ tgid, tid, app };
}
