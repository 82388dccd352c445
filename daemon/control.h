/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the daemon's end of the control socket: doc/control.md [CC-n]
 *
 * Any user can connect, so nothing a peer does or fails to do may hold up sampling: descriptors
 * never block, connections, lines and waiting times are limited, and what a peer may ask for
 * depends on who the kernel says it is.
 */
#ifndef DAEMON_CONTROL_H
#define DAEMON_CONTROL_H

#include <poll.h>
#include "daemon/record/ext_feature.h"
#include "daemon/record/recorder.h"

struct control_config {
	const char *session_dir;
	struct recorder *recorder;
	/* Only for status: */
	const struct ext *ext;		/* NULL: none */
	const char *image_filter;	/* as given; "" */
	unsigned int callgraph_depth;
	struct unwind_cache *unwind;	/* NULL: none, frame pointers only */
	bool oprofilefs;		/* buffer sizes can be read there */
};

struct control;

#define CONTROL_MAX_PEERS	16
#define CONTROL_MAX_FDS		(CONTROL_MAX_PEERS + 1)

/* Listen at SD/control. Strings must outlive it. */
int control_open(const struct control_config *config, struct control **ret, struct op_error *e);
void control_close(struct control *c);
/*
 * No new connections, and the socket's name is free: before the lock is, so that the next daemon
 * finds nothing of ours in its way.
 */
void control_stop_listening(struct control *c);

/* What to poll() for; returns how many of CONTROL_MAX_FDS. *timeout_ms is lowered if needed. */
int control_poll(struct control *c, struct pollfd *fds, int *timeout_ms);
/* After the poll(): @fds as filled there. Runs the requests that came in. */
void control_serve(struct control *c, const struct pollfd *fds, int nr);

/* Somebody who may do so asked for shutdown. */
bool control_shutdown_asked(const struct control *c);
/* It is done (@err 0) or failed: tell those who asked. Waits a second at most. */
void control_answer_shutdown(struct control *c, int err, const struct op_error *e);

#endif
