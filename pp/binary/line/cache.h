/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - decoded line tables of earlier reports, one file per binary
 *
 * A file that is damaged, of another version or another user's is ignored: nothing fails because
 * of the cache. Files are replaced as a whole: of several writers the last one wins, and a reader
 * has the old file or the new one. Rules: doc/annotate.md [LC-1]..[LC-9].
 */
#ifndef PP_BINARY_LINE_CACHE_H
#define PP_BINARY_LINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pp/binary/line/record.h"

#define LINE_CACHE_FILE_MAX	(256u << 20)	/* bytes of one file */
#define LINE_CACHE_MAX		(1024u << 20)	/* bytes of all of them together */

struct line_cache;		/* a file, open for reading */

struct line_cache_record {
	enum line_record_kind kind;
	uint64_t unit;
	struct line_record record;
};

/*
 * The user's cache folder, created if needed: $OPROFILE_CACHE_DIR if set ("": no cache), else
 * oprofile/ in $XDG_CACHE_HOME or ~/.cache. Malloc'd; NULL: none, or not the user's own.
 */
char *line_cache_dir(void);

/*
 * The file for the binary @name (hexadecimal digits, '-' and '.') in @dir. NULL: missing or
 * unusable.
 */
struct line_cache *line_cache_open(const char *dir, const char *name);
void line_cache_close(struct line_cache *cache);	/* NULL is fine */

/* Read and check a record; *ret is the caller's. */
bool line_cache_read(struct line_cache *cache, enum line_record_kind kind, uint64_t unit,
		     struct line_record *ret);

/* All valid records, to write the file anew with more; malloc'd, the caller's. */
struct line_cache_record *line_cache_read_all(struct line_cache *cache, size_t *ret_nr);

/*
 * Replace the file by @records, no two of the same kind and unit. Then remove the files of @dir
 * that were used least recently, until the others have at most @limit bytes. -errno if nothing was
 * written.
 */
int line_cache_write(const char *dir, const char *name,
		     const struct line_cache_record *records, size_t nr, uint64_t limit);

#endif
