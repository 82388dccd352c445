/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h - finding and opening what a process wrote about the code it made
 *
 * The files lie where any user may write, as seen by the process, which may have a mount namespace
 * of its own. Nobody's file but the process' owner's or root's is taken, and none that opening or
 * reading could be a trap of: doc/jit.md [JT-1] ff. Descriptors are kept, so that a process may
 * end, and its namespace with it, before the files are read.
 */
#ifndef DAEMON_JIT_FILES_H
#define DAEMON_JIT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum jit_kind {
	JIT_PERF_MAP,		/* /tmp/perf-PID.map */
	JIT_JITDUMP,		/* jit-PID.dump, mapped by the process */
	JIT_DUMP,		/* PID.dump of libopagent */
	JIT_KINDS,
};

struct jit_files {
	int fd[JIT_KINDS];	/* or -1 */
	bool refused;		/* the last look found a file that can't be taken */
};

#define JIT_UIDS 4

/* Whose process it is, as /proc tells. */
struct jit_owner {
	bool alive;
	uid_t uids[JIT_UIDS];	/* real, effective, saved, of files */
	uint32_t pid;		/* as the process sees itself */
	int64_t start;		/* when it began, seconds since 1970 */
};

void jit_files_init(struct jit_files *f);
void jit_files_close(struct jit_files *f);
bool jit_files_any(const struct jit_files *f);

/* What the files are like, to be compared by memcmp(): another one if anything was written. */
struct jit_version {
	off_t size[JIT_KINDS];
	struct timespec mtime[JIT_KINDS];
	ino_t ino[JIT_KINDS];
};

void jit_files_version(const struct jit_files *f, struct jit_version *ret);

/*
 * Look for @tgid's files, and keep what is found; files that are open stay so unless others have
 * taken their place. *owner is brought up to date, and stays as it was when the process is gone;
 * @owner->pid 0: never seen alive. @proc: "/proc".
 */
void jit_files_look(const char *proc, uint32_t tgid, struct jit_owner *owner, struct jit_files *f);

#endif
