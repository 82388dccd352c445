/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_read.h - a process' mappings and program, as its folder in /proc shows them
 *
 * For those that ran before the rings were open, or of which a record was lost. Nothing here
 * waits for a file server that does not answer (mounts.h).
 */
#ifndef DAEMON_COLLECT_PERF_PROC_READ_H
#define DAEMON_COLLECT_PERF_PROC_READ_H

#include <stdint.h>
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/maps.h"

/* The executable mappings; NULL: none, or the process is gone. Put with perf_maps_put(). */
struct perf_maps *perf_read_maps(struct perf_cookies *cookies, const char *proc, uint32_t tgid);
/*
 * The image among @maps (may be NULL) that the link to the program names, or one of its own, if
 * none does; NULL: a kernel thread, or gone. Put with perf_image_put().
 */
struct perf_image *perf_read_program(struct perf_cookies *cookies, const char *proc, uint32_t tgid,
				     const struct perf_maps *maps);

#endif
