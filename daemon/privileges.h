/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privileges.h - what the daemon may do after its start */
#ifndef DAEMON_PRIVILEGES_H
#define DAEMON_PRIVILEGES_H

#include <stdint.h>
#include "libutil/error.h"

/*
 * Give up all capabilities but those that sampling needs and @more (CAPABILITY(), or 0), and for
 * good, before any thread starts. Other users than root have none, or those of the program's file.
 */
int privileges_drop(const char *session_dir, uint64_t more, struct op_error *e);

/* Log those that are in effect. */
void privileges_log(void);

#endif
