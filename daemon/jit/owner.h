/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.h - whose a process is, and so whose files may speak for it */
#ifndef DAEMON_JIT_OWNER_H
#define DAEMON_JIT_OWNER_H

#include "daemon/jit/files.h"

/* Bring *owner up to date; only @alive changes when the process is gone. */
void jit_owner_look(const char *proc, uint32_t tgid, struct jit_owner *owner);

/* From the texts of /proc/TGID/status and stat. False: they are none; *ret is as it was. */
bool jit_owner_parse(const char *status, const char *stat, uint32_t tgid, struct jit_owner *ret);

/* Whether a file of @uid's may speak for the process. */
bool jit_owner_may(const struct jit_owner *owner, uid_t uid);

#endif
