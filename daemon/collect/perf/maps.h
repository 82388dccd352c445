/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - the images of one address space
 *
 * The executable mappings of a process as non-overlapping intervals. A new mapping replaces what it
 * overlaps. The kernel does not report unmapping, so stale intervals stay until they are replaced
 * [PC-31]. A process and its forks share a table until one of them changes it.
 */
#ifndef DAEMON_COLLECT_PERF_MAPS_H
#define DAEMON_COLLECT_PERF_MAPS_H

#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/cookies.h"

struct perf_mapping {
	uint64_t start, end;		/* addresses, end excluded */
	uint64_t offset;		/* of start in the file */
	uint64_t since;			/* it is certain for samples of that time and later */
	struct perf_image *image;	/* a reference */
};

/*
 * Any user can map much, and often. Of a process at most so many mappings are known, because a
 * table is moved when one is inserted at its beginning. All tables and images together have at most
 * PERF_MAPS_BYTES_MAX; from half of that on, only processes with few mappings get more. [PC-38]
 */
#define PERF_MAPS_MAX		8192
#define PERF_MAPS_FEW		1024
#define PERF_MAPS_BYTES_MAX	(UINT64_C(256) << 20)

struct perf_maps {
	unsigned int refs;
	bool is_cut;			/* a mapping was left out */
	size_t nr, room;
	struct perf_mapping *mappings;	/* by address */
};

/* One more reference; NULL stays NULL. */
struct perf_maps *perf_maps_share(struct perf_maps *maps);
void perf_maps_put(struct perf_cookies *t, struct perf_maps *maps);	/* NULL is fine */

/*
 * Add @mapping to **maps, which may be NULL (none yet) and is replaced by a copy if shared. Takes a
 * reference of its own on the image. start < end. At a limit nothing is mapped there and is_cut is
 * set.
 */
void perf_maps_add(struct perf_cookies *t, struct perf_maps **maps,
		   const struct perf_mapping *mapping);

/* The mapping that @pc lies in, or NULL. */
const struct perf_mapping *perf_maps_find(const struct perf_maps *maps, uint64_t pc);

#endif
