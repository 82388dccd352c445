/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.h - parse opcontrol's command line: at most one action, and set-up options
 *
 * Checks only the syntax, and which options can be combined (CTL-01..12); needs no root and does
 * not depend on the machine.
 */
#ifndef CONTROL_OPCONTROL_COMMAND_LINE_H
#define CONTROL_OPCONTROL_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "control/opcontrol/setup.h"
#include "libutil/error.h"

enum action {
	ACTION_NONE,		/* save the settings */
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_INIT,
	ACTION_START_DAEMON,
	ACTION_START,
	ACTION_DUMP,
	ACTION_STOP,
	ACTION_SHUTDOWN,
	ACTION_RESET,
	ACTION_SAVE,
	ACTION_DEINIT,
	ACTION_STATUS,
	ACTION_LIST_EVENTS,
	ACTION_SERVICE,
};

struct options {
	enum action action;
	char *save_name;		/* ACTION_SAVE */
	char *service_step;		/* ACTION_SERVICE */
	char *verbose;			/* topics for the daemon; NULL: not verbose */
	char *session_dir;		/* the last --session-dir, as given; NULL */
	struct setting *settings;	/* in the order given */
	size_t nr_settings, room;
};

/* -EINVAL: invalid. Call command_line_free() in any case. */
int command_line_parse(int argc, const char **argv, struct options *ret, struct op_error *e);
void command_line_free(struct options *o);

void options_print_help(FILE *out);

#endif
