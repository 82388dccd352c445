/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - the names of the tasks that have samples: stats/processes [SS-69]
 *
 * A program's path is not always the name that it was started as: /usr/bin/redis-server is a link
 * to redis-check-rdb.
 */
#ifndef LIBDB_SESSION_PROCESSES_H
#define LIBDB_SESSION_PROCESSES_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define SESSION_PROCESSES_MAX	65536	/* lines */

struct session_process {
	int64_t tgid, tid;		/* SAMPLE_ALL: the session does not separate threads */
	const char *comm;		/* the task's name; "": not known */
	const char *started_as;		/* the process's, "/usr/bin/redis-server"; "": not known */
	const char *app;		/* path of what it executes; "": nothing, a kernel thread */
};

struct session_processes {
	struct session_process *processes;	/* sorted by tgid, app, tid */
	size_t nr, room;
	char *text;			/* has the strings */
};

int session_processes_append(const char *stats_dir, const struct session_process *process);

/* -ENOENT: no such file. -EPROTO with "FILE:LINE: why" in @e. *ret is the caller's to free. */
int session_processes_read(const char *stats_dir, struct session_processes *ret,
			   struct op_error *e);
/* Parse @text (malloc'd, ends in a NUL); on success *ret owns it. -EPROTO. */
int session_processes_parse(char *text, size_t len, const char *name,
			    struct session_processes *ret, struct op_error *e);
void session_processes_free(struct session_processes *all);

/* Those of process @tgid, of which the first is returned. */
const struct session_process *session_processes_find(const struct session_processes *all,
						     int64_t tgid, size_t *ret_nr);

/*
 * From argv[0], which programs may overwrite, the name that a process was started as: without what
 * follows a blank, and without the hyphen of a login shell. "nginx: worker" is nginx.
 */
void session_started_as(char *argv0);

#endif
