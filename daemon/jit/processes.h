/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - processes that were sampled in JIT code, and their objects in the session
 *
 * After the first sample in anonymous memory, the process's JIT symbol files are looked for while
 * it lives. With each dump and at the session's end they are converted to {anon:NAME}/TGID.jo
 * beside its samples [JT-40] ff. All of it is bounded, because any user may start such processes.
 */
#ifndef DAEMON_JIT_PROCESSES_H
#define DAEMON_JIT_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

struct jit_processes;
struct registered;

/* @proc: NULL for "/proc". */
struct jit_processes *jit_processes_new(const char *proc);
void jit_processes_free(struct jit_processes *p);

/* Name code also by what processes registered (registered.h); @r must outlive @p. */
void jit_processes_use(struct jit_processes *p, struct registered *r);

/* Begin a session below @samples_dir; processes that have ended are dropped. */
void jit_processes_set_session(struct jit_processes *p, const char *samples_dir);

/*
 * Process @tgid, program @app, has a sample file for its anonymous memory @anon_name, which is from
 * @start up to @end; both 0: unknown.
 */
void jit_processes_add_sample(struct jit_processes *p, const char *app, uint32_t tgid,
			      const char *anon_name, uint64_t start, uint64_t end);

/* Look for files again if the last time is some seconds ago, unless they are being converted. */
void jit_processes_look(struct jit_processes *p);

/*
 * Write the objects of all processes whose files changed. @meanwhile is called now and then.
 * Returns the number of processes with new objects.
 */
size_t jit_processes_convert(struct jit_processes *p, void (*meanwhile)(void *context),
			     void *context);

/* The same for a session from @start to @end, in seconds since 1970; 0: unknown. */
size_t jit_processes_convert_times(struct jit_processes *p, uint64_t start, uint64_t end);

/* Processes with unnamed code, in all sessions so far, each once per session. */
struct jit_troubles {
	uint64_t refused;		/* with a file that was ignored [JT-2] */
	uint64_t damaged;		/* whose files could not be read completely [JT-20] */
};

/* As of the last conversion; valid until @p is freed. */
const struct jit_troubles *jit_processes_troubles(const struct jit_processes *p);

#endif
