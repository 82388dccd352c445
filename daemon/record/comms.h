/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comms.h - the names of tasks: of stacks that are separated by thread [SS-68], and a list of those
 * that have samples [SS-69]
 *
 * The collector may add the name to the sample. Otherwise it is read from /proc when the task is
 * first seen, and after each exec; a task that has ended by then has no name.
 */
#ifndef DAEMON_RECORD_COMMS_H
#define DAEMON_RECORD_COMMS_H

#include <stdbool.h>
#include <stdint.h>
#include "oprofilefs/op_abi.h"

struct comms;

struct comms *comms_new(const char *proc);	/* NULL for "/proc" */
void comms_free(struct comms *c);		/* NULL is fine */

/* From now on comms_record() adds to the list below @stats_dir. */
void comms_set_session(struct comms *c, const char *stats_dir);

/*
 * Add the task to the session's list, if it is new there, by itself if @by_thread, else by name
 * only. @path: of what it executes, or "". The others as for comms_of().
 */
void comms_record(struct comms *c, uint32_t tgid, uint32_t tid, op_word app, const char *path,
		  const char *noted, bool by_thread);

/*
 * Add the tasks whose names are still being read: for at most half a second, and if something has
 * held that up for so long once, only those that are read.
 */
void comms_finish(struct comms *c);

/*
 * The name of task @tid of process @tgid, which executes @app; "": not known. @noted: the one that
 * came with the sample, or "". Valid until the next call, or as long as @noted is.
 */
const char *comms_of(struct comms *c, uint32_t tgid, uint32_t tid, op_word app, const char *noted);

#endif
