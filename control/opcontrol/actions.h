/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * actions.h - the actions of opcontrol
 *
 * Each prints its progress on stdout, in OProfile's words, and returns 0 or -errno with the reason
 * in @e (empty: it is printed already). action_shutdown() returns -ETIMEDOUT if the daemon had to
 * be killed: it has ended, and samples are lost.
 */
#ifndef CONTROL_OPCONTROL_ACTIONS_H
#define CONTROL_OPCONTROL_ACTIONS_H

#include <stdbool.h>
#include "control/machine/host.h"
#include "control/opcontrol/setup.h"
#include "libutil/error.h"

struct control {
	const char *rc;			/* path of the saved set-up */
	struct host host;
	struct setup setup;		/* in effect */
	const char *verbose;		/* topics, or NULL */
	int end_ms;			/* how long a daemon may take to end; 0: CONTROL_END_MS */
	bool running;			/* whether a daemon of setup.session_dir runs */
	char *saved_dir;		/* the saved set-up's session directory, if this command
					 * uses another; else NULL */
	bool prepare_service;		/* do not run the daemon: service.h */
	bool unsaved;			/* save @setup in @rc when a daemon runs with it */
};

#define CONTROL_END_MS	(15 * 1000)

/*
 * Check whether a start with @s would succeed, as far as is known without changing anything. Writes
 * the unit masks of its events out.
 */
int control_check_setup(const struct control *c, struct setup *s, struct op_error *e);

/* Turn on the NMI watchdog after a daemon that did not end by --shutdown, and print that. */
void control_restore_watchdog(const struct control *c);

int action_init(struct control *c, struct op_error *e);
int action_start_daemon(struct control *c, struct op_error *e);
int action_start(struct control *c, struct op_error *e);
int action_dump(struct control *c, struct op_error *e);
int action_stop(struct control *c, struct op_error *e);
int action_shutdown(struct control *c, struct op_error *e);
int action_reset(struct control *c, struct op_error *e);
int action_save(struct control *c, const char *name, struct op_error *e);
int action_deinit(struct control *c, struct op_error *e);
int action_list_events(struct control *c, struct op_error *e);	/* executes ophelp */
int action_status(struct control *c, struct op_error *e);
int action_service(struct control *c, const char *step, struct op_error *e);

#endif
