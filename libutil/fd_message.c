// SPDX-License-Identifier: GPL-2.0-or-later
/* fd_message.c - sendmsg(2) and recvmsg(2) with SCM_RIGHTS */
#include "libutil/fd_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union descriptors {
	char bytes[CMSG_SPACE(FD_MESSAGE_MAX * sizeof(int))];
	struct cmsghdr align;
};

int fd_message_send(int socket, const void *bytes, size_t len, const int *fds, size_t nr)
{
	struct iovec part = { (void *)bytes, len };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	union descriptors control;
	struct cmsghdr *c;
	ssize_t n;

	if (nr > FD_MESSAGE_MAX)
		return -EMSGSIZE;
	if (nr) {
		memset(control.bytes, 0, CMSG_SPACE(nr * sizeof(int)));
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nr * sizeof(int));
	}
	do
		n = sendmsg(socket, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int fd_message_receive(int socket, void *bytes, size_t room, size_t *ret_len, int *fds, size_t max,
		    size_t *ret_nr)
{
	union descriptors control;
	struct iovec part = { bytes, room };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	const struct cmsghdr *c;
	int got[FD_MESSAGE_MAX];
	size_t nr = 0;
	ssize_t n;

	do
		n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -ECONNRESET;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(got, CMSG_DATA(c), nr * sizeof(int));
	}
	if (nr > max || (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		for (size_t i = 0; i < nr; i++)
			close(got[i]);
		return m.msg_flags & MSG_CTRUNC ? -EMFILE : -EMSGSIZE;
	}
	if (nr)
		memcpy(fds, got, nr * sizeof(int));
	*ret_len = (size_t)n;
	*ret_nr = nr;
	return 0;
}
