/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h - write a profile's samples to sample files and a stack store */
#ifndef PP_EXCHANGE_IMPORT_SAMPLES_H
#define PP_EXCHANGE_IMPORT_SAMPLES_H

#include "libdb/session/writer.h"
#include "libutil/table.h"
#include "pp/exchange/import/images.h"
#include "pp/exchange/import/session.h"

/* The labels that sample files' names and contexts of stacks can hold. */
struct import_labels {
	int64_t pid, tid, cpu;
	const char *cgroup, *comm;
	uint32_t app;			/* image, or PROFILE_NONE: that of the sample */
};

struct import_event {
	struct profile_event of;
	char *name;			/* in files' names */
	uint64_t divisor, count;
};

/* A sample file. Different label sets may give the same name: their samples are added up. */
struct import_file {
	uint32_t event, labels, image;
};

struct importer {
	const struct profile *p;
	const struct import_images *m;
	const char *samples;		/* folder */
	char *stats;
	struct import_labels *labels;	/* of the profile's label sets */
	struct import_event *events;
	struct import_file *files;
	uint32_t nr_files;
	struct hash_table by_fields;	/* of files */
	struct session_record *records;	/* their files are indices of @files */
	size_t nr, room;
	uint64_t nr_negative;
	struct import_session_sums sums;
	struct op_error *e;
};

/* --- events.c --- */

/* Make m->events, with divisors such that all records fit into counters. */
void import_events_make(struct importer *m, struct imported *imported, struct notices *notices);

/* --- stacks.c --- */

/* Write the profile's stacks to a stack store. m->events are made. */
int import_write_stacks(struct importer *m);

/* --- samples.c --- */

/* Write sample files and stack store below @samples, a new folder. */
int import_write_samples(const struct profile *p, const struct import_images *m,
			 struct imported *imported, const char *samples,
			 struct import_session_sums *sums, struct notices *notices,
			 struct op_error *e);

#endif
