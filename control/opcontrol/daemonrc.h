/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemonrc.h - the saved set-up: /root/.oprofile/daemonrc, KEY=VALUE lines
 *
 * OProfile's file and keys (CTL-80..83), plus COLLECTOR when it is not "auto", and MODEL when one
 * was asked for. It is read as data and never executed; a line that breaks a rule, or has a key
 * that no version of the original wrote, is an error that names file and line. What only the
 * original used is skipped.
 *
 * While a daemon runs, changes go to PATH_new and wait there until it is gone (CTL-57).
 */
#ifndef CONTROL_OPCONTROL_DAEMONRC_H
#define CONTROL_OPCONTROL_DAEMONRC_H

#include <stdbool.h>
#include "control/opcontrol/setup.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define DAEMONRC_PATH	"/root/.oprofile/daemonrc"
#define DAEMONRC_ENV	"OPROFILE_DAEMONRC"	/* another place, for tests and demonstrations */

const char *daemonrc_path(void);

/* Change @s by the lines of @text; @path is for messages. -EINVAL: @s is then of no use. */
int daemonrc_parse(const char *text, const char *path, struct setup *s, struct op_error *e);
void daemonrc_format(const struct setup *s, struct strbuf *out);

/* No such file leaves the defaults that are in @s and returns 0. */
int daemonrc_load(const char *path, struct setup *s, struct op_error *e);
int daemonrc_save(const char *path, const struct setup *s, struct op_error *e);

/* PATH_new: save to it, ask for it, put it in force. */
int daemonrc_save_pending(const char *path, const struct setup *s, struct op_error *e);
bool daemonrc_has_pending(const char *path);
int daemonrc_adopt_pending(const char *path, struct op_error *e);	/* 0 if there is none */

#endif
