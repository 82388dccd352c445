// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms.c - a cache of the names of tasks
 *
 * Any user can create many tasks: the size of the cache and the number of reads are limited.
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
#define READS_MAX	1000		/* per second */
#define FILE_LIMIT	64		/* bytes */

struct task {
	bool is_known;			/* or known to have no name */
	uint32_t tgid, tid;
	op_word app;
	char name[OP_COMM_WORDS * sizeof(op_word) + 1];
};

struct comms {
	struct task tasks[NR_TASKS];	/* a new one replaces the old one in its place */
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

void comms_free(struct comms *c)
{
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
