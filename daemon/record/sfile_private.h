/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfile_private.h - what sfile.c (table), sfile_batch.c and sfile_open.c (names, files) share */
#ifndef DAEMON_RECORD_SFILE_PRIVATE_H
#define DAEMON_RECORD_SFILE_PRIVATE_H

#include <time.h>
#include "daemon/record/parts.h"
#include "daemon/record/sfile.h"
#include "libdb/odb/odb.h"
#include "libutil/list.h"

#define NR_BUCKETS	4096

struct sfile {
	struct sfile_key key;
	uint64_t hash;
	struct sfiles *all;
	struct sfile *next;		/* in its bucket */
	struct list_head in_use;	/* all of them; swept by evict_one() */
	struct list_head dirty;		/* those with a batch */
	unsigned int synced;		/* the pass that brought it to the disk last */
	bool referenced;		/* since the sweep last came by */

	struct odb *odb;		/* NULL: not opened yet, or failed */
	time_t retry_at;		/* failed: not before this */
	time_t retry_delay;
	bool unnameable;		/* never to be opened */
	bool derived;			/* its event is */

	uint64_t *batch;		/* keys, */
	uint16_t *cpus;			/* whose they are, */
	uint32_t *weights;		/* and of a derived event what each counts for, else NULL */
	uint32_t nr_batch, room;
};

struct sfiles {
	struct sfile *buckets[NR_BUCKETS];
	struct list_head in_use, dirty;
	size_t nr, nr_open, max_open;
	unsigned int generation, sync_pass;
	struct sfile_config config;
	struct images *images;
	struct stats *stats;
	struct parts *parts;
	char *dir;
	int told_err;			/* the failure last told; 0 once a file works again */
	struct op_error trouble;	/* the last one, in words */
	bool told_unnameable;
	uint64_t unwritten;		/* samples lost by such failures, since the beginning, */
	uint64_t arcs_unwritten;	/* calls of {cg} files, */
	time_t unwritten_at;		/* and the last of them */
};

/* sfile.c: close many to make room. False: none is open. */
bool sfiles_evict_open(struct sfiles *all);

/* sfile_batch.c: what waits is recorded or lost, and its CPUs told. */
void sfile_write_batch(struct sfile *sf);

/* sfile_trouble.c */
bool sfile_may_try(const struct sfile *sf);
void sfile_lost(struct sfile *sf, uint64_t nr);
/* Its samples are lost: told once, in @e's words or those of @err. */
void sfile_failed(struct sfile *sf, int err, const struct op_error *e);
void sfile_works(struct sfile *sf);

/* sfile_open.c */
int sfile_path(const struct sfile *sf, struct strbuf *path);
/*
 * Open sf->odb, making file and folders if need be. A file that is there and broken is set aside
 * under another name and a new one begun. Sets sf->unnameable if there can be no such file.
 */
int sfile_open(struct sfile *sf, struct op_error *e);

#endif
