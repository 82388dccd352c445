/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules.h - detect kernel modules being loaded and unloaded
 *
 * There is no perf record for it, so /proc/modules is read before samples are passed on. A module
 * is announced before its samples, which wait longer than loading takes; its end is announced one
 * drain later, when no sample of it can be left [PC-40].
 */
#ifndef DAEMON_COLLECT_PERF_MODULES_H
#define DAEMON_COLLECT_PERF_MODULES_H

#include <stddef.h>
#include "daemon/collect/perf/emit.h"
#include "daemon/collect/perf/proc.h"

struct perf_modules {
	const char *path;		/* "/proc/modules", or a file like it */
	struct perf_module *loaded;	/* as last read, by start */
	size_t nr_loaded;
	struct perf_module *gone;	/* end not announced yet */
	size_t nr_gone, room_gone;
	void (*before_gone)(void *context);	/* called before ends are announced, or NULL */
	void *context;
};

/* Read what is loaded now, without announcing it. A machine without modules is fine. */
void perf_modules_init(struct perf_modules *m, const char *path);
void perf_modules_free(struct perf_modules *m);

/* Read again and announce what changed. */
void perf_modules_announce(struct perf_modules *m, struct perf_emit *e);

#endif
