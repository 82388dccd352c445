// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroups.c - a table of control groups by id, which may be made without end */
#include "daemon/collect/perf/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

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

/* An id may come again: the last one counts, and so is put in front. */
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
