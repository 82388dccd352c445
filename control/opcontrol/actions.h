/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * actions.h - what opcontrol does, one function per action
 *
 * Each prints its progress on stdout, in the original's words, and returns 0 or -errno with
 * the reason in @e (empty: somebody has told it already). action_shutdown() of a daemon that had
 * to be killed is -ETIMEDOUT: it is gone, but so are samples.
 */
#ifndef CONTROL_OPCONTROL_ACTIONS_H
#define CONTROL_OPCONTROL_ACTIONS_H

#include <stdbool.h>
#include "control/machine/host.h"
#include "control/opcontrol/setup.h"
#include "libutil/error.h"

struct control {
	const char *rc;			/* the saved set-up's path */
	struct host host;
	struct setup setup;		/* in force */
	const char *verbose;		/* topics, or NULL */
	int end_ms;			/* how long a daemon may take to end; 0: CONTROL_END_MS */
	bool running;			/* a daemon, for setup.session_dir, when we started */
	bool unsaved;			/* @setup is not in @rc until a daemon runs with it */
};

#define CONTROL_END_MS	(15 * 1000)

/*
 * Judge @s by what is to be expected of a start, changing nothing but its events' unit masks,
 * which are written out. -errno and why.
 */
int control_judge(const struct control *c, struct setup *s, struct op_error *e);

/*
 * Turn on again what a daemon that ended otherwise than by --shutdown has left turned off: the NMI
 * watchdog. Told when it is done.
 */
void control_tidy(const struct control *c);

int action_init(struct control *c, struct op_error *e);
int action_start_daemon(struct control *c, struct op_error *e);
int action_start(struct control *c, struct op_error *e);
int action_dump(struct control *c, struct op_error *e);
int action_stop(struct control *c, struct op_error *e);
int action_shutdown(struct control *c, struct op_error *e);
int action_reset(struct control *c, struct op_error *e);
int action_save(struct control *c, const char *name, struct op_error *e);
int action_deinit(struct control *c, struct op_error *e);
int action_list_events(struct control *c, struct op_error *e);	/* by ophelp, in our place */
int action_status(struct control *c, struct op_error *e);

#endif
