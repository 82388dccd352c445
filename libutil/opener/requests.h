/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests.h - what is said between a program and its opener */
#ifndef LIBUTIL_OPENER_REQUESTS_H
#define LIBUTIL_OPENER_REQUESTS_H

#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPENER_RANGES_MAX	64
#define OPENER_PIDS_MAX		1024
#define OPENER_CONNECTIONS_MAX	48	/* requests at a time; each is a thread of the opener */

enum opener_kind {
	OPENER_PROC,		/* @file of the process or thread @pid, for "comm" of thread @tid */
	OPENER_KERNEL,		/* the kernel's file @file */
	OPENER_MODULE,		/* @path below the module's mount point, with O_WRONLY if @nr */
	OPENER_MAP_FILES,	/* handles of what @pid maps at the first @nr of @ranges */
	OPENER_PATH,		/* a handle of @path, below the descriptor if there is one */
	OPENER_BELOW,		/* the same, not through links or mounts */
	OPENER_FILE,		/* to read the file of the descriptor, a handle */
	OPENER_CGROUP,		/* the group @id of the mount of the descriptor */
	OPENER_PERF,		/* the event @attr on the CPU @nr */
	OPENER_GIVE,		/* give the descriptor's file @mode and to @uid and @gid */
	OPENER_REMOVE,		/* the file @file of those that were named at the start */
	OPENER_LIST,		/* processes after @pid */
	OPENER_REGISTERED,	/* what @pid registered at the first @nr of @ranges, as places */
	OPENER_OBJECTS,		/* code objects of @pid there, of the runtime numbered @file */
};

/* "Handle": an O_PATH descriptor. */
struct opener_request {
	uint32_t kind;
	uint32_t pid, tid, file, nr, uid, gid, mode;
	uint64_t id;
	union {
		struct { uint64_t start, end; } ranges[OPENER_RANGES_MAX];
		char path[PATH_MAX];
		struct perf_event_attr attr;
	};
};

/* Bytes of a request of @kind; 0: there is none. */
static inline size_t opener_request_size(uint32_t kind)
{
	const size_t head = offsetof(struct opener_request, path);

	switch (kind) {
	case OPENER_MAP_FILES:
	case OPENER_REGISTERED:
	case OPENER_OBJECTS:
		return head + sizeof(((struct opener_request *)0)->ranges);
	case OPENER_PERF:
		return head + sizeof(struct perf_event_attr);
	case OPENER_PATH:
	case OPENER_BELOW:
	case OPENER_MODULE:
		return sizeof(struct opener_request);
	default:
		return kind <= OPENER_LIST ? head : 0;
	}
}

/* With a descriptor, or for OPENER_MAP_FILES with one for each result of 0. */
struct opener_answer {
	int32_t err;			/* 0 or -errno */
	uint32_t nr;			/* results that follow */
	int32_t tid;			/* of the thread that answers on this connection */
	int32_t results[OPENER_PIDS_MAX];	/* 0 or -errno of mappings; processes */
};

static inline size_t opener_answer_size(const struct opener_answer *a)
{
	return offsetof(struct opener_answer, results) + a->nr * sizeof(*a->results);
}

/*
 * paths.c: fill in @ret for a file that an opener opens with @flags; false: it is none.
 * *is_private: others than root see nothing of it, or not all, so there is no use in trying.
 */
bool opener_parse(const char *path, int flags, struct opener_request *ret, bool *is_private);

/* The reverse, with the flags. False: no such file. */
bool opener_format(const struct opener_request *r, char path[PATH_MAX], int *ret_flags);

#endif
