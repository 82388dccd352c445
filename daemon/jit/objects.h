/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects.h - convert the files of processes to objects beside their samples [JT-40] */
#ifndef DAEMON_JIT_OBJECTS_H
#define DAEMON_JIT_OBJECTS_H

#include "daemon/jit/code.h"
#include "daemon/jit/places.h"
#include "daemon/jit/process.h"

/* The session that objects are written to. */
struct jit_output {
	char *samples_dir;
	struct jit_roots roots;
	struct jit_window window;
	bool logged_failure;		/* of a conversion: later ones are not logged */
};

/* Whether the files of @q changed since its objects were written, or a place needs another one. */
bool jit_objects_are_due(const struct jit_output *o, const struct jit_process *q);

/*
 * Write the objects of the @nr processes @due. @meanwhile, if not NULL, is called now and then.
 * Returns the number of processes with new objects.
 */
size_t jit_objects_write(struct jit_output *o, struct jit_process *const *due, size_t nr,
			 void (*meanwhile)(void *context), void *context);

#endif
