// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - find JIT symbol files, and open them safely
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/collect/perf/mounts.h"
#include "daemon/collect/perf/proc.h"
#include "daemon/collect/perf/proc_files.h"
#include "daemon/jit/owner.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/quiet_path.h"
#include "libutil/xalloc.h"

#define MAPS_MAX	(8u << 20)	/* bytes of /proc/TGID/maps */
#define RUN_USER	"/run/user/"

/* A search for one process's files. */
struct search {
	const char *proc;
	uint32_t tgid;
	const struct jit_owner *owner;
	int root;			/* the process's root folder, AT_FDCWD: ours, or -1: gone */
	struct jit_files *files;
};

void jit_files_init(struct jit_files *f)
{
	*f = (struct jit_files){ 0 };
	for (size_t i = 0; i < JIT_KINDS; i++)
		f->fd[i] = -1;
	for (size_t i = 0; i < JIT_FOLDERS; i++)
		f->folder[i] = -1;
}

static void close_folders(struct jit_files *f)
{
	for (size_t i = 0; i < JIT_FOLDERS; i++) {
		if (f->folder[i] >= 0)
			close(f->folder[i]);
		f->folder[i] = -1;
	}
}

void jit_files_close(struct jit_files *f)
{
	for (size_t i = 0; i < JIT_KINDS; i++)
		if (f->fd[i] >= 0)
			close(f->fd[i]);
	close_folders(f);
	jit_files_init(f);
}

bool jit_files_has_any(const struct jit_files *f)
{
	for (size_t i = 0; i < JIT_KINDS; i++)
		if (f->fd[i] >= 0)
			return true;
	return false;
}

void jit_files_version(const struct jit_files *f, struct jit_version *ret)
{
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < JIT_KINDS; i++)
		if (f->fd[i] >= 0 && !quiet_stat(f->fd[i], &st)) {
			ret->size[i] = st.st_size;
			ret->mtime[i] = st.st_mtim;
			ret->ino[i] = st.st_ino;
		}
}

