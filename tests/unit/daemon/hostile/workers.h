/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workers.h - the daemon's process, and what its tasks have open */
#ifndef TESTS_UNIT_DAEMON_HOSTILE_WORKERS_H
#define TESTS_UNIT_DAEMON_HOSTILE_WORKERS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/strbuf.h"
#include "tests/unit/children.h"
#include "tests/unit/daemon/program.h"

static inline pid_t daemon_pid(void)
{
	struct strbuf text = STRBUF_INIT;
	int pid = 0;

	CHECK(!channel_ask(tmpdir_path("sd/control"), "status", 20000, &text, NULL) &&
	      sscanf(text.text, "pid %d", &pid) == 1, "no status");
	strbuf_free(&text);
	return pid;
}

static inline bool worker_has_open(pid_t pid, const char *path)
{
	char *name = xasprintf("/proc/%d/fd", pid), target[4096];
	DIR *dir = opendir(name);
	struct dirent *entry;
	bool has = false;

	while (dir && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		has |= !strcmp(target, path);
	}
	if (dir)
		closedir(dir);
	free(name);
	return has;
}

#endif
