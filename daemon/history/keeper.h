/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper.h - write the slices of a history, on a thread of its own
 *
 * The caller has samples added to a stack store in the folder of the segment, and hands over a
 * slice when it ends: the thread adds what is new in the store to the segment, makes room, and
 * merges old slices. The caller never waits for it: while it is busy, a slice goes on.
 *
 * Crash safety: the store has everything that is not in the segment yet. What a killed daemon left
 * is added by history_open().
 */
#ifndef DAEMON_HISTORY_KEEPER_H
#define DAEMON_HISTORY_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/history/folders.h"
#include "daemon/history/numbers.h"
#include "libutil/error.h"

struct history;

/*
 * Begin to keep SD/history, and complete what a killed daemon left there. @config is copied;
 * @proc: "/proc".
 */
int history_open(const char *session_dir, const struct history_config *config, const char *proc,
		 struct history **ret, struct op_error *e);
/* Waits until all slices are written. NULL is fine. */
void history_close(struct history *h);

const struct history_config *history_config(const struct history *h);

/*
 * Create the folder of the next segment, which begins at @begin_ns, with links to files of its
 * session, @stats_dir: after a reboot there is another one. Returns the path of its store, which is
 * valid until the next call, or NULL: that failed, which is logged; try again later.
 */
const char *history_begin_segment(struct history *h, int64_t begin_ns, const char *stats_dir);

/*
 * Whether the segment cannot be continued, because its folder was removed or is damaged: another
 * should begin. Cheap.
 */
bool history_wants_segment(const struct history *h);

/* Whether a slice is being written: then none can be handed over. */
bool history_is_busy(struct history *h);

/*
 * Hand over the slice that ends now. @stats_dir: of its session, whose new files are linked, too.
 * @is_last: the store is closed, and the segment complete.
 */
void history_end_slice(struct history *h, int64_t begin_ns, int64_t end_ns,
		       const struct numbers *numbers, const char *stats_dir, bool is_last);

/*
 * Whether to leave merging, which takes seconds, to a later slice: a stop waits for slices only.
 */
void history_defer_merges(struct history *h, bool defer);

/* Wait until no slice is being written or now_ns() is @until_ns; may return early. */
void history_wait(struct history *h, uint64_t until_ns);

#endif
