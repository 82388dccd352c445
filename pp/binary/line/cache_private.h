/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache_private.h - the cache file's layout, for its reader and its writer */
#ifndef PP_BINARY_LINE_CACHE_PRIVATE_H
#define PP_BINARY_LINE_CACHE_PRIVATE_H

#include <stdint.h>
#include "pp/binary/line/cache.h"

#define CACHE_MAGIC	"OPLINES"	/* with its NUL: eight bytes */
#define CACHE_FORMAT 0x00010001u /* the version; read the other way round it is another one */

struct cache_header {
	char magic[8];
	uint32_t format;
	uint32_t nr_entries;
	uint64_t size;			/* of the file */
	uint64_t build_id_hash;		/* so that a renamed file is not believed */
	uint64_t index_hash;
	uint64_t header_hash;		/* of all that stands before it */
};

struct cache_entry {
	uint32_t kind, reserved;
	uint64_t unit;
	uint64_t offset, size;		/* of the record */
	uint64_t hash;
};

char *line_cache_path(const char *dir, const char *build_id);

#endif
