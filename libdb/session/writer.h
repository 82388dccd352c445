/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - write counts into a session: sample files in the right folders, and the files beside
 *
 * For all that have a whole profile at hand: libsampler and opimport. The daemon's samples come one
 * by one, so it keeps its sample files open (sample_file.h).
 */
#ifndef LIBDB_SESSION_WRITER_H
#define LIBDB_SESSION_WRITER_H

#include "libdb/session/name.h"
#include "libdb/session/parts.h"
#include "libdb/session/session.h"
#include "libutil/error.h"

struct session_writer {
	char *samples, *stats;		/* folders, which the caller creates */
	struct session_parts parts;
};

/* @samples is ".../samples/NAME". Reads the index of parts, if there is one. */
void session_writer_init(struct session_writer *ret, const char *samples);
void session_writer_free(struct session_writer *w);

/* --- sample files --- */

struct session_record {
	uint64_t file;			/* the caller's number of a sample file */
	uint64_t key, count;
};

/* Sort by file and key, and merge records of equal file and key. Returns the number left. */
size_t session_records_sum(struct session_record *records, size_t nr);

/* What a sample file is named by, and its header holds. */
struct session_file {
	struct sample_name name;
	const char *build_id, *cgroup;	/* of its part; both "": none [SS-60] */
	uint32_t cpu_type;		/* UINT32_MAX: any */
	double cpu_mhz;			/* 0: not known */
	uint64_t mtime;
};

struct session_file_ops {
	void (*describe)(void *context, uint64_t file, struct session_file *ret);
	/* May be NULL. @is_new: it did not exist before. */
	void (*opened)(void *context, uint64_t file, bool is_new);
	/* Each record with a count is added to its file, or is not, with the reason. */
	void (*added)(void *context, const struct session_record *record, int err);
	bool stops_at_failure;		/* else the other files are written all the same */
};

/*
 * Add sorted records to their sample files; those that exceed a counter leave it at its maximum.
 * The first error, with the file in @e.
 */
int session_write_records(struct session_writer *w, const struct session_record *records,
			  size_t nr, const struct session_file_ops *ops, void *context,
			  struct op_error *e);

/* --- beside them --- */

/* stats/counts, stats/session and, if it is not this machine's, SD/abi. */
int session_write_stats(const char *stats_dir, const char *session_dir,
			const struct session_counts *counts, const struct session_info *info);

/* stats/vdso.so, unless it exists: reports need it for names of functions there [SS-66]. */
void session_write_vdso(const char *stats_dir);

#endif
