/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - a range of time of SD/history as a session: its samples in memory, not in files
 *
 * The segments of one session of the daemon become one. What reports read besides - the kernel's
 * symbols, copies of binaries - is in the folder of the last segment.
 */
#ifndef PP_SELECT_HISTORY_H
#define PP_SELECT_HISTORY_H

#include "libdb/history/segment.h"
#include "pp/select/notices.h"
#include "pp/select/stack_arcs.h"
#include "pp/select/time_range.h"

struct session_history {
	char *folder;			/* as a session's samples: it has stats/ */
	struct history_segment *segments;	/* they own the texts of @stacks */
	char **paths;			/* of their files */
	size_t nr, room, paths_room;
	int64_t begin_ns, end_ns;	/* of the slices */
	/* of all segments, one after the other; of their counts those of session_history_has() */
	struct stack_snapshot stacks;
	bool has_callers;
	struct cpu_counts counts;
	uint64_t not_kept;		/* samples that are in the daemon's session only */
	struct stack_arc_file *files;	/* by session_history_make_files() */
	size_t nr_files, files_room;
};

/*
 * Read the slices of @range below @session_dir, a history for each session of the daemon. -ENOENT:
 * there are none, and @e says of which times there are some. Segments that cannot be read are left
 * out, with a notice.
 */
int histories_read(const char *session_dir, const struct time_range *range,
		   struct session_history **ret, size_t *ret_nr, struct notices *notices,
		   struct op_error *e);
void session_history_free(struct session_history *h);

/* Sort the samples into files, as @session says. Sets its ids. */
void session_history_make_files(struct session_history *h, struct report_session *session);

/* Whether count @i of a segment is kept in the stacks of all. */
bool session_history_has(const struct stack_snapshot *segment, uint32_t i);

/* The stacks, also if they have no callers. */
void session_history_stacks(const struct session_history *h, struct stack_snapshot *ret);

/* The call stacks of any session. Errors as of stack_store_read(): -ENOENT, it has none. */
int session_stacks_read(const struct report_session *s, struct stack_snapshot *ret,
			struct op_error *e);

#endif
