/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfile_key.h - what distinguishes sample files: from it their names and headers are made */
#ifndef DAEMON_RECORD_SFILE_KEY_H
#define DAEMON_RECORD_SFILE_KEY_H

#include "daemon/record/image.h"
#include "daemon/record/trans.h"
#include "libdb/session/header.h"
#include "libutil/strbuf.h"

#define SFILE_ALL UINT32_MAX		/* a field that the separation makes irrelevant */

struct part;

/* Where samples lie. Compared bytewise: clear it whole before filling. */
struct sfile_place {
	struct image *image;		/* NULL: anonymous memory, described by the last fields */
	bool is_kernel;
	uint32_t anon_tgid;
	uint64_t anon_start, anon_end;
	char anon_name[OP_ANON_NAME_WORDS * 8];
};

/* Compared bytewise too, so equal paths must be one pointer. */
struct sfile_key {
	struct image *app;		/* the application; == @at.image without separation */
	struct sfile_place at;
	uint32_t counter;		/* index into sfile_config.events */
	uint32_t tgid, tid, cpu;	/* or SFILE_ALL */
	bool is_arc;			/* a {cg} file: calls from @at to @callee */
	/* All 0 unless @is_arc. Its build must be the first of its path, or the one of @at. */
	struct sfile_place callee;
	const char *cgroup;		/* path of the control group; NULL: not separated by it */
	struct part *part;		/* set by sfile_get(): the part of the session it lies in */
};

/* An event as names and headers of sample files have it, and which of its samples they hold. */
struct sfile_event {
	char name[64];			/* "": this counter is not in use */
	uint32_t code, unit_mask, count;
	bool no_kernel, no_user;	/* samples in that mode were not requested */
	bool derived;			/* from extended samples: sfile_add_weight() */
};

#define DERIVED_EVENTS_MAX 128

struct sfile_config {
	const struct sfile_event *events;	/* by counter; derived ones follow */
	unsigned int nr_events;
	uint32_t cpu_type;		/* its number in header version 0x13 */
	double cpu_mhz;
	size_t max_open;		/* files kept open at once; 0: choose by the limits */
	size_t max_files;		/* made in a session; 0: the default [SS-7] */
};

/* Set @ret, which must be all 0, to the mapping @map of process @tgid. */
void sfile_place_set_map(struct sfile_place *ret, uint32_t tgid, const struct anon_map *map);

/*
 * Append the path of the file of @key to @path; the session's samples lie below @samples_dir.
 * -EINVAL: no sample file can have such a name.
 */
int sfile_key_path(const struct sfile_config *config, const struct sfile_key *key,
		   const char *samples_dir, struct strbuf *path);

struct sample_header sfile_key_header(const struct sfile_config *config,
				      const struct sfile_key *key);

#endif
