/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sfile.h - the sample files: finding the one for a sample, adding to it
 *
 * Samples are collected per file and added to it in batches (odb_add_many()), since a file's
 * hash table is far bigger than the cache. So a sample is in its file, and safe from a kill -9,
 * after sfiles_flush() at the latest: the daemon calls it after every drain.
 *
 * Nothing here can fail to the caller. A file that cannot be opened or grown costs its samples
 * (LOST_SAMPLE_FILE), is told once, and is tried again later, with growing delays; one that no
 * name can be made for is not. A broken one is set aside under another name.
 */
#ifndef DAEMON_RECORD_SFILE_H
#define DAEMON_RECORD_SFILE_H

#include "daemon/record/image.h"
#include "daemon/record/stats.h"

#define SFILE_ALL UINT32_MAX		/* a field that the separation makes irrelevant */

struct part;

/* Where samples lie. Compared bytewise: clear it whole before filling. */
struct sfile_place {
	struct image *image;		/* NULL: anonymous memory, told by the last fields */
	bool is_kernel;
	uint32_t anon_tgid;
	uint64_t anon_start, anon_end;
	char anon_name[OP_ANON_NAME_WORDS * 8];
};

/* What distinguishes sample files. Compared bytewise too, so one path is always one pointer. */
struct sfile_key {
	struct image *app;		/* filed under it; == @at.image without separation */
	struct sfile_place at;
	uint32_t counter;		/* index into the events */
	uint32_t tgid, tid, cpu;	/* or SFILE_ALL */
	bool is_arc;			/* a {cg} file: calls from @at */
	/* into this; else 0. Its build must be the first of its path, or that of the same @at. */
	struct sfile_place callee;
	const char *cgroup;		/* kept apart by this control group's path; NULL: by none */
	struct part *part;		/* private: the part of the session that it lies in */
};

/* What stands in the files' names and headers, and which samples are to be there. */
struct sfile_event {
	char name[64];			/* "": no such counter is in use */
	uint32_t code, unit_mask, count;
	bool no_kernel, no_user;	/* samples in that mode were not asked for */
	bool derived;			/* from extended samples: sfile_add_weight() */
};

#define DERIVED_EVENTS_MAX 128

struct sfile_config {
	const struct sfile_event *events;	/* by counter; behind them those derived */
	unsigned int nr_events;
	uint32_t cpu_type;		/* its number in header version 0x13 */
	double cpu_mhz;
	size_t max_open;		/* files kept open at once; 0: choose by the limits */
};

struct sfile;
struct sfiles;

/* @config's events, @images and @stats must outlive it. */
struct sfiles *sfiles_new(const struct sfile_config *config, struct images *images,
			  struct stats *stats);
void sfiles_free(struct sfiles *all);	/* flushes */

/* From now on files lie below @samples_dir (".../samples/current"). Flushes and closes all. */
void sfiles_set_session(struct sfiles *all, const char *samples_dir);

/*
 * The file for @key. Stays valid while the number at sfiles_generation() is the same. Only memory
 * is touched: the file itself is opened when samples are flushed to it.
 */
struct sfile *sfile_get(struct sfiles *all, const struct sfile_key *key);
const unsigned int *sfiles_generation(const struct sfiles *all);

/* Count one sample of @cpu for each of the @nr addresses, under the key address - @base. */
void sfile_add(struct sfile *sf, uint32_t cpu, const uint64_t *addresses, size_t nr, uint64_t base);

/*
 * To a {cg} file (is_arc) the same adds calls, whose keys have both ends [SF-28]. They are not in
 * the statistics but for cpu_counts.arcs_lost, and in sfiles_arcs_unwritten() instead of
 * sfiles_unwritten().
 *
 * Count @weight at @key of a derived event, into the same batches. Not in the statistics: the
 * sample that it was derived from is booked by the caller. What a file has no room for is in
 * sfiles_unwritten() only.
 */
void sfile_add_weight(struct sfile *sf, uint32_t cpu, uint64_t key, uint32_t weight);

void sfiles_flush(struct sfiles *all);
void sfiles_close_all(struct sfiles *all);	/* flushes; SIGHUP */
/*
 * Bring all to the disk, in parts, since samples wait meanwhile: a call begins no further file
 * after SYNC_PART_MS. True: call again to go on. *ret_err: the first failure of this part.
 */
bool sfiles_sync_part(struct sfiles *all, int *ret_err);
/* Why samples are being lost now, or not kept apart; "": they are not. */
const char *sfiles_trouble(const struct sfiles *all);
/* How many were lost so far because a file could not be written, and why the last ones were. */
uint64_t sfiles_unwritten(const struct sfiles *all, const char **ret_why);
uint64_t sfiles_arcs_unwritten(const struct sfiles *all, const char **ret_why);

/* Raise RLIMIT_NOFILE as far as sample files can use it. */
void sfiles_raise_limit(void);

#endif
