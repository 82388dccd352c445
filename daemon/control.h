/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the daemon's end of the control socket: doc/control.md [CC-n]
 *
 * Any user can connect, so nothing that a peer does or fails to do may delay sampling: descriptors
 * never block; connections, lines and waiting times are limited; and what a peer may request
 * depends on its user, which the kernel reports.
 */
#ifndef DAEMON_CONTROL_H
#define DAEMON_CONTROL_H

#include <poll.h>
#include "daemon/record/ext_feature.h"
#include "daemon/record/recorder.h"

struct control_config {
	const char *session_dir;
	struct recorder *recorder;
	/* Only shown by status: */
	const struct ext *ext;		/* NULL: none */
	const char *image_filter;	/* as given; "": none */
	int listening;			/* a socket at SD/control, from now on its; 0: make it */
	unsigned int callgraph_depth;
	struct unwind_cache *unwind;	/* NULL: none, frame pointers only */
	struct collector *collector;	/* NULL: not shown */
	const char *no_bpf;		/* why that is not bpf; NULL or "": no reason */
	bool oprofilefs;		/* buffer sizes can be read there */
};

struct control;

#define CONTROL_MAX_PEERS	16
#define CONTROL_MAX_FDS		(CONTROL_MAX_PEERS + 1)

/* Listen at SD/control. @config's strings must outlive *ret. */
int control_open(const struct control_config *config, struct control **ret, struct op_error *e);
void control_close(struct control *c);
/*
 * Accept no more connections and remove the socket. To be called before the lock is released, so
 * that the next daemon does not find our socket.
 */
void control_stop_listening(struct control *c);

/* Fill @fds for poll() and return how many; *timeout_ms is lowered if needed. */
int control_poll(struct control *c, struct pollfd *fds, int *timeout_ms);
/* After poll(), with @fds as filled above: run the requests that came in. */
void control_serve(struct control *c, const struct pollfd *fds, int nr);
/*
 * While the recorder is busy with a request: answer those that only ask for its state, without
 * waiting. Others wait for the next control_serve().
 */
void control_serve_busy(struct control *c);

/* Whether an owner requested shutdown. */
bool control_shutdown_requested(const struct control *c);
/* Answer those requests: the shutdown is complete (@err 0) or failed. Takes at most a second. */
void control_answer_shutdown(struct control *c, int err, const struct op_error *e);

#endif
