/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operf.h - one run of operf: between the files that set it up and that drive it */
#ifndef OPERF_OPERF_H
#define OPERF_OPERF_H

#include <signal.h>
#include "daemon/record/recorder.h"
#include "operf/launch.h"
#include "operf/operf_options.h"
#include "operf/plan.h"
#include "operf/profile_dir.h"
#include "operf/rights.h"
#include "operf/watch.h"

struct operf {
	struct operf_options options;
	struct rights rights;
	struct plan plan;
	struct kernel_config kernel;
	struct profile_dir dir;
	char *log, *events_text, *profiled;	/* strings that others point to */
	struct launch command;
	struct collector_targets targets;
	struct unwind_cache *unwind;	/* NULL: no callers are recorded */
	struct collector *collector;
	bool collector_open;
	struct collector_status status;
	struct recorder *recorder;
	int signal_fd;
	sigset_t mask;			/* as it was when we started */
	struct watch processes[OPERF_PIDS_MAX];	/* options.pids */
	int signals;			/* to stop: how many came */
	bool ended;			/* what is profiled */
	int64_t counts_at, sync_at;	/* ms */
};

/*
 * All that can fail before the command begins: what is cheap to refuse first, and what changes
 * anything last. On failure whoever calls undoes what there is of it.
 */
int operf_set_up(struct operf *o, struct op_error *e);

#endif
