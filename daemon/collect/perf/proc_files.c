// SPDX-License-Identifier: GPL-2.0-or-later
/* proc_files.c - see proc_files.h */
#include "daemon/collect/perf/proc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/errand.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/list.h"

#define ASIDE_NS	NS_PER_SECOND
#define NR_ASIDE	64		/* processes; a new one replaces the old one */
#define PLACES		0x70726f63	/* no device's number */

struct aside {
	uint32_t tgid;
	uint64_t until;
};
/* Its links need not the lock of its memory. */
static struct aside memory_aside[NR_ASIDE], links_aside[NR_ASIDE];

static int run(struct aside *all, uint32_t tgid, struct errand *e, size_t size)
{
	struct aside *aside = &all[tgid % NR_ASIDE];
	int err;

	if (aside->tgid == tgid && now_ns() < aside->until)
		return -EAGAIN;
	e->place = hash_mix((uint64_t)(all == links_aside) << 32 | PLACES, tgid);
	e->fd = -1;
	e->kind = ERRAND_BRIEF;
	err = errand_run(e, size);
	if (err != -ETIMEDOUT)
		return err;
	*aside = (struct aside){ tgid, now_ns() + ASIDE_NS };
	return -EAGAIN;
}

struct reading {
	struct errand errand;
	char path[PATH_MAX];
	size_t limit;
	char *text;			/* NULL: none */
	int err;
};

static int read_maps(struct errand *e)
{
	struct reading *r = container_of(e, struct reading, errand);

	r->err = file_read_all(r->path, r->limit, &r->text, NULL);
	return 0;
}

static void drop_text(struct errand *e)
{
	free(container_of(e, struct reading, errand)->text);
}

int proc_files_read_maps(const char *proc, uint32_t tgid, size_t limit, char **ret)
{
	struct reading r = { .errand = { .run = read_maps, .drop = drop_text }, .limit = limit };
	int err;

	snprintf(r.path, sizeof(r.path), "%s/%u/maps", proc, tgid);
	err = run(memory_aside, tgid, &r.errand, sizeof(r));
	if (!err)
		err = r.err;
	if (!err)
		*ret = r.text;
	return err;
}

struct following {
	struct errand errand;
	const char *proc;		/* stays */
	uint32_t tgid;
	bool wants_handle;
	int err;
	char path[PATH_MAX];		/* of the program */
};

static int find_program(struct errand *e)
{
	struct following *f = container_of(e, struct following, errand);

	f->err = opener_program(f->proc, f->tgid, f->path, sizeof(f->path),
				f->wants_handle ? &e->opened : NULL);
	return 0;
}

static int open_root(struct errand *e)
{
	struct following *f = container_of(e, struct following, errand);

	snprintf(f->path, sizeof(f->path), "%s/%u/root", f->proc, f->tgid);
	e->opened = opener_open(f->path, O_PATH | O_DIRECTORY);
	f->err = e->opened < 0 ? e->opened : 0;
	return 0;
}

static int follow(struct following *f)
{
	int err = run(links_aside, f->tgid, &f->errand, sizeof(*f));

	return err ? err : f->err;
}

int proc_files_read_program(const char *proc, uint32_t tgid, char *path, int *handle)
{
	struct following f = { .errand.run = find_program, .proc = proc, .tgid = tgid,
			       .wants_handle = handle };
	int err = follow(&f);

	if (!err)
		strcpy(path, f.path);
	if (!err && handle)
		*handle = f.errand.opened;
	return err;
}

int proc_files_open_root(const char *proc, uint32_t tgid)
{
	struct following f = { .errand.run = open_root, .proc = proc, .tgid = tgid };
	int err = follow(&f);

	return err ? err : f.errand.opened;
}

struct opening {
	struct errand errand;
	const char *proc;		/* stays */
	uint32_t tgid;
	size_t nr;
	struct opener_mapping mappings[OPENER_RANGES_MAX];
};

static int open_mappings(struct errand *e)
{
	struct opening *o = container_of(e, struct opening, errand);

	opener_map_files(o->proc, o->tgid, o->mappings, o->nr);
	return 0;
}

static void close_mappings(struct errand *e)
{
	struct opening *o = container_of(e, struct opening, errand);

	for (size_t i = 0; i < o->nr; i++)
		if (o->mappings[i].handle >= 0)
			close(o->mappings[i].handle);
}

void proc_files_open(const char *proc, uint32_t tgid, struct opener_mapping *mappings, size_t nr)
{
	struct opening o = { .errand = { .run = open_mappings, .drop = close_mappings },
			     .proc = proc, .tgid = tgid, .nr = nr };
	int err;

	for (size_t i = 0; i < nr; i++)
		mappings[i].handle = -ESRCH;
	memcpy(o.mappings, mappings, nr * sizeof(*mappings));
	err = run(memory_aside, tgid, &o.errand, sizeof(o));
	for (size_t i = 0; i < nr; i++)
		mappings[i].handle = err ? err : o.mappings[i].handle;
}
