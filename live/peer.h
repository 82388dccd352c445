/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer.h - which user is at the other end of a TCP connection on this machine */
#ifndef LIVE_PEER_H
#define LIVE_PEER_H

#include <sys/types.h>

/*
 * The user that made the socket to which @fd is connected, as the kernel knows it. -ENOENT: it is
 * closed, or not on this machine; other -errno: the kernel does not say (no inet_diag).
 */
int peer_uid(int fd, uid_t *ret);

#endif
