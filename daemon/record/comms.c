// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms.c - a cache of tasks' names
 *
 * Anybody can make tasks, as many as he likes: the cache has an end, and readings are rationed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/comms.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define NR_TASKS	8192
#define READINGS_MAX	1000		/* per second */
#define FILE_LIMIT	64		/* bytes */

struct task {
	bool is_known;			/* also that it has no name */
	uint32_t tgid, tid;
	op_word app;
	char name[OP_COMM_WORDS * sizeof(op_word) + 1];
};

struct comms {
	struct task tasks[NR_TASKS];	/* who comes to a place takes it */
	const char *proc;
	time_t second;
	unsigned int readings;		/* in @second */
};

struct comms *comms_new(const char *proc)
{
	struct comms *c = xcalloc(1, sizeof(*c));

	c->proc = proc ? proc : "/proc";
	return c;
}

void comms_free(struct comms *c)
{
	free(c);
}

static bool may_read(struct comms *c)
{
	time_t now = (time_t)(clock_ns(CLOCK_MONOTONIC_COARSE) / NS_PER_SECOND);

	if (now != c->second) {
		c->second = now;
		c->readings = 0;
	}
	return c->readings++ < READINGS_MAX;
}

/* The file has the name and a newline; another newline may be part of the name. */
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

const char *comms_of(struct comms *c, uint32_t tgid, uint32_t tid, op_word app, const char *told)
{
	struct task *t = &c->tasks[tid % NR_TASKS];

	if (*told)
		return told;
	if (!tid)
		return "swapper";	/* idle: not in /proc */
	if (t->is_known && t->tid == tid && t->tgid == tgid && t->app == app)
		return t->name;
	if (!may_read(c))
		return "";
	*t = (struct task){ .is_known = true, .tgid = tgid, .tid = tid, .app = app };
	read_name(c, t);
	return t->name;
}
