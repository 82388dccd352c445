/* SPDX-License-Identifier: GPL-2.0-or-later */
/* offline.h - reset or save a session that no daemon writes to */
#ifndef CONTROL_OPCONTROL_OFFLINE_H
#define CONTROL_OPCONTROL_OFFLINE_H

#include <stdbool.h>
#include "libutil/error.h"

/* Whether the current session has any files. */
bool offline_has_samples(const char *session_dir);

/*
 * Both hold the session's lock, and either complete or change nothing. offline_reset() also removes
 * what interrupted resets have left.
 */
int offline_reset(const char *session_dir, struct op_error *e);
int offline_save(const char *session_dir, const char *name, struct op_error *e); /* -EEXIST */

#endif