static bool same_file(int a, int b)
{
	struct stat x, y;

	return !quiet_stat(a, &x) && !quiet_stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

void jit_files_take_copy(struct jit_files *f, enum jit_kind kind, int fd)
{
	int old = f->fd[kind];

	if (old >= 0 && same_file(old, fd)) {
		close(fd);
		return;
	}
	if (old >= 0)
		close(old);
	f->fd[kind] = fd;
}

/* [JT-2] An older file may be of an earlier process with the same number. */
static bool is_acceptable(const struct search *s, const struct stat *st)
{
	return S_ISREG(st->st_mode) && jit_owner_allows(s->owner, st->st_uid) &&
	       (!s->owner->pid || st->st_mtime + 1 >= s->owner->start);
}

/* Open the file of @handle, an O_PATH descriptor or negative, which is closed. */
static bool take(struct search *s, enum jit_kind kind, int handle)
{
	int *held = &s->files->fd[kind], fd = -1;
	struct stat st;

	if (handle < 0)
		return false;
	if (!quiet_stat(handle, &st) && is_acceptable(s, &st))
		fd = quiet_open_file(handle);
	close(handle);
	if (fd < 0) {
		s->files->refused = true;
		return false;
	}
	if (*held >= 0 && same_file(*held, fd)) {
		close(fd);
		return true;
	}
	if (*held >= 0)
		close(*held);
	*held = fd;
	return true;
}

/*
 * Open the folder @path, which must not be on a file system served by a user. If that cannot be
 * known, because the process is just ending, the one that is held stays.
 */
static void hold_folder(struct search *s, enum jit_folder_kind kind, const char *path)
{
	int dir = quiet_open(s->root, path), *held = &s->files->folder[kind];

	if (dir < 0)
		return;
	if (perf_mount_answers(s->proc, s->root == AT_FDCWD ? 0 : s->tgid, dir)) {
		int old = *held;

		*held = dir;
		dir = old;
	}
	if (dir >= 0)
		close(dir);
}

static void hold_run_folder(struct search *s, enum jit_folder_kind kind, uid_t uid)
{
	char path[40];

	snprintf(path, sizeof(path), RUN_USER "%u", uid);
	hold_folder(s, kind, path);
}

/* Open @name in a folder that is held. */
static bool take_below(struct search *s, enum jit_kind kind, enum jit_folder_kind folder,
		       const char *name)
{
	int handle = -1;

	if (s->files->folder[folder] >= 0) {
		handle = quiet_open_below(s->files->folder[folder], name);
		if (handle == -ELOOP || handle == -EXDEV)	/* in the path [JT-2] */
			s->files->refused = true;
	}
	return take(s, kind, handle);
}

static void look_for_perf_map(struct search *s, uint32_t pid)
{
	char name[40];

	snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", pid);
	take_below(s, JIT_PERF_MAP, JIT_TMP, name);
}

/* [JT-11] Where libopagent puts them: libagent/dump_folder.c. */
static void look_for_dump(struct search *s, uint32_t pid, enum jit_folder_kind run, uid_t uid)
{
	char name[80];

	snprintf(name, sizeof(name), "oprofile/jitdump/%" PRIu32 ".dump", pid);
	if (take_below(s, JIT_DUMP, run, name))
		return;
	snprintf(name, sizeof(name), "oprofile-%u/jitdump/%" PRIu32 ".dump", uid, pid);
	take_below(s, JIT_DUMP, JIT_TMP, name);
}

/* [JT-3] "jit-PID.dump", of which the process maps a page so that it can be found. */
static bool is_jitdump(const struct search *s, const char *path)
{
	char name[2][40];
	const char *base = path_base(path);

	snprintf(name[0], sizeof(name[0]), "jit-%" PRIu32 ".dump", s->owner->pid);
	snprintf(name[1], sizeof(name[1]), "jit-%" PRIu32 ".dump", s->tgid);
	for (size_t i = 0; i < 2; i++) {
		size_t len = strlen(name[i]);

		if (!strncmp(base, name[i], len) &&
		    (!base[len] || !strcmp(base + len, " (deleted)")))
			return true;
	}
	return false;
}

static void take_mapped(struct search *s, const struct perf_maps_line *line)
{
	struct opener_mapping mapping = { line->start, line->end, -1 };
	int handle;

	proc_files_open(s->proc, s->tgid, &mapping, 1);
	handle = mapping.handle;
	if (handle < 0)			/* map_files needs root */
		handle = quiet_open(s->root, line->path);
	if (handle >= 0 && !perf_mount_answers(s->proc, s->tgid, handle)) {
		close(handle);
		s->files->refused = true;
		return;
	}
	take(s, JIT_JITDUMP, handle);
}

/* False: its mappings could not be read yet. */
static bool look_for_jitdump(struct search *s)
{
	char *text, *rest;
	int err = proc_files_read_maps(s->proc, s->tgid, MAPS_MAX, &text);

	if (err)
		return err != -EAGAIN;
	for (char *p = strtok_r(text, "\n", &rest); p; p = strtok_r(NULL, "\n", &rest)) {
		struct perf_maps_line line;

		if (strstr(p, "/jit-") && perf_parse_maps_line(p, &line) &&
		    is_jitdump(s, line.path)) {
			take_mapped(s, &line);
			break;
		}
	}
	free(text);
	return true;
}

/* "PREFIX", digits, "SUFFIX" */
static bool has_number(const char *name, const char *prefix, const char *suffix)
{
	size_t len = strlen(prefix), digits;

	if (strncmp(name, prefix, len))
		return false;
	digits = strspn(name + len, "0123456789");
	return digits && !strcmp(name + len + digits, suffix);
}

bool jit_is_symbol_file(const char *name)
{
	return has_number(name, "perf-", ".map") || has_number(name, "", ".dump") ||
	       has_number(name, "jit-", ".dump");
}

bool jit_is_symbol_folder(const char *path, const struct stat *st)
{
	uint64_t uid;

	if (!strcmp(path, "/tmp"))
		return (st->st_mode & 07777) == 01777;
	return has_number(path, RUN_USER, "") &&
	       !number_parse_range(path + strlen(RUN_USER), 0, UINT32_MAX, &uid) &&
	       st->st_uid == uid && (st->st_mode & 0777) == 0700;
}

static void look_in_folders(struct search *s)
{
	const uid_t *uids = s->owner->uids;

	look_for_perf_map(s, s->owner->pid);
	look_for_dump(s, s->owner->pid, JIT_RUN_EFFECTIVE, uids[1]);
	if (s->files->fd[JIT_DUMP] < 0 && uids[0] != uids[1])
		look_for_dump(s, s->owner->pid, JIT_RUN_REAL, uids[0]);
}

/*
 * A process that ends has no root folder any more: look in the folders that are held. False: look
 * again.
 */
static bool look_alive(struct search *s)
{
	const uid_t *uids = s->owner->uids;
	bool done;

	s->root = proc_files_open_root(s->proc, s->tgid);
	if (s->root >= 0) {
		hold_folder(s, JIT_TMP, "/tmp");
		hold_run_folder(s, JIT_RUN_EFFECTIVE, uids[1]);
		if (uids[0] != uids[1])
			hold_run_folder(s, JIT_RUN_REAL, uids[0]);
	}
	look_in_folders(s);
	if (s->root < 0)
		return s->root != -EAGAIN;
	done = look_for_jitdump(s);
	close(s->root);
	return done;
}

/* [JT-4] It ended before the first look: files in our own folders may still be its. */
static void look_dead(struct search *s)
{
	uid_t uid = opener_is_used() ? 0 : geteuid();	/* who started us */

	s->root = AT_FDCWD;
	hold_folder(s, JIT_TMP, "/tmp");
	hold_run_folder(s, JIT_RUN_EFFECTIVE, uid);
	look_for_perf_map(s, s->tgid);
	look_for_dump(s, s->tgid, JIT_RUN_EFFECTIVE, uid);
}

bool jit_files_look(const char *proc, uint32_t tgid, struct jit_owner *owner, struct jit_files *f)
{
	struct search s = { .proc = proc, .tgid = tgid, .owner = owner, .files = f };
	bool was_alive = owner->alive, done = true;

	jit_owner_look(proc, tgid, owner);
	if (!owner->alive && owner->pid && !was_alive)
		return true;
	f->refused = false;
	if (owner->alive)
		done = look_alive(&s);
	else if (owner->pid)		/* it ended since the last look: what did it write? */
		look_in_folders(&s);
	else
		look_dead(&s);
	if (!owner->alive)
		close_folders(f);
	return done;
}
