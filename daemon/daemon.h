/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemon.h - what oprofiled is made of: set up and torn down by set_up.c, run by main.c */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/asked_events.h"
#include "daemon/control.h"
#include "daemon/options.h"
#include "daemon/record/recorder.h"

struct daemon {
	struct options options;
	int lock_fd, signal_fd;
	struct collector *collector;
	bool collector_open;
	struct collector_status status;
	uint64_t clock_khz;		/* the collector's, or what it was configured with */
	struct asked_events asked;
	char *events_text, *image_filter;
	struct unwind_cache *unwind;	/* NULL: no stacks, or by frame pointers only */
	struct recorder *recorder;
	struct control *control;
	int64_t drain_at, counts_at, sync_at, poll_at;	/* ms */
	bool end;
};

/* In the order of what needs what; what fails is told in @e, once, and by no one else. -errno. */
int daemon_set_up(struct daemon *d, struct op_error *e);
/* As far as it was set up. The answer to a shutdown comes last: then all is done. */
void daemon_tear_down(struct daemon *d, int err, const struct op_error *e);

#endif
