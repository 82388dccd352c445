/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h - find and open the JIT symbol files of a process
 *
 * The files are in folders where any user may write, as seen by the process, which may have its own
 * mount namespace. Only files of the process's owner or root are accepted, and only if opening and
 * reading them is safe: doc/jit.md [JT-1] ff. Descriptors are kept open, so that the process and
 * its namespace may end before the files are read: of files, and while the process lives of the
 * folders too, because many programs write a file just before they end.
 */
#ifndef DAEMON_JIT_FILES_H
#define DAEMON_JIT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

enum jit_kind {
	JIT_PERF_MAP,		/* /tmp/perf-PID.map */
	JIT_JITDUMP,		/* jit-PID.dump, mapped by the process */
	JIT_DUMP,		/* PID.dump of libopagent */
	JIT_REGISTERED,		/* a copy of what the process registered for debuggers */
	JIT_INTERPRETED,	/* copies of code objects of an interpreter */
	JIT_KINDS,
};

enum jit_folder_kind {
	JIT_TMP,		/* /tmp */
	JIT_RUN_EFFECTIVE,	/* /run/user/UID, of the effective UID */
	JIT_RUN_REAL,		/* and of the real one, if that is another */
	JIT_FOLDERS,
};

struct jit_files {
	int fd[JIT_KINDS];	/* or -1 */
	int folder[JIT_FOLDERS];	/* O_PATH, or -1; closed after the last look */
	bool refused;		/* the last look found a file that is not acceptable */
};

#define JIT_UIDS 4

/* The owner of a process, from /proc. */
struct jit_owner {
	bool alive;
	uid_t uids[JIT_UIDS];	/* real, effective, saved, file system */
	uint32_t pid;		/* in the process's own namespace */
	int64_t start;		/* when it began, seconds since 1970 */
};

/*
 * Whether a file of this name, or a folder that was found at @path below any root, can be one that
 * is looked for: /tmp, where everybody may write, or what is its user's only.
 */
bool jit_is_symbol_file(const char *name);
bool jit_is_symbol_folder(const char *path, const struct stat *st);

void jit_files_init(struct jit_files *f);
void jit_files_close(struct jit_files *f);
bool jit_files_has_any(const struct jit_files *f);

/* Use @fd, a copy from the process's memory, instead of an older one; it is taken over. */
void jit_files_take_copy(struct jit_files *f, enum jit_kind kind, int fd);

/* State of the files, for comparison with memcmp(): changes whenever a file is written. */
struct jit_version {
	off_t size[JIT_KINDS];
	struct timespec mtime[JIT_KINDS];
	ino_t ino[JIT_KINDS];
};

void jit_files_version(const struct jit_files *f, struct jit_version *ret);

/*
 * Look for @tgid's files and keep them open; files already open stay so unless they were replaced.
 * Updates *owner, of which only alive changes if the process is gone: then this is the last look.
 * @owner->pid 0: never seen alive. @proc: "/proc". False: its root cannot be had now, look again.
 */
bool jit_files_look(const char *proc, uint32_t tgid, struct jit_owner *owner, struct jit_files *f);

#endif
