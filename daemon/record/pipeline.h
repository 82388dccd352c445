/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline.h - from the words of a collector to the files of a session
 *
 * Words are decoded (trans.h), samples and stacks attributed (attribute.h, attribute_stack.h) and
 * counted in sample files and in the stack store. When a session begins and ends, and what its
 * counts are, is the recorder's business.
 */
#ifndef DAEMON_RECORD_PIPELINE_H
#define DAEMON_RECORD_PIPELINE_H

#include "daemon/collect/module/push_tables.h"
#include "daemon/jit/processes.h"
#include "daemon/record/attribute_stack.h"
#include "daemon/record/recorder.h"

struct pipeline {
	const struct recorder_config *config;
	struct stats stats;
	struct images *images;
	struct binaries *binaries;
	struct cookies *cookies;
	struct kernel *kernel;
	struct anons *anons;
	struct cgroups *cgroups;
	struct comms *comms;
	struct jit_processes *jit;
	struct sfiles *sfiles;
	struct stacks *stacks[NR_STACKS];	/* the history's may be NULL */
	struct unwind_push *unwind_push;	/* NULL: the collector wants no tables */
	struct attribution *attribution;
	struct stack_attribution *stack_attribution;
	struct derived_event derived[EXT_EVENTS_MAX];	/* of the last extended sample */
	size_t nr_derived;
	struct trans *trans;
};

/* @config must outlive it. */
void pipeline_init(struct pipeline *p, const struct recorder_config *config);
void pipeline_free(struct pipeline *p);

/* From now on files lie below these folders. */
void pipeline_set_session(struct pipeline *p, const char *samples_dir, const char *stats_dir);

/* recorder_drain() */
int pipeline_drain(struct pipeline *p, bool flush, bool *ret_some, struct op_error *e);
/* recorder_table_fd() */
int pipeline_table_fd(const struct pipeline *p);
/* No more words will come: what is incomplete is lost. */
void pipeline_end(struct pipeline *p);

#endif
