/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder_private.h - what recorder.c (draining), recorder_words.c (what was drained) and
 * recorder_session.c (sessions) share
 */
#ifndef DAEMON_RECORD_RECORDER_PRIVATE_H
#define DAEMON_RECORD_RECORDER_PRIVATE_H

#include <time.h>
#include "daemon/collect/module/push_tables.h"
#include "daemon/jit/processes.h"
#include "daemon/record/recorder.h"
#include "libdb/session/event_times.h"

struct recorder {
	struct recorder_config config;
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
	struct stacks *stacks;
	struct unwind_push *unwind_push;	/* NULL: the collector wants no tables */
	struct attribution *attribution;
	struct trans *trans;
	bool running;
	bool drain_failed;		/* the last one: samples wait that could not be read */

	char *samples_dir, *stats_dir;	/* of "current" */
	struct session_info info;
	/*
	 * The session's counts are @before (earlier daemons') + what collector and daemon counted
	 * since they started - @origin (what of it went to sessions saved or thrown away).
	 */
	struct session_counts before, origin;
	/* The same for events' times, of all events the session had and of our counters. */
	struct event_times times_before;
	struct event_time times_origin[COLLECTOR_COUNTERS_MAX];
	time_t rest_second;		/* when what goes with the counts was written last */
	bool info_due;			/* stats/session could not be written yet, */
	bool room_due;			/* and room for later versions not be had */
	int counts_err;			/* of the last attempt to write stats/counts */
	struct told {			/* in answers, of sfiles_unwritten() and the like */
		uint64_t samples, arcs;
	} dump_told, stop_told;
	struct op_error note;		/* what the next answer to start says, */
	char collector_note[256];	/* and what the collector has to say there */
	int told_err;			/* the last failure to write below stats/, told once */
	struct op_error trouble;	/* the same, in words */
};

extern const struct trans_ops recorder_ops;	/* recorder_words.c */

/* The words for stats/session that stay the same for the recorder's life. */
void recorder_describe(struct recorder *r);
/*
 * Make ready what lies in "current", new or left by an earlier daemon. After a failure the
 * session can be used too; what is missing below stats/ is written as soon as it can be.
 */
int recorder_enter_session(struct recorder *r, struct op_error *e);
/*
 * If "current" holds samples that ours cannot be added to, it gets a name of its own, which
 * r->note tells. [CC-34]
 */
int recorder_keep_apart(struct recorder *r, struct op_error *e);
void recorder_remove_leftovers(const struct recorder *r);
/* The session is complete: say so in stats/session. [SS-24] */
void recorder_end_session(struct recorder *r);
void recorder_write_info(struct recorder *r);

/* recorder_times.c: stats/event-times, for what counters count. [SS-50] */
void recorder_times_enter(struct recorder *r);	/* read what earlier daemons wrote */
void recorder_times_leave(struct recorder *r);	/* what was counted so far is the old session's */
int recorder_times_write(struct recorder *r);
void recorder_times_free(struct recorder *r);

/*
 * Name what was sampled of code that processes made, and copy binaries that reports would not
 * find; samples are drained meanwhile.
 */
void recorder_name_code(struct recorder *r);
void recorder_keep_room(struct recorder *r);

/* What could not be written until now is not to be told any more. */
void recorder_forget_unwritten(struct recorder *r);

/* A failure to write below stats/ is logged once; 0: it works again. */
void recorder_told(struct recorder *r, int err);

/*
 * Garbage in the stream (never seen from a healthy collector) swallows samples that nobody can
 * count one by one: once nothing is under way any more, what is missing was lost there.
 */
void recorder_blame_garbage(struct recorder *r);

#endif
