/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h - the folders of a session that hold samples of a process' anonymous memory
 *
 * An object TGID.jo belongs into each of them [JT-40]. They are looked for when objects are to be
 * written: a session may be left for the next one, and may have parts [SS-60].
 */
#ifndef DAEMON_JIT_PLACES_H
#define DAEMON_JIT_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* The session's own folder and those of its parts. */
struct jit_roots {
	char **dirs;
	size_t nr, room;
};

void jit_roots_read(const char *samples_dir, struct jit_roots *ret);
void jit_roots_free(struct jit_roots *roots);

/* {root}APP/{dep}/{anon:NAME} below @root; malloc'd, NULL: there are no samples. */
char *jit_place(const char *root, const char *app, const char *anon_name);

/*
 * @bytes become @place/TGID.jo in one step. Written below @samples_dir/stats first, so that no
 * reader, and no kill, meets half of it there. 0 or -errno.
 */
int jit_place_object(const char *samples_dir, const char *place, uint32_t tgid, const void *bytes,
		     size_t n);

#endif
