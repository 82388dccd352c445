// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroups.c - a cache of processes' control groups
 *
 * Anybody can make processes, and who may make groups can make many of these: both caches have
 * an end, and readings of /proc are rationed.
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
#define READ_AGAIN	2000		/* ms */
#define READINGS_MAX	1000		/* per second */
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

struct told {
	uint64_t id;			/* 0: free */
	int64_t looked_at;		/* ms */
	const char *path;		/* NULL: not to be had, or the root */
};

struct cgroups {
	struct process processes[NR_PROCESSES];	/* who comes to a place takes it */
	struct told told[NR_IDS];		/* the same */
	struct collector *collector;
	struct cgroup_mount mount;
	struct path *paths[NR_BUCKETS];
	size_t nr_paths;
	const char *proc;
	int64_t second;
	unsigned int readings;		/* in @second */
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

static const char *only_path(struct cgroups *c, const char *text)
{
	struct path **bucket = &c->paths[hash_string(text) % NR_BUCKETS], *path;
	size_t size = strlen(text) + 1;

	for (path = *bucket; path; path = path->next)
		if (!strcmp(path->text, text))
			return path->text;
	if (c->nr_paths == PATHS_MAX)
		return NULL;
	if (++c->nr_paths == PATHS_MAX)
		log_line("%d control groups were seen: samples of further ones are not kept apart",
			 PATHS_MAX);
	path = xmalloc(sizeof(*path) + size);
	memcpy(path->text, text, size);
	path->next = *bucket;
	*bucket = path;
	return path->text;
}

static void cut_end(char *text, const char *end)
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
		cut_end(best, " (deleted)");
	return best;
}

static const char *read_path(struct cgroups *c, uint32_t tgid)
{
	char *name = xasprintf("%s/%u/cgroup", c->proc, tgid), *text = NULL, *found = NULL;
	const char *path = NULL;

	if (!file_read_all(name, FILE_LIMIT, &text, NULL))
		found = cgroup_path(text);
	if (found)
		path = only_path(c, found);
	free(text);
	free(name);
	return path;
}

static bool may_read(struct cgroups *c, int64_t now)
{
	if (now / 1000 != c->second) {
		c->second = now / 1000;
		c->readings = 0;
	}
	return c->readings++ < READINGS_MAX;
}

/* Malloc'd, or NULL. */
static char *ask_for_path(struct cgroups *c, uint64_t id)
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
 * NULL: not known. In the root of version 2's hierarchy is also who is in a group of version 1's
 * only, so that says nothing.
 */
static const char *path_of_id(struct cgroups *c, uint64_t id, int64_t now)
{
	struct told *t = &c->told[hash_u64(id) % NR_IDS];
	char *text;

	if (t->id == id && (t->path || now - t->looked_at < READ_AGAIN))
		return t->path;
	if (!may_read(c, now))
		return NULL;
	text = ask_for_path(c, id);
	*t = (struct told){ .id = id, .looked_at = now };
	if (text && strcmp(text, "/"))
		t->path = only_path(c, text);
	free(text);
	return t->path;
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
	else if (p->app == app && now - p->read_at < READ_AGAIN)
		return p->path;
	if (!may_read(c, now))
		return p->path;
	path = read_path(c, tgid);
	if (path)
		p->path = path;
	p->app = app;
	p->read_at = now;
	return p->path;
}
