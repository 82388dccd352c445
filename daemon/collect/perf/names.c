// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - a hash table of control groups, and task names in slots by thread id */
#include "daemon/collect/perf/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "oprofilefs/op_abi.h"

/* ---- control groups ---- */

#define NR_BUCKETS	4096

struct group {
	struct group *next;		/* in its bucket */
	uint64_t id;
	char path[];
};

struct perf_cgroups {
	struct group *buckets[NR_BUCKETS];
	size_t nr;
};

struct perf_cgroups *perf_cgroups_new(void)
{
	return xcalloc(1, sizeof(struct perf_cgroups));
}

static void forget_all(struct perf_cgroups *g)
{
	for (size_t i = 0; i < NR_BUCKETS; i++)
		while (g->buckets[i]) {
			struct group *group = g->buckets[i];

			g->buckets[i] = group->next;
			free(group);
		}
	g->nr = 0;
}

void perf_cgroups_free(struct perf_cgroups *g)
{
	if (!g)
		return;
	forget_all(g);
	free(g);
}

/* An id may be reused: the newest comes first in its bucket. */
void perf_cgroups_add(struct perf_cgroups *g, uint64_t id, const char *path)
{
	struct group **bucket = &g->buckets[hash_u64(id) % NR_BUCKETS], *group;
	size_t size = strlen(path) + 1;

	if (g->nr == PERF_CGROUPS_MAX)
		forget_all(g);
	group = xmalloc(sizeof(*group) + size);
	group->next = *bucket;
	group->id = id;
	memcpy(group->path, path, size);
	*bucket = group;
	g->nr++;
}

const char *perf_cgroups_find(const struct perf_cgroups *g, uint64_t id)
{
	const struct group *group = g->buckets[hash_u64(id) % NR_BUCKETS];

	while (group && group->id != id)
		group = group->next;
	return group ? group->path : NULL;
}

/* ---- tasks ---- */

struct task {
	uint32_t tid;			/* 0: free, as idle tasks never rename themselves */
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

/* A new task has its parent's name, not that of the last task with its id. */
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
