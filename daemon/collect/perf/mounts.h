/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts.h - whether a file can be asked for anything without waiting for some user's program
 *
 * A FUSE file system is served by a process of any user's. One that never answers would keep the
 * daemon waiting for ever, in a sleep that not even kill -9 ends. So nothing is read from there,
 * nor from an overlay that may lie above one. doc/internals.md
 */
#ifndef DAEMON_COLLECT_PERF_MOUNTS_H
#define DAEMON_COLLECT_PERF_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * @fd (O_PATH is enough) was opened by way of process @tgid, 0: a path of our own. False also if
 * nothing can be found out. Never waits itself. @proc: "/proc".
 */
bool perf_mount_answers(const char *proc, uint32_t tgid, int fd);

/* The texts of mountinfo files. @first is the first process', for mounts that are in no other. */
struct perf_mount_lists {
	const char *theirs, *ours, *first;
};

/* Where a file lies: its mount and, as the file itself has it, the device. */
struct perf_mount_key {
	uint64_t id;
	unsigned int major, minor;
};

/* The same, given what there is to know; for tests. */
bool perf_mount_answers_by(const struct perf_mount_lists *lists, const struct perf_mount_key *key);

#endif
