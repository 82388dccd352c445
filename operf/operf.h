/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operf.h - the state of operf, shared by operf.c and set_up.c */
#ifndef OPERF_OPERF_H
#define OPERF_OPERF_H

#include <signal.h>
#include "control/machine/rights.h"
#include "daemon/record/recorder.h"
#include "operf/launch.h"
#include "operf/operf_options.h"
#include "operf/plan.h"
#include "operf/profile_dir.h"
#include "operf/watch.h"

struct operf {
	struct operf_options options;
	struct rights rights;
	struct plan plan;
	struct kernel_config kernel;
	struct profile_dir dir;
	char *log, *events_text, *profiled;	/* referenced by other fields */
	struct launch command;
	struct collector_targets targets;
	struct registered *registered;
	struct unwind_cache *unwind;	/* NULL: no stacks are recorded */
	struct collector *collector;
	bool collector_open;
	struct collector_status status;
	struct recorder *recorder;
	int signal_fd;
	sigset_t mask;			/* at the start of operf */
	struct watch processes[OPERF_PIDS_MAX];	/* options.pids */
	int signals;			/* number of signals to stop */
	bool rate_checked;
	bool ended;			/* everything that is profiled */
	int64_t counts_at, sync_at;	/* ms */
};

/*
 * Everything that can fail, before the command begins: cheap checks first, changes last. On failure
 * the caller undoes what was done.
 */
int operf_set_up(struct operf *o, struct op_error *e);

#endif
