// SPDX-License-Identifier: GPL-2.0-or-later
/* comms.c - a table of names by the tasks' numbers, which the kernel gives in order */
#include "daemon/collect/perf/comms.h"

#include <stdio.h>
#include <stdlib.h>

#include "libutil/xalloc.h"
#include "oprofilefs/op_abi.h"

struct task {
	uint32_t tid;			/* 0: free; the idle tasks change their names never */
	char name[OP_COMM_WORDS * sizeof(op_word) + 1];
};

struct perf_comms {
	struct task tasks[PERF_COMMS_MAX];
};

struct perf_comms *perf_comms_new(void)
{
	return xcalloc(1, sizeof(struct perf_comms));
}

void perf_comms_free(struct perf_comms *c)
{
	free(c);
}

static void name_task(struct perf_comms *c, uint32_t tid, const char *name)
{
	struct task *t = &c->tasks[tid % PERF_COMMS_MAX];

	t->tid = tid;
	snprintf(t->name, sizeof(t->name), "%s", name);
}

/* A new task is called as its maker is; what the last one with its number was called is void. */
static void inherit(struct perf_comms *c, uint32_t tid, uint32_t parent)
{
	const struct task from = c->tasks[parent % PERF_COMMS_MAX];

	name_task(c, tid, from.tid == parent ? from.name : "");
}

void perf_comms_change(struct perf_comms *c, const struct perf_record *r)
{
	if (r->kind == PERF_KIND_EXEC || r->kind == PERF_KIND_COMM)
		name_task(c, r->tid, r->comm);
	else if (r->kind == PERF_KIND_FORK)
		inherit(c, r->tid, r->parent_tid);
}

const char *perf_comms_find(const struct perf_comms *c, uint32_t tid)
{
	const struct task *t = &c->tasks[tid % PERF_COMMS_MAX];

	return t->tid == tid ? t->name : "";
}
