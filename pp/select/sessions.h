/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sessions.h - the sessions of a report, and the files beside their samples
 *
 * The files are not trusted and all are optional: sessions of the original tools have samples
 * only.
 */
#ifndef PP_SELECT_SESSIONS_H
#define PP_SELECT_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "libdb/session/event_times.h"
#include "libdb/session/image_ids.h"
#include "libdb/session/kernel_symbols.h"
#include "libdb/session/parts.h"
#include "libdb/session/processes.h"
#include "libdb/session/session.h"
#include "pp/select/notices.h"
#include "pp/select/spec.h"

struct report_session {
	char *name;			/* "current", "monday" */
	char *label;			/* for messages: the name, in an archive ARCHIVE/NAME */
	char *samples;			/* folder of the sample files */
	bool has_info;
	struct session_info info;
	bool has_counts;
	struct cpu_counts counts;	/* of all CPUs */
	unsigned int nr_failed;		/* CPUs with event_errors, */
	unsigned int first_failed;	/* and the first of them */
	struct event_times times;	/* of events that took turns */
	bool has_kernel_symbols;
	struct kernel_symbols kernel;
	struct image_ids *ids;		/* or NULL */
	struct session_processes processes;	/* names of tasks */
	struct session_parts parts;	/* what stats/parts/N are for */
	struct session_history *history;	/* it is a range of the history; or NULL */
};

struct session_list {
	struct report_session *sessions;
	size_t nr;
	char *existing;			/* names of all sessions, for messages: "current, monday" */
};

/*
 * Open the sessions below @session_dir that @spec selects, or the range of the history. Without
 * @times their event times are not read, so that counts are not scaled.
 * -ENOENT: there are none, or none match; @e names those that exist.
 */
int sessions_open(const char *session_dir, const struct profile_spec *spec, bool times,
		  struct session_list *ret, struct notices *notices, struct op_error *e);
void sessions_close(struct session_list *list);

/*
 * What was profiled, for titles [PI-14], malloc'd: "bzip2 -9 file"; of the whole machine
 * "vm, 2026-11-24 09:10 to 09:20"; of an import the file. Names of saved sessions follow: "bzip2 -9
 * file (monday)". Of two profiles "A -> B", with the sessions' names if their titles are alike.
 */
char *sessions_title(const struct session_list *list);
char *sessions_title_of_two(const struct session_list *first, const struct session_list *second);

#endif
