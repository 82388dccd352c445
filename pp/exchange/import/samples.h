/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h - a profile's samples, on their way to sample files and a stack store */
#ifndef PP_EXCHANGE_IMPORT_SAMPLES_H
#define PP_EXCHANGE_IMPORT_SAMPLES_H

#include "libdb/session/writer.h"
#include "libutil/table.h"
#include "pp/exchange/import/images.h"
#include "pp/exchange/import/session.h"

/* What a sample file's name and a stack's context say of a set of labels. */
struct import_labels {
	int64_t pid, tid, cpu;
	const char *cgroup, *comm;
	uint32_t app;			/* image, or PROFILE_NONE: the one the sample is in */
};

struct import_event {
	struct profile_event of;
	char *name;			/* in files' names */
	uint64_t divisor, count;
};

/* A sample file; equal ones may be made twice, and add up. */
struct import_file {
	uint32_t event, labels, image;
	uint32_t callee;		/* of calls: into that image; else PROFILE_NONE */
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
	struct hash_table by_file;
	struct session_record *records;	/* their files are indices of @files */
	size_t nr, room;
	uint64_t nr_negative;
	struct import_session_sums sums;
	struct op_error *e;
};

/* --- events.c: m->events, such that all records fit into counters --- */
void import_events_make(struct importer *m, struct imported *imported, struct notices *notices);

/* --- stacks.c: the stacks of the profile into a stack store; m->events are named --- */
int import_write_stacks(struct importer *m);

/* Is this what stands above stacks that were cut [PF-6]? How they ended, then. */
bool import_is_cut(const struct profile *p, uint32_t place, unsigned int *ret);

/* Sample files and stack store below @samples, which is new. */
int import_write_samples(const struct profile *p, const struct import_images *m,
			 struct imported *imported, const char *samples,
			 struct import_session_sums *sums, struct notices *notices,
			 struct op_error *e);

#endif
