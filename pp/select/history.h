/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - a range of time of SD/history as a session: its samples in memory, not in files
 *
 * The segments of one session of the daemon become one. They are read one after the other, and what
 * is kept are sums, so memory grows with the rows of the report, not with the range. What reports
 * read besides - the kernel's symbols, copies of binaries - is in the folder of the last segment.
 */
#ifndef PP_SELECT_HISTORY_H
#define PP_SELECT_HISTORY_H

#include "libdb/history/segment.h"
#include "pp/select/notices.h"
#include "pp/select/stack_arcs.h"
#include "pp/select/time_range.h"

/* Of each count of a segment (libdb/history/block.h): its index in session_history_stacks()' */
struct history_places {
	uint32_t *ids;			/* STACK_NONE: it has no samples there */
	size_t nr;
};

struct session_history {
	char *folder;			/* as a session's samples: it has stats/ */
	char **segments;		/* their paths */
	size_t nr, room;
	struct time_range range;
	int64_t begin_ns, end_ns;	/* of the slices */
	int64_t longest_ns;		/* slice */
	bool keeps_places;		/* set it before the stacks are read, to have: */
	struct history_places *places;	/* of each segment, or NULL */
	uint32_t nr_counts;		/* of the stacks, once they were read */
	struct history_segment *only;	/* the segment, if only one was asked for; or NULL */
	bool has_callers;
	struct cpu_counts counts;
	uint64_t not_kept;		/* samples that are in the daemon's session only */
	struct history_filer *filer;	/* owns the names in: */
	struct stack_arc_file *files;	/* the samples, sorted into files */
	size_t nr_files, files_room;
};

/*
 * Read the slices of @range below @session_dir, a history for each session of the daemon; only in
 * the folder @segment, unless that is NULL. -ENOENT: there are none, and @e says of which times
 * there are some. Segments that cannot be read are left out, with a notice.
 */
int histories_read(const char *session_dir, const struct time_range *range, const char *segment,
		   struct session_history **ret, size_t *ret_nr, struct notices *notices,
		   struct op_error *e);
void session_history_free(struct session_history *h);

char *history_segment_folder(const struct session_history *h, size_t i);	/* malloc'd */

/*
 * Sorts samples into the files that the daemon would have written for them. @info: of the session.
 */
struct history_filer *history_filer_new(const struct session_info *info);
void history_filer_free(struct history_filer *f);		/* NULL is fine */
/* Add the samples of @s to @h->files. */
void history_filer_add(struct session_history *h, const struct stack_snapshot *s);
/* All were added: each key is in a file once. *ret: builds of images, or NULL. */
void history_filer_end(struct session_history *h, struct image_ids **ret);

/* The stacks of all segments, each once, read again. *ret is the caller's. */
int session_history_stacks(struct session_history *h, struct stack_snapshot *ret,
			   struct op_error *e);

void session_history_forget_places(struct session_history *h);

/* The call stacks of any session. Errors as of stack_store_read(): -ENOENT, it has none. */
int session_stacks_read(const struct report_session *s, struct stack_snapshot *ret,
			struct op_error *e);

#endif
