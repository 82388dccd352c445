/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fd_message.h - messages with descriptors over a SOCK_SEQPACKET socket */
#ifndef LIBUTIL_FD_MESSAGE_H
#define LIBUTIL_FD_MESSAGE_H

#include <stddef.h>

#define FD_MESSAGE_MAX	64

/* 0 or -errno. */
int fd_message_send(int socket, const void *bytes, size_t len, const int *fds, size_t nr);

/*
 * A message of up to @room bytes with up to @max descriptors, which are the caller's. 0 or -errno;
 * -ECONNRESET: the peer is gone; -EMSGSIZE: it was longer, or had more descriptors;
 * -EMFILE: there is no room for those.
 */
int fd_message_receive(int socket, void *bytes, size_t room, size_t *ret_len, int *fds, size_t max,
		    size_t *ret_nr);

#endif
