/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comms.h - what tasks call themselves, for stacks that are kept apart by thread [SS-66]
 *
 * The collector may tell it with the sample. Else it is read from /proc when the task is first
 * seen, and again after each exec; one that is gone by then has no name.
 */
#ifndef DAEMON_RECORD_COMMS_H
#define DAEMON_RECORD_COMMS_H

#include <stdint.h>
#include "oprofilefs/op_abi.h"

struct comms;

struct comms *comms_new(const char *proc);	/* NULL for "/proc" */
void comms_free(struct comms *c);		/* NULL is fine */

/*
 * The name of task @tid of process @tgid, which executes @app; "" not known. @told: with the
 * sample, or "". Valid until the next call, or as long as @told is.
 */
const char *comms_of(struct comms *c, uint32_t tgid, uint32_t tid, op_word app, const char *told);

#endif
