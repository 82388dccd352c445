/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.h - the owner of a process, and so the users whose files are accepted for it */
#ifndef DAEMON_JIT_OWNER_H
#define DAEMON_JIT_OWNER_H

#include "daemon/jit/files.h"

/* Update *owner; only alive changes if the process is gone. */
void jit_owner_look(const char *proc, uint32_t tgid, struct jit_owner *owner);

/* Parse the texts of /proc/TGID/status and stat. False: malformed, and *ret is untouched. */
bool jit_owner_parse(const char *status, const char *stat, uint32_t tgid, struct jit_owner *ret);

/* Whether a file of user @uid is accepted for the process. */
bool jit_owner_allows(const struct jit_owner *owner, uid_t uid);

#endif
