/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts.h - whether a file can be accessed without waiting for a user's program
 *
 * Any user may serve a FUSE file system. A server that never answers would block the daemon
 * forever, in a sleep that not even kill -9 ends. So nothing is read from FUSE, nor from an overlay
 * that may be above it. doc/internals.md
 */
#ifndef DAEMON_COLLECT_PERF_MOUNTS_H
#define DAEMON_COLLECT_PERF_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * @fd (O_PATH is enough) was opened through process @tgid; 0: through a path of our own. False also
 * if it cannot be determined. Never waits itself. Only for one thread of the program. @proc:
 * "/proc".
 */
bool perf_mount_answers(const char *proc, uint32_t tgid, int fd);

/*
 * Open the regular file of @handle (O_PATH, or negative), which is closed, to read it. -ESTALE: it
 * is no regular file, or gone. -EOPNOTSUPP: reading might wait.
 */
int perf_open_regular(const char *proc, int handle, uint32_t tgid);

/* Open the file at @path (our own) to read it, if it has this build ID; else as above. */
int perf_open_build(const char *proc, const char *path, const char *build_id);

/* Whether @fd is on a file system that reports different devices to mmap() and stat(). */
bool perf_devices_differ(int fd);

/* Texts of mountinfo files. @first: the first process's, for mounts in no other list. */
struct perf_mount_lists {
	const char *theirs, *ours, *first;
};

/* The mount of a file, and its device according to the file. */
struct perf_mount_key {
	uint64_t id;
	unsigned int major, minor;
};

/* The same from given lists; for tests. */
bool perf_mount_answers_by(const struct perf_mount_lists *lists, const struct perf_mount_key *key);

#endif
