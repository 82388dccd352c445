/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_arcs.h - the {cg} files of a session that has none: made from its stack store [FL-7]
 *
 * The same structures hold the samples of a range of the history (pp/select/history.h).
 *
 * Each two neighbors in a stack are an arc. Arcs are gathered in files as the daemon does with
 * --call-arcs ([EB-78], doc/event-buffer.md), so that reports read both kinds of sessions alike.
 */
#ifndef PP_SELECT_STACK_ARCS_H
#define PP_SELECT_STACK_ARCS_H

#include <stddef.h>
#include <stdint.h>
#include "libdb/session/header.h"
#include "libdb/session/name.h"
#include "libdb/stack/store.h"
#include "libutil/table.h"
#include "pp/select/sessions.h"

struct stack_arc {
	uint64_t key;			/* of a {cg} file [SF-28] */
	uint64_t count;
};

/* What a {cg} file would hold; or a sample file, whose keys are those of samples. */
struct stack_arc_file {
	struct sample_name name;	/* its texts belong to the session's struct stack_arcs */
	const char *build_id, *cgroup;	/* of the part it would lie in [SS-60], or "" */
	struct sample_header header;	/* only what distinguishes the ends of calls is set */
	struct stack_arc *arcs;		/* sorted by key, each key once */
	size_t nr, room;
};

struct stack_arcs {
	struct stack_snapshot snapshot;
	struct stack_arc_file *files;
	size_t nr, room;
};

/*
 * Make the files of @session. -ENOENT, -ENODATA: it has no stacks. -EPROTO with @e. *ret is
 * unchanged on failure.
 */
int stack_arcs_read(const struct report_session *session, struct stack_arcs *ret,
		    struct op_error *e);
void stack_arcs_free(struct stack_arcs *arcs);

/* Sort its arcs, and add up those of the same key. */
void stack_arc_file_sort(struct stack_arc_file *f);

#endif
