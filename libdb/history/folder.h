/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.h - SD/history: a folder for each segment [HI-20]
 *
 *   SD/history/NUMBER-SECONDS/slices	the segment
 *   SD/history/NUMBER-SECONDS/stacks	the store it is filled from, until it is complete
 *   SD/history/NUMBER-SECONDS/stats/	files of the session it belongs to, linked
 *   SD/history/NUMBER-SECONDS/symbols/	links to the next
 *   SD/history/symbols/BUILD-ID.zst	of each binary that some segment has samples of [HI-28]
 *
 * Numbers go up, and SECONDS is when the segment began.
 */
#ifndef LIBDB_HISTORY_FOLDER_H
#define LIBDB_HISTORY_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#define HISTORY_DIR	"history"	/* below the session directory */
#define HISTORY_SEGMENT	"slices"
#define HISTORY_STORE	"stacks"
#define HISTORY_SYMBOLS	"symbols"

/* The name of a binary's file there, malloc'd. NULL: it has no build ID. */
char *history_symbols_name(const char *build_id);

struct history_folder {
	unsigned int number;
	int64_t begin_ns;
	char *path;
};

struct history_folders {
	struct history_folder *list;	/* by number: oldest first */
	size_t nr, room;
};

/* -errno: @history cannot be read; a missing one is empty. Free *ret. */
int history_folders_read(const char *history, struct history_folders *ret);
void history_folders_free(struct history_folders *f);

/*
 * What is below @path, a history or one folder of it, takes on the disk. Files with links elsewhere
 * share their bytes with these.
 */
uint64_t history_bytes(const char *path);

/* The name of the folder @number that begins at @begin_ns, malloc'd. */
char *history_folder_name(unsigned int number, int64_t begin_ns);

#endif
