/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.h - open what this process may not open, by its opener (start.h)
 *
 * Without an opener each does the same itself, so that callers need not know. Any thread; each
 * waits for the answer as long as the call itself would block: who must not wait has it done by
 * libutil/errand.h. Descriptors are close-on-exec and the caller's.
 */
#ifndef LIBUTIL_OPENER_ASK_H
#define LIBUTIL_OPENER_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "libutil/opener/requests.h"

/* open(@path, @flags), also of files of /proc and of the module. A descriptor or -errno. */
int opener_open(const char *path, int flags);

/*
 * The path that @proc/@pid/exe links to, cut off at @size, and with @handle an O_PATH descriptor of
 * the file, or -errno. Opening that may ask its server on the network. 0 or -errno: no program.
 */
int opener_program(const char *proc, uint32_t pid, char *path, size_t size, int *handle);

/* opener_open() as a stream to read. NULL: it cannot be opened. */
FILE *opener_fopen(const char *path);

struct opener_mapping {
	uint64_t start, end;		/* as a line of maps has it */
	int handle;			/* O_PATH descriptor of its file, or -errno */
};

/*
 * Set the handles of the files of @nr mappings, up to OPENER_RANGES_MAX, of @proc/@pid. @proc:
 * "/proc", or a folder like it, for which no opener is asked.
 */
void opener_map_files(const char *proc, uint32_t pid, struct opener_mapping *mappings, size_t nr);

/*
 * If there is an opener and this process was refused: a handle of @path below the folder @root, or
 * our own root if that is negative; with @below not through links or mounts.
 */
int opener_path(int root, const char *path, bool below);

/* The same for a descriptor to read the file of @handle, an executable or one of JIT symbols. */
int opener_file(int handle);

/* The folder of the control group @id, whose hierarchy is mounted at the folder @mount. */
int opener_cgroup(int mount, uint64_t id);

/* perf_event_open(2) without a group. */
int opener_perf_event(const struct perf_event_attr *attr, pid_t tid, int cpu);

/* Set owner, group and mode of @fd's file, which is ours. 0 or -errno. */
int opener_give(int fd, uid_t uid, gid_t gid, mode_t mode);

/* unlink(@path), also if it is one of those that were named to the opener. 0 or -errno. */
int opener_remove(const char *path);

/* Up to OPENER_PIDS_MAX processes of @proc after @after, in order. Their number, or -errno. */
int opener_list(const char *proc, uint32_t after, uint32_t *pids);

/* For start.c: the socket, and the files that it removes. */
void opener_use(int socket, const char *const *removable, size_t nr);

/*
 * While this thread waits for the opener, *@tid (atomic) is that one's thread, or OPENER_STARTS if
 * that has not begun; else 0.
 */
#define OPENER_STARTS	(-1)
void opener_note_thread(pid_t *tid);

bool opener_is_used(void);

/* False: there is one, and it has ended. */
bool opener_is_alive(void);

/* For the opener, and without one: the calls themselves. */
int opener_cgroup_here(int mount, uint64_t id);
int opener_give_here(int fd, uid_t uid, gid_t gid, mode_t mode);
int opener_perf_event_here(const struct perf_event_attr *attr, pid_t tid, int cpu);
int opener_list_here(const char *proc, uint32_t after, uint32_t *pids);
void opener_map_files_here(const char *proc, uint32_t pid, struct opener_mapping *mappings,
			   size_t nr);

#endif
