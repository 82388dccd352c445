/* SPDX-License-Identifier: GPL-2.0-or-later */
/* offline.h - reset or save a session that no daemon writes to */
#ifndef CONTROL_OPCONTROL_OFFLINE_H
#define CONTROL_OPCONTROL_OFFLINE_H

#include <stdbool.h>
#include "libutil/error.h"

/* Whether the current session holds anything. */
bool offline_has_samples(const char *session_dir);

/* Both hold the session's lock meanwhile. 0 or -errno, explained in @e; no half-done state. */
int offline_reset(const char *session_dir, struct op_error *e);	/* and leftovers of killed ones */
int offline_save(const char *session_dir, const char *name, struct op_error *e); /* -EEXIST */

#endif
