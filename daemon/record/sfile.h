/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sfile.h - the sample files: find the one for a sample, add to it
 *
 * Samples are collected per file and added to it in batches (odb_add_many()), because a file's
 * hash table is far larger than the CPU's cache. A sample is in its file, and safe from kill -9,
 * after sfiles_flush() at the latest: the daemon calls it after every drain.
 *
 * Callers never see a failure. A file that cannot be opened or grown loses its samples
 * (LOST_SAMPLE_FILE), which is logged once, and is retried later, with growing delays, unless it
 * cannot have a name. A broken file is set aside under another name.
 */
#ifndef DAEMON_RECORD_SFILE_H
#define DAEMON_RECORD_SFILE_H

#include "daemon/record/sfile_key.h"
#include "daemon/record/stats.h"

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

/*
 * Count one sample of @cpu for each of the @nr addresses, under the key address - @base.
 *
 * To a {cg} file (is_arc) this adds arcs, whose keys have both ends [SF-28]. The statistics count
 * arcs only when they are lost: cpu_counts.arcs_lost, and sfiles_arcs_unwritten() instead of
 * sfiles_unwritten().
 */
void sfile_add(struct sfile *sf, uint32_t cpu, const uint64_t *addresses, size_t nr, uint64_t base);

/*
 * Add @weight to @key of a derived event, in the same batches. The statistics do not count it: the
 * caller counts the sample that the event was derived from. What cannot be written is in
 * sfiles_unwritten() only.
 */
void sfile_add_weight(struct sfile *sf, uint32_t cpu, uint64_t key, uint32_t weight);

void sfiles_flush(struct sfiles *all);
void sfiles_close_all(struct sfiles *all);	/* flushes; for SIGHUP */
/*
 * Sync all files, in parts, because samples wait meanwhile: no further file is started after
 * SYNC_PART_MS. True: call again to go on. *ret_err: the first failure of this part.
 */
bool sfiles_sync_part(struct sfiles *all, int *ret_err);
void sfiles_keep_images(const struct sfiles *all);	/* image.h */
/* Why samples are being lost or not separated now, or "". */
const char *sfiles_trouble(const struct sfiles *all);
/* How many were lost so far because a file could not be written; *ret_why: why the last ones. */
uint64_t sfiles_unwritten(const struct sfiles *all, const char **ret_why);
uint64_t sfiles_arcs_unwritten(const struct sfiles *all, const char **ret_why);

/* Raise RLIMIT_NOFILE as far as sample files can use it. */
void sfiles_raise_limit(void);

#endif
