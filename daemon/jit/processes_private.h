/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processes_private.h - what processes.c (who) and objects.c (their code) share */
#ifndef DAEMON_JIT_PROCESSES_PRIVATE_H
#define DAEMON_JIT_PROCESSES_PRIVATE_H

#include <stdbool.h>
#include <time.h>
#include "daemon/jit/convert.h"
#include "daemon/jit/places.h"
#include "daemon/jit/processes.h"
#include "libutil/list.h"

#define NR_BUCKETS	256
#define FOLDERS_MAX	16		/* of one process: programs, names of memory */

/* Where samples of the process' memory are filed. */
struct folder {
	char *app, *anon_name;
};

struct process {
	struct list_head in_bucket, in_order;	/* longest not looked at first */
	uint32_t tgid;
	bool looked;
	struct jit_owner owner;
	struct jit_files files;
	struct folder folders[FOLDERS_MAX];
	size_t nr_folders;
	size_t nr_objects;		/* of the files as they were last: one for each place */
	struct jit_version version;	/* when they were read last */
	bool refused, damaged;		/* counted in this session */
};

struct jit_processes {
	const char *proc;
	char *samples_dir;
	struct list_head buckets[NR_BUCKETS], in_order;
	size_t nr;
	struct jit_roots roots;		/* while converting */
	struct jit_window window;
	uint64_t looked_at;		/* all of them, ns */
	time_t second;
	unsigned int looks;		/* in @second */
	bool converting;		/* nobody may be forgotten */
	bool told_full, told_failed;
	struct jit_troubles troubles;
};

/* processes.c: @q is freed. */
void jit_processes_forget(struct jit_processes *p, struct process *q);
/* Look for files of as many as there is time for. */
void jit_processes_look_at_all(struct jit_processes *p);

#endif
