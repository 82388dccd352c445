/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * earlier_session.h - save an earlier session whose samples ours cannot be added to [CC-34]
 *
 * Samples of another event, count or unit mask are in files of their own, so they can stay in one
 * session. But kernel addresses of another boot would be added to ours; a timer's files have no
 * count in their names, so samples of another period would be added to ours, too; and a report
 * names one CPU type and one model. Call arcs are in {cg} files or in the stack store, not in both.
 */
#ifndef DAEMON_RECORD_EARLIER_SESSION_H
#define DAEMON_RECORD_EARLIER_SESSION_H

#include "daemon/record/kernel.h"
#include "libdb/session/session.h"
#include "libutil/error.h"

/*
 * If "current" holds samples that ours, as described by @ours, cannot be added to, rename it, and
 * remove the oldest of more than five that were renamed so (not those of other boots); @note is
 * then the message for the user. @names_have_counts: the names of our files have counts.
 */
int earlier_session_save(const char *session_dir, const struct session_info *ours,
			 bool names_have_counts, const struct kernel *kernel, struct op_error *note,
			 struct op_error *e);

#endif
