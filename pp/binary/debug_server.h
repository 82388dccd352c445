/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_server.h - debug files from the servers in DEBUGINFOD_URLS
 *
 * libdebuginfod is optional: it is loaded, not linked, and only if a server is configured. It has
 * a cache of its own. The total time spent waiting is bounded [SY-17].
 */
#ifndef PP_BINARY_DEBUG_SERVER_H
#define PP_BINARY_DEBUG_SERVER_H

#include <stddef.h>
#include "libutil/error.h"

struct debug_server;

/* -ENOENT: no server is configured. -ELIBACC: no library, with @e set. */
int debug_server_open(struct debug_server **ret, struct op_error *e);
void debug_server_close(struct debug_server *server);		/* NULL is fine */

/*
 * Fetch the debug file of @build_id (hex digits), of @what: *ret_path is malloc'd. -errno with @e
 * set; -ETIME: it took too long, and every later call fails.
 */
int debug_server_fetch(struct debug_server *server, const char *build_id, const char *what,
		       char **ret_path, struct op_error *e);

#endif
