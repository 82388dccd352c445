// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms.c - the names of threads, read again from time to time
 *
 * Most threads get their name soon after their start; one that has ended keeps its last name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsampler/build/profile.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

#define NR_KEPT		1024		/* a power of 2 */
#define KEEP_NS		1000000000u

struct comm {
	pid_t tid;			/* 0: free */
	uint64_t read_ns;
	char name[64];
};

struct build_comms {
	struct comm kept[NR_KEPT];
};

struct build_comms *build_comms_new(void)
{
	return xcalloc(1, sizeof(struct build_comms));
}

void build_comms_free(struct build_comms *c)
{
	free(c);
}

static void read_name(struct comm *c)
{
	char path[64], name[sizeof(c->name)];

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", c->tid);
	if (!file_read_line(path, name, sizeof(name)) && *name)
		memcpy(c->name, name, sizeof(c->name));
}

const char *build_comms_find(struct build_comms *c, pid_t tid, uint64_t now_ns)
{
	struct comm *comm = &c->kept[hash_u64((uint64_t)tid) % NR_KEPT];

	if (comm->tid != tid)
		*comm = (struct comm){ .tid = tid };
	else if (now_ns - comm->read_ns < KEEP_NS)
		return comm->name;
	comm->read_ns = now_ns;
	read_name(comm);
	return comm->name;
}
