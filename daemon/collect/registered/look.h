/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - one look for what a process has registered */
#ifndef DAEMON_COLLECT_REGISTERED_LOOK_H
#define DAEMON_COLLECT_REGISTERED_LOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A copy (libutil/opener/registered.h) of what @pid, a process of @uid, has registered. -ENOENT:
 * nothing. -ETIMEDOUT: it lets one wait, or another process of this user does. Other -errno: it
 * has ended, or may not be read. Waits about a second at most.
 */
int registered_look(uint32_t pid, uid_t uid);

/* The same for the @nr code objects @objects of an interpreter (libutil/opener/objects.h). */
int registered_look_objects(uint32_t pid, uid_t uid, uint32_t number, const uint64_t *objects,
			    size_t nr);

#endif
