// SPDX-License-Identifier: GPL-2.0-or-later
/* owner.c - read a process's owner, its pid in its own namespace, and its start time */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "daemon/jit/owner.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define STATUS_MAX	65536		/* bytes */

static char *read_proc(const char *proc, uint32_t tgid, const char *name)
{
	char *path = xasprintf("%s/%" PRIu32 "/%s", proc, tgid, name), *text;

	if (file_read_all(path, STATUS_MAX, &text, NULL))
		text = NULL;
	free(path);
	return text;
}

/* The last number of "NStgid:", the innermost namespace's. */
static uint32_t own_pid(const char *status, uint32_t tgid)
{
	const char *p = strstr(status, "\nNStgid:");
	uint32_t pid = tgid;
	int used;

	if (!p)
		return tgid;
	for (p += strlen("\nNStgid:"); sscanf(p, " %" SCNu32 "%n", &pid, &used) == 1; p += used)
		if (*p == '\n')
			break;
	return pid;
}

/* Field 22 of stat, in ticks since boot. Search from the end, the name may contain anything. */
static bool start_of(const char *stat, int64_t *ret)
{
	const char *p = strrchr(stat, ')');
	struct timespec boot, wall;
	unsigned long long ticks;

	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
				"%*d %*d %*d %llu", &ticks) != 1)
		return false;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &wall);
	*ret = wall.tv_sec - boot.tv_sec + (int64_t)(ticks / (unsigned long)sysconf(_SC_CLK_TCK));
	return true;
}

bool jit_owner_parse(const char *status, const char *stat, uint32_t tgid, struct jit_owner *ret)
{
	const char *p = strstr(status, "\nUid:");
	struct jit_owner o = { .alive = true };

	if (!p || sscanf(p, "\nUid: %u %u %u %u", &o.uids[0], &o.uids[1], &o.uids[2],
			 &o.uids[3]) != JIT_UIDS || !start_of(stat, &o.start))
		return false;
	o.pid = own_pid(status, tgid);
	*ret = o;
	return true;
}

void jit_owner_look(const char *proc, uint32_t tgid, struct jit_owner *owner)
{
	char *status = read_proc(proc, tgid, "status"), *stat = read_proc(proc, tgid, "stat");

	owner->alive = status && stat && jit_owner_parse(status, stat, tgid, owner);
	free(status);
	free(stat);
}

bool jit_owner_allows(const struct jit_owner *owner, uid_t uid)
{
	if (!uid)
		return true;
	if (!owner->pid)		/* never seen alive: only files that we wrote ourselves */
		return uid == geteuid();
	for (size_t i = 0; i < JIT_UIDS; i++)
		if (owner->uids[i] == uid)
			return true;
	return false;
}
