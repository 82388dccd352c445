/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects.h - convert the files of processes to objects beside their samples [JT-40] */
#ifndef DAEMON_JIT_OBJECTS_H
#define DAEMON_JIT_OBJECTS_H

#include "daemon/jit/code.h"
#include "daemon/jit/places.h"
#include "daemon/jit/process.h"
#include "libutil/clock.h"

/* What the jobs of one user may cost, so that they do not keep others from theirs. [JT-52] */
#define JIT_USERS_MAX		64		/* further ones share the last */
#define JIT_USER_NS		(60 * NS_PER_SECOND)		/* of a conversion */
#define JIT_ALL_NS		(120 * NS_PER_SECOND)
#define JIT_USER_BYTES		(UINT64_C(512) << 20)		/* of a session */
#define JIT_ALL_BYTES		(UINT64_C(2) << 30)
#define JIT_KEEP_FREE		(UINT64_C(64) << 20)		/* bytes of the disk, for samples */

struct jit_user {
	uid_t uid;
	uint64_t time_ns;
	uint64_t bytes;
	bool had_killed;		/* in this conversion: its other files wait for the next */
};

struct jit_users {
	struct jit_user users[JIT_USERS_MAX];
	size_t nr;
	uint64_t time_ns, bytes;		/* of all */
};

/* The session that objects are written to. */
struct jit_output {
	char *samples_dir;
	struct jit_roots roots;
	struct jit_window window;
	struct jit_users costs;
	bool logged_failure;		/* of a conversion: later ones are not logged */
};

/* Whether the files of @q changed since its objects were written, or a place needs another one. */
bool jit_objects_are_due(const struct jit_output *o, const struct jit_process *q);

void jit_objects_begin_session(struct jit_output *o);

/*
 * Write the objects of the @nr processes @due. @meanwhile, if not NULL, is called now and then.
 * Returns the number of processes with new objects. Those whose user has no time left stay due.
 */
size_t jit_objects_write(struct jit_output *o, struct jit_process *const *due, size_t nr,
			 void (*meanwhile)(void *context), void *context);

#endif
