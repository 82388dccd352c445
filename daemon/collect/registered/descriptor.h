/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptor.h - find the variables for debuggers (libutil/opener/registered.h) in a file */
#ifndef DAEMON_COLLECT_REGISTERED_DESCRIPTOR_H
#define DAEMON_COLLECT_REGISTERED_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/opener/registered.h"

/*
 * The offsets in the file of the variables, which one of the file's symbol tables has; 0: it has
 * none, is malformed, or is not of 64 bits. For a sandbox: the file may be anything.
 */
struct registered_place descriptor_find(int fd);

#define DESCRIPTOR_FILES_MAX	8	/* in a call */

/* The same for @nr files in a confined process; waits for it. 0 or -errno: it did not end well. */
int descriptor_find_apart(const int *fds, size_t nr, struct registered_place *ret_offsets);

#endif
