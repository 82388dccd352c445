// SPDX-License-Identifier: GPL-2.0-or-later
/* start.c - fork the opener, which gives up what it does not need */
#include "libutil/opener/start.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libutil/opener/ask.h"
#include "libutil/opener/serve.h"
#include "libutil/sandbox/capabilities.h"
#include "libutil/sandbox/sandbox.h"

/* Keys of a terminal and the service manager's signals are meant for the program. */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGALRM, SIGPIPE };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
}

static _Noreturn void run(int socket, const struct opener_config *config)
{
	ignore_signals();
	if (sandbox_leave_descriptors(socket) || capabilities_keep(config->capabilities) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
	    chdir("/") || write(socket, "", 1) != 1)
		_exit(1);
	opener_serve(socket, config);
	_exit(0);
}

int opener_start(const struct opener_config *config, struct op_error *e)
{
	int ends[2], err;
	char ready;
	pid_t pid;

	if (geteuid())
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return op_error_set(e, -errno, "cannot start a process to open files: %s",
				    strerror(errno));
	pid = fork();
	if (pid == 0)
		run(ends[1], config);
	err = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (!err && read(ends[0], &ready, 1) != 1)
		err = -EPERM;
	if (err) {
		close(ends[0]);
		return op_error_set(e, err, "cannot start a process to open files: %s",
				    strerror(-err));
	}
	opener_use(ends[0], config->removable, config->nr_removable);
	return 0;
}
