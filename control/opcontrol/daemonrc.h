/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemonrc.h - the saved set-up: /etc/oprofile/daemonrc, KEY=VALUE lines
 *
 * OProfile's file and keys (CTL-80..83), plus COLLECTOR if it is not "auto", and MODEL if one was
 * requested. It is parsed, never executed. A malformed line, or a key that no version of OProfile
 * wrote, is an error with file and line. Keys that only OProfile used are ignored.
 *
 * While a daemon runs, changes are saved in PATH_new and take effect when it has ended (CTL-57).
 */
#ifndef CONTROL_OPCONTROL_DAEMONRC_H
#define CONTROL_OPCONTROL_DAEMONRC_H

#include <stdbool.h>
#include "control/opcontrol/setup.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define DAEMONRC_PATH	OP_SYSCONFDIR "/oprofile/daemonrc"
#define DAEMONRC_OLD	"/root/.oprofile/daemonrc"	/* OProfile's, for DAEMONRC_PATH only */
#define DAEMONRC_ENV	"OPROFILE_DAEMONRC"	/* another place, for tests and demonstrations */

const char *daemonrc_path(void);

/* Change @s by the lines of @text; @path is for messages. -EINVAL: @s is undefined. */
int daemonrc_parse(const char *text, const char *path, struct setup *s, struct op_error *e);
void daemonrc_format(const struct setup *s, struct strbuf *out);

/* If the file is missing, and DAEMONRC_OLD is, too, @s is unchanged and the result 0. */
int daemonrc_load(const char *path, struct setup *s, struct op_error *e);
/* If there is no saved set-up in @path: the one that the package has for the service. */
int daemonrc_load_service(const char *path, struct setup *s, struct op_error *e);
int daemonrc_save(const char *path, const struct setup *s, struct op_error *e);

/* PATH_new: save it, test for it, put it into effect. */
int daemonrc_save_pending(const char *path, const struct setup *s, struct op_error *e);
bool daemonrc_has_pending(const char *path);
int daemonrc_adopt_pending(const char *path, struct op_error *e);	/* 0 if there is none */

#endif
