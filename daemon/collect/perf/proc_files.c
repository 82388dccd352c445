// SPDX-License-Identifier: GPL-2.0-or-later
/* proc_files.c - see proc_files.h */
#include "daemon/collect/perf/proc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

static struct {
	uint32_t tgid;
	uint64_t until;
} aside[NR_ASIDE];

/* Drops @e if it was not run. */
static int run(uint32_t tgid, struct timed_call *e)
{
	uint64_t now = now_ns();
	int err;

	if (aside[tgid % NR_ASIDE].tgid == tgid && now < aside[tgid % NR_ASIDE].until) {
		e->drop(e);
		return -EAGAIN;
	}
	err = timed_call_run(e);
	if (err != -ETIMEDOUT)
		return err;
	aside[tgid % NR_ASIDE].tgid = tgid;
	aside[tgid % NR_ASIDE].until = now_ns() + ASIDE_NS;
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
	err = run(tgid, &r->call);
	if (err)
		return err;
	err = r->err;
	if (!err)
		*ret = r->text;
	free(r->path);
	free(r);
	return err;
}

struct opening {
	struct timed_call call;
	char *dir;			/* of the links, one for each mapping */
	size_t nr;
	struct proc_mapping mappings[];
};

static void open_mappings(struct timed_call *e)
{
	struct opening *o = container_of(e, struct opening, call);

	for (size_t i = 0; i < o->nr; i++) {
		struct proc_mapping *m = &o->mappings[i];
		char *path = xasprintf("%s/%" PRIx64 "-%" PRIx64, o->dir, m->start, m->end);

		m->handle = open(path, O_PATH | O_CLOEXEC);
		if (m->handle < 0)
			m->handle = -errno;
		free(path);
	}
}

static void drop_opening(struct timed_call *e)
{
	struct opening *o = container_of(e, struct opening, call);

	for (size_t i = 0; i < o->nr; i++)
		if (o->mappings[i].handle >= 0)
			close(o->mappings[i].handle);
	free(o->dir);
	free(o);
}

void proc_files_open(const char *proc, uint32_t tgid, struct proc_mapping *mappings, size_t nr)
{
	struct opening *o = xcalloc(1, sizeof(*o) + nr * sizeof(*mappings));
	int err;

	for (size_t i = 0; i < nr; i++)
		mappings[i].handle = -ESRCH;
	o->call = (struct timed_call){ open_mappings, drop_opening };
	o->dir = xasprintf("%s/%u/map_files", proc, tgid);
	o->nr = nr;
	memcpy(o->mappings, mappings, nr * sizeof(*mappings));
	err = run(tgid, &o->call);
	for (size_t i = 0; i < nr; i++)
		mappings[i].handle = err ? err : o->mappings[i].handle;
	if (err)
		return;
	free(o->dir);
	free(o);
}
