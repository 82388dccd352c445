// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http.c - any bytes as a request
 *
 * They come in two pieces, so that a length that was right once is looked at again.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct http_request *r)
{
	char text[16];

	if (strlen(r->path) + strlen(r->query) > HTTP_HEADER_MAX)
		abort();
	if (r->body && strlen(r->body) > r->body_size)
		abort();
	if (http_is_local(r) && !r->host)
		abort();
	if (http_number(r, "seconds", 30) < -1)
		abort();
	if (!http_text(r, "since", text, sizeof(text)) && strlen(text) >= sizeof(text))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_request r;
	int ends[2], status;

	if (size > 100000)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
	    fcntl(ends[0], F_SETFL, O_NONBLOCK) || fcntl(ends[1], F_SETFL, O_NONBLOCK))
		abort();
	if (send(ends[1], data, size / 2, MSG_NOSIGNAL) >= 0)
		(void)!send(ends[1], data + size / 2, size - size / 2, MSG_NOSIGNAL);
	close(ends[1]);
	status = http_read(ends[0], &r);
	if (!status)
		use(&r);
	else if (status != -1 && (status < 400 || status > 599))
		abort();
	free(r.body);
	close(ends[0]);
	return 0;
}
