// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parts.c - the session's parts in memory, and their index on the disk when it is needed
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/parts.h"
#include "daemon/record/set_aside.h"
#include "libdb/session/parts.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define NR_BUCKETS	1024

struct part {
	struct parts *all;
	struct part *next;		/* in its bucket */
	char *build_id, *cgroup;
	bool in_index;
	size_t number;			/* in the index */
};

struct parts {
	struct part *buckets[NR_BUCKETS];
	size_t nr;			/* in memory, among them all of the index */
	char *stats_dir;
	struct session_parts index;
	int index_err;			/* it could not be read, so no part can be made */
	struct op_error index_why, full;
};

struct parts *parts_new(void)
{
	struct parts *all = xcalloc(1, sizeof(*all));

	all->stats_dir = xstrdup("");
	return all;
}

static void forget(struct parts *all)
{
	for (size_t i = 0; i < NR_BUCKETS; i++)
		while (all->buckets[i]) {
			struct part *part = all->buckets[i];

			all->buckets[i] = part->next;
			free(part->build_id);
			free(part->cgroup);
			free(part);
		}
	session_parts_free(&all->index);
	all->nr = 0;
	all->full.text[0] = '\0';
}

void parts_free(struct parts *all)
{
	if (!all)
		return;
	forget(all);
	free(all->stats_dir);
	free(all);
}

static int set_broken_aside(struct parts *all)
{
	char *dir = path_join(all->stats_dir, "parts"), *name;
	int err = set_aside(dir, &name);

	if (!err) {
		log_line("%s; renamed the session's parts to '%s' and started new ones",
			 all->index_why.text, name);
		free(name);
	}
	free(dir);
	return err;
}

static void read_index(struct parts *all)
{
	int err = session_parts_read(all->stats_dir, &all->index, &all->index_why);

	if (err == -EPROTO)
		err = set_broken_aside(all);
	all->index_err = err == -ENOENT ? 0 : err;
}

static struct part **find(struct parts *all, const char *build_id, const char *cgroup)
{
	uint64_t h = hash_mix(hash_string(build_id), hash_string(cgroup));
	struct part **at = &all->buckets[h % NR_BUCKETS];

	while (*at && (strcmp((*at)->build_id, build_id) || strcmp((*at)->cgroup, cgroup)))
		at = &(*at)->next;
	return at;
}

static struct part *add(struct parts *all, struct part **at, const char *build_id,
			const char *cgroup)
{
	struct part *part = xcalloc(1, sizeof(*part));

	part->all = all;
	part->build_id = xstrdup(build_id);
	part->cgroup = xstrdup(cgroup);
	all->nr++;
	*at = part;
	return part;
}

void parts_set_session(struct parts *all, const char *stats_dir)
{
	forget(all);
	free(all->stats_dir);
	all->stats_dir = xstrdup(stats_dir);
	read_index(all);
	for (size_t i = 0; i < all->index.nr; i++) {
		const struct session_part *there = &all->index.parts[i];
		struct part **at = find(all, there->build_id, there->cgroup);

		if (*at)		/* of equal lines the first counts */
			continue;
		add(all, at, there->build_id, there->cgroup);
		(*at)->in_index = true;
		(*at)->number = i;
	}
}

struct part *parts_get(struct parts *all, const char *build_id, const char *cgroup)
{
	struct part **at = find(all, build_id, cgroup);

	if (*at)
		return *at;
	if (all->nr < SESSION_PARTS_MAX)
		return add(all, at, build_id, cgroup);
	if (!all->full.text[0]) {
		op_error_set(&all->full, 0, "the session has %d parts: samples of further builds "
			     "are lost, and control groups not separated; begin a new session with "
			     "opcontrol --save=NAME", SESSION_PARTS_MAX);
		log_line("%s", all->full.text);
	}
	return NULL;
}

int part_make(struct part *part, struct op_error *e)
{
	struct parts *all = part->all;
	int err = all->index_err;

	if (part->in_index)
		return 0;
	if (err)
		return op_error_set(e, err, "cannot read '%s/parts/index': %s", all->stats_dir,
				    strerror(-err));
	err = session_parts_get(all->stats_dir, &all->index, part->build_id, part->cgroup,
				&part->number);
	if (err)
		return op_error_set(e, err, "cannot write '%s/parts/index': %s", all->stats_dir,
				    strerror(-err));
	part->in_index = true;
	return 0;
}

void part_add_path(const struct part *part, struct strbuf *path)
{
	char *dir = session_part_path(part->all->stats_dir, part->in_index ? part->number : 0);

	strbuf_add(path, dir);
	free(dir);
}

const char *parts_trouble(const struct parts *all)
{
	return all->full.text;
}
