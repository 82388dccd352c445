// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroups.c - a cache of the control groups of processes
 *
 * Any user can create many processes, and some users many groups: the size of both caches and the
 * number of reads of /proc are limited.
 */
#include <stdlib.h>
#include <string.h>
#include "daemon/collect/cgroup_handle.h"
#include "daemon/collect/collector.h"
#include "daemon/record/cgroups.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define NR_PROCESSES	8192
#define NR_IDS		4096
#define NR_BUCKETS	1024
#define PATHS_MAX	16384
#define REREAD_MS	2000
#define READS_MAX	1000		/* per second */
#define FILE_LIMIT	(64 << 10)	/* bytes */

struct path {
	struct path *next;		/* in its bucket */
	char text[];
};

struct process {
	uint32_t tgid;			/* 0: free */
	op_word app;
	int64_t read_at;		/* ms */
	const char *path;		/* NULL: not known */
};

struct group {
	uint64_t id;			/* 0: free */
	int64_t read_at;		/* ms */
	const char *path;		/* NULL: not known, or the root */
};

struct cgroups {
	struct process processes[NR_PROCESSES];	/* a new one replaces the old one in its place */
	struct group groups[NR_IDS];		/* the same */
	struct collector *collector;
	struct cgroup_mount mount;
	struct path *paths[NR_BUCKETS];
	size_t nr_paths;
	const char *proc;
	int64_t second;
	unsigned int reads;		/* in @second */
};

struct cgroups *cgroups_new(const char *proc, struct collector *collector)
{
	struct cgroups *c = xcalloc(1, sizeof(*c));

	c->collector = collector;
	c->mount.fd = -1;
	c->proc = proc ? proc : "/proc";
	return c;
}

void cgroups_free(struct cgroups *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		while (c->paths[i]) {
			struct path *path = c->paths[i];

			c->paths[i] = path->next;
			free(path);
		}
	cgroup_mount_close(&c->mount);
	free(c);
}

/* The only copy of @text, so that equal paths are one pointer. NULL: there are too many. */
static const char *intern_path(struct cgroups *c, const char *text)
{
	struct path **bucket = &c->paths[hash_foreign(text, strlen(text)) % NR_BUCKETS], *path;
	size_t size = strlen(text) + 1;

	for (path = *bucket; path; path = path->next)
		if (!strcmp(path->text, text))
			return path->text;
	if (c->nr_paths == PATHS_MAX)
		return NULL;
	if (++c->nr_paths == PATHS_MAX)
		log_line("too many control groups: samples of groups after the first %d are not "
			 "separated", PATHS_MAX);
	path = xmalloc(sizeof(*path) + size);
	memcpy(path->text, text, size);
	path->next = *bucket;
	*bucket = path;
	return path->text;
}

static void remove_suffix(char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	if (n > m && !strcmp(text + n - m, end))
		text[n - m] = '\0';
}

char *cgroup_path(char *text)
{
	char *best = NULL, *line, *rest = text;
	int best_rank = 0;

	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':'), *path;
		int rank;

		path = controllers ? strchr(++controllers, ':') : NULL;
		if (!path || path[1] != '/')
			continue;
		*path++ = '\0';
		rank = !path[1] ? 1 : !*controllers ? 4 : !strncmp(controllers, "name=", 5) ? 3 : 2;
		if (rank > best_rank) {
			best_rank = rank;
			best = path;
		}
	}
	if (best)
		remove_suffix(best, " (deleted)");
	return best;
}

static const char *read_path(struct cgroups *c, uint32_t tgid)
{
	char *name = xasprintf("%s/%u/cgroup", c->proc, tgid), *text = NULL, *found = NULL;
	const char *path = NULL;

	if (!file_read_all(name, FILE_LIMIT, &text, NULL))
		found = cgroup_path(text);
	if (found)
		path = intern_path(c, found);
	free(text);
	free(name);
	return path;
}

static bool can_read(struct cgroups *c, int64_t now)
{
	if (now / 1000 != c->second) {
		c->second = now / 1000;
		c->reads = 0;
	}
	return c->reads++ < READS_MAX;
}

/* Malloc'd, or NULL. */
static char *read_path_of_id(struct cgroups *c, uint64_t id)
{
	struct collector *collector = c->collector;
	char *path;

	if (collector && collector->cgroup_path && !collector->cgroup_path(collector, id, &path))
		return path;
	if (c->mount.fd < 0 && !cgroup_mount_open(&c->mount))
		return NULL;
	return cgroup_handle_path(&c->mount, id);
}

/*
 * NULL: not known. A process that is in a group of version 1 only is in the root of version 2's
 * hierarchy, so the root means nothing.
 */
static const char *path_of_id(struct cgroups *c, uint64_t id, int64_t now)
{
	struct group *g = &c->groups[hash_u64(id) % NR_IDS];
	char *text;

	if (g->id == id && (g->path || now - g->read_at < REREAD_MS))
		return g->path;
	if (!can_read(c, now))
		return NULL;
	text = read_path_of_id(c, id);
	*g = (struct group){ .id = id, .read_at = now };
	if (text && strcmp(text, "/"))
		g->path = intern_path(c, text);
	free(text);
	return g->path;
}

const char *cgroups_of(struct cgroups *c, uint32_t tgid, op_word app, uint64_t id)
{
	struct process *p = &c->processes[hash_u64(tgid) % NR_PROCESSES];
	int64_t now = (int64_t)(clock_ns(CLOCK_MONOTONIC_COARSE) / NS_PER_MS);
	const char *path;

	if (!tgid)
		return NULL;		/* idle */
	path = id ? path_of_id(c, id, now) : NULL;
	if (path)
		return path;
	if (p->tgid != tgid)
		*p = (struct process){ .tgid = tgid };
	else if (p->app == app && now - p->read_at < REREAD_MS)
		return p->path;
	if (!can_read(c, now))
		return p->path;
	path = read_path(c, tgid);
	if (path)
		p->path = path;
	p->app = app;
	p->read_at = now;
	return p->path;
}
