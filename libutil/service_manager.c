// SPDX-License-Identifier: GPL-2.0-or-later
/* service_manager.c - the few things of libsystemd that a daemon needs */
#include "libutil/service_manager.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/number.h"

void service_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (len < 2 || len >= sizeof(address.sun_path) || (*path != '/' && *path != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (*path == '@')		/* an abstract name, which has no end but its length */
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
		     (const struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

/* 0: none is expected. WATCHDOG_PID: for another process, which started this one. */
static int watchdog_ms(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t us, id;

	if (!usec || number_parse_u64(usec, &us) || us < 2000)
		return 0;
	if (pid && (number_parse_u64(pid, &id) || id != (uint64_t)getpid()))
		return 0;
	return us / 2000 > INT32_MAX ? INT32_MAX : (int)(us / 2000);
}

int service_alive(void)
{
	static int64_t due;
	int interval = watchdog_ms();
	int64_t now = now_ms();

	if (!interval)
		return INT32_MAX;
	if (now >= due) {
		service_notify("WATCHDOG=1");
		due = now + interval;
	}
	return (int)(due - now);
}

bool service_is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uintmax_t dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%ju:%ju", &dev, &ino) == 2 && !fstat(fd, &st) &&
	       st.st_dev == dev && st.st_ino == ino;
}
