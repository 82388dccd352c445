/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - processes that were sampled in code they made, and their objects in the session
 *
 * As soon as a sample lies in anonymous memory its process' files are looked for, while it lives;
 * with each dump, and at the session's end, they become {anon:NAME}/TGID.jo beside its samples
 * [JT-40] ff. All of it is bounded, for any user may make such processes.
 */
#ifndef DAEMON_JIT_PROCESSES_H
#define DAEMON_JIT_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

struct jit_processes;

/* @proc: NULL for "/proc". */
struct jit_processes *jit_processes_new(const char *proc);
void jit_processes_free(struct jit_processes *p);

/* A session begins, below @samples_dir; what is known of processes is forgotten. */
void jit_processes_set_session(struct jit_processes *p, const char *samples_dir);

/* There is a sample file of process @tgid, program @app, in its memory called @anon_name. */
void jit_processes_saw(struct jit_processes *p, const char *app, uint32_t tgid,
		       const char *anon_name);

/* Look again for files: every few seconds. */
void jit_processes_look(struct jit_processes *p);

/*
 * Write the objects of all whose files changed. @meanwhile is called now and then as long as it
 * takes. How many processes have new ones.
 */
size_t jit_processes_convert(struct jit_processes *p, void (*meanwhile)(void *context),
			     void *context);

/* The same for a session that was from @start to @end, in seconds since 1970; 0: not known. */
size_t jit_processes_convert_times(struct jit_processes *p, uint64_t start, uint64_t end);

/* Processes of which something is not named, of all sessions so far, each once in a session. */
struct jit_troubles {
	uint64_t refused;		/* with a file that was not taken [JT-2] */
	uint64_t damaged;		/* whose files could not be read whole [JT-20] */
};

/* As of the last conversion; valid until @p is freed. */
const struct jit_troubles *jit_processes_troubles(const struct jit_processes *p);

#endif
