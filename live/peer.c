// SPDX-License-Identifier: GPL-2.0-or-later
/* peer.c - ask the kernel's sock_diag for the owner of the other socket */
#include "live/peer.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static void put_address(const union address *a, __be16 *port, __be32 *bytes)
{
	if (a->any.sa_family == AF_INET) {
		*port = a->v4.sin_port;
		memcpy(bytes, &a->v4.sin_addr, sizeof(a->v4.sin_addr));
	} else {
		*port = a->v6.sin6_port;
		memcpy(bytes, &a->v6.sin6_addr, sizeof(a->v6.sin6_addr));
	}
}

/* The kernel answers at once, in send(): there is nothing to wait for. */
static int ask(const struct inet_diag_req_v2 *which, struct inet_diag_msg *ret)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 which;
	} request = { { .nlmsg_len = sizeof(request), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST }, *which };
	union {
		struct nlmsghdr header;
		unsigned char bytes[8192];
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), err = 0;
	ssize_t n = -1;

	if (fd < 0)
		return -errno;
	if (send(fd, &request, sizeof(request), 0) < 0)
		err = -errno;
	else if ((n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT)) < 0)
		err = -errno;
	close(fd);
	if (err)
		return err;
	if (n >= (ssize_t)NLMSG_LENGTH(sizeof(*ret)) &&
	    answer.header.nlmsg_type == SOCK_DIAG_BY_FAMILY) {
		memcpy(ret, NLMSG_DATA(&answer.header), sizeof(*ret));
		return 0;
	}
	if (n >= (ssize_t)NLMSG_LENGTH(sizeof(int)) && answer.header.nlmsg_type == NLMSG_ERROR)
		memcpy(&err, NLMSG_DATA(&answer.header), sizeof(err));
	return err < 0 ? err : -EPROTO;
}

/* What is closed belongs to nobody, and kernels name root as the owner then. */
static bool is_open(const struct inet_diag_msg *m)
{
	return m->idiag_inode && (m->idiag_state == TCP_ESTABLISHED ||
				  m->idiag_state == TCP_FIN_WAIT1 ||
				  m->idiag_state == TCP_FIN_WAIT2);
}

int peer_uid(int fd, uid_t *ret)
{
	struct inet_diag_req_v2 which = { .sdiag_protocol = IPPROTO_TCP,
					  .idiag_states = ~0u,
					  .id.idiag_cookie = { INET_DIAG_NOCOOKIE,
							       INET_DIAG_NOCOOKIE } };
	union address here, there;
	socklen_t here_size = sizeof(here), there_size = sizeof(there);
	struct inet_diag_msg socket;
	int err;

	if (getsockname(fd, &here.any, &here_size) || getpeername(fd, &there.any, &there_size))
		return errno == ENOTCONN ? -ENOENT : -errno;
	if (here.any.sa_family != AF_INET && here.any.sa_family != AF_INET6)
		return -EAFNOSUPPORT;
	which.sdiag_family = (__u8)here.any.sa_family;
	put_address(&there, &which.id.idiag_sport, which.id.idiag_src);
	put_address(&here, &which.id.idiag_dport, which.id.idiag_dst);
	err = ask(&which, &socket);
	if (!err && !is_open(&socket))
		err = -ENOENT;
	if (!err)
		*ret = socket.idiag_uid;
	return err;
}
