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
#include "libutil/timed_call.h"
#include "libutil/file.h"
#include "libutil/list.h"
#include "libutil/xalloc.h"

#define ASIDE_NS	NS_PER_SECOND
#define NR_ASIDE	64		/* processes; a new one replaces the old one */

struct aside {
	uint32_t tgid;
	uint64_t until;
};
/* Its links need not the lock of its memory. */
static struct aside memory_aside[NR_ASIDE], links_aside[NR_ASIDE];

/* Drops @e if it was not run. */
static int run(struct aside *all, uint32_t tgid, struct timed_call *e)
{
	struct aside *aside = &all[tgid % NR_ASIDE];
	int err;

	if (aside->tgid == tgid && now_ns() < aside->until) {
		e->drop(e);
		return -EAGAIN;
	}
	err = timed_call_run(e);
	if (err != -ETIMEDOUT)
		return err;
	*aside = (struct aside){ tgid, now_ns() + ASIDE_NS };
	return -EAGAIN;
}

struct reading {
	struct timed_call call;
	char *path;
	size_t limit;
	char *text;			/* NULL: none */
	int err;
};

static void read_maps(struct timed_call *e)
{
	struct reading *r = container_of(e, struct reading, call);

	r->err = file_read_all(r->path, r->limit, &r->text, NULL);
}

static void drop_reading(struct timed_call *e)
{
	struct reading *r = container_of(e, struct reading, call);

	free(r->text);
	free(r->path);
	free(r);
}

int proc_files_read_maps(const char *proc, uint32_t tgid, size_t limit, char **ret)
{
	struct reading *r = xcalloc(1, sizeof(*r));
	int err;

	r->call = (struct timed_call){ read_maps, drop_reading };
	r->limit = limit;
	r->path = xasprintf("%s/%u/maps", proc, tgid);
	err = run(memory_aside, tgid, &r->call);
	if (err)
		return err;
	err = r->err;
	if (!err)
		*ret = r->text;
	free(r->path);
	free(r);
	return err;
}

struct following {
	struct timed_call call;
	char *proc;
	uint32_t tgid;
	bool wants_handle;
	int handle, err;
	char path[PATH_MAX];		/* of the program */
};

static void find_program(struct timed_call *e)
{
	struct following *f = container_of(e, struct following, call);

	f->err = opener_program(f->proc, f->tgid, f->path, sizeof(f->path),
				f->wants_handle ? &f->handle : NULL);
}

static void open_root(struct timed_call *e)
{
	struct following *f = container_of(e, struct following, call);

	snprintf(f->path, sizeof(f->path), "%s/%u/root", f->proc, f->tgid);
	f->handle = opener_open(f->path, O_PATH | O_DIRECTORY);
}

static void drop_following(struct timed_call *e)
{
	struct following *f = container_of(e, struct following, call);

	if (f->handle >= 0)
		close(f->handle);
	free(f->proc);
	free(f);
}

static int follow(void (*run_it)(struct timed_call *e), const char *proc, uint32_t tgid, char *path,
		  int *handle)
{
	struct following *f = xcalloc(1, sizeof(*f));
	int err;

	f->call = (struct timed_call){ run_it, drop_following };
	f->proc = xstrdup(proc);
	f->tgid = tgid;
	f->wants_handle = handle;
	f->handle = -1;
	err = run(links_aside, tgid, &f->call);
	if (err)
		return err;
	err = f->err;
	if (!err && path)
		strcpy(path, f->path);
	if (!err && handle)
		*handle = f->handle;
	free(f->proc);
	free(f);
	return err;
}

int proc_files_read_program(const char *proc, uint32_t tgid, char *path, int *handle)
{
	return follow(find_program, proc, tgid, path, handle);
}

int proc_files_open_root(const char *proc, uint32_t tgid)
{
	int handle, err = follow(open_root, proc, tgid, NULL, &handle);

	return err ? err : handle;
}

struct opening {
	struct timed_call call;
	const char *proc;		/* stays */
	uint32_t tgid;
	size_t nr;
	struct opener_mapping mappings[];
};

static void open_mappings(struct timed_call *e)
{
	struct opening *o = container_of(e, struct opening, call);

	opener_map_files(o->proc, o->tgid, o->mappings, o->nr);
}

static void drop_opening(struct timed_call *e)
{
	struct opening *o = container_of(e, struct opening, call);

	for (size_t i = 0; i < o->nr; i++)
		if (o->mappings[i].handle >= 0)
			close(o->mappings[i].handle);
	free(o);
}

void proc_files_open(const char *proc, uint32_t tgid, struct opener_mapping *mappings, size_t nr)
{
	struct opening *o = xcalloc(1, sizeof(*o) + nr * sizeof(*mappings));
	int err;

	for (size_t i = 0; i < nr; i++)
		mappings[i].handle = -ESRCH;
	o->call = (struct timed_call){ open_mappings, drop_opening };
	o->proc = proc;
	o->tgid = tgid;
	o->nr = nr;
	memcpy(o->mappings, mappings, nr * sizeof(*mappings));
	err = run(memory_aside, tgid, &o->call);
	for (size_t i = 0; i < nr; i++)
		mappings[i].handle = err ? err : o->mappings[i].handle;
	if (err)
		return;
	free(o);
}
