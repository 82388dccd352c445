/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - keep the symbols of binaries that the history has samples of: SD/history/symbols
 *
 * Once for each build ID, however many segments and sessions have samples of it: a segment has a
 * link to each file that it needs, and a file with no other link is removed. Files are made by a
 * thread of low priority, and binaries are read by confined processes. Rules: [HI-28], [HI-29].
 */
#ifndef DAEMON_HISTORY_SYMBOLS_H
#define DAEMON_HISTORY_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/stack/store.h"

struct kept_symbols;

/*
 * For the history in the folder @history; @proc: "/proc"; @room: bytes of new files for a segment;
 * @lines: line and unwind tables, too. -errno: no thread.
 */
int kept_symbols_start(const char *history, const char *proc, uint64_t room, bool lines,
		       struct kept_symbols **ret);
void kept_symbols_stop(struct kept_symbols *k);		/* waits for the thread; NULL is fine */

/*
 * The segment in @folder has samples of @images. Those whose symbols could not be kept before are
 * tried again, a few times. Never waits.
 */
void kept_symbols_want(struct kept_symbols *k, const char *folder,
		       const struct stack_image *images, size_t nr);

/* Wait until all that is wanted was tried, for tests. */
void kept_symbols_wait(struct kept_symbols *k);

#endif
