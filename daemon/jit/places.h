/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h - the folders of a session with samples of a process's anonymous memory
 *
 * Each of them gets an object TGID.jo [JT-40]. They are looked up when objects are written, because
 * the session may have changed, and may have parts [SS-60].
 */
#ifndef DAEMON_JIT_PLACES_H
#define DAEMON_JIT_PLACES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The session's own folder and those of its parts. */
struct jit_roots {
	char **dirs;
	size_t nr, room;
};

void jit_roots_read(const char *samples_dir, struct jit_roots *ret);
void jit_roots_free(struct jit_roots *roots);

/* {root}APP/{dep}/{anon:NAME} below @root, malloc'd. NULL: no samples. */
char *jit_place(const char *root, const char *app, const char *anon_name);

struct jit_object {
	const void *bytes;
	size_t size;
	uid_t uid;
	gid_t gid;
	mode_t mode;
};

/*
 * Write @object to @place/TGID.jo atomically: first to a file below @samples_dir/stats, so that
 * neither a reader nor a kill leaves half of it. 0 or -errno.
 */
int jit_place_object(const char *samples_dir, const char *place, uint32_t tgid,
		     const struct jit_object *object);

#endif
