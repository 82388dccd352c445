/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemon.h - oprofiled's parts: set up and torn down by set_up.c, run by main.c */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/control.h"
#include "daemon/options.h"
#include "daemon/privileges.h"
#include "daemon/record/recorder.h"
#include "daemon/requested_events.h"

struct daemon {
	struct options options;
	int lock_fd, signal_fd;
	int listening;			/* the control socket until @control has it; 0: none */
	char *lock_path, *control_path;
	const char *removable[2];	/* both paths */
	struct recorder_user user;
	struct collector *collector;
	bool collector_open;
	struct collector_status status;
	uint64_t clock_khz;		/* the collector's, or the one it was configured with */
	struct requested_events events;
	char *events_text, *image_filter;
	struct registered *registered;
	struct unwind_cache *unwind;	/* NULL: no stacks, or by frame pointers only */
	struct bpf_walker *walker;	/* NULL: no BPF program walks stacks */
	struct op_error no_bpf;		/* why "auto" has none; else "" */
	struct recorder *recorder;
	struct control *control;
	int64_t drain_at, counts_at, sync_at, poll_at;	/* ms */
	bool end;
	bool capped;			/* its priority was, at some time */
};

/* Set up all parts in the order of their dependencies. -errno: @e explains, nothing is logged. */
int daemon_set_up(struct daemon *d, struct op_error *e);
/* Tear down what was set up. Requests for shutdown are answered last, when all else is done. */
void daemon_tear_down(struct daemon *d, int err, const struct op_error *e);

#endif
