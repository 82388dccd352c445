/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_server.h - debug files from the servers in DEBUGINFOD_URLS
 *
 * libdebuginfod is not linked but loaded when somebody has configured it, so it need not be there.
 * It keeps what it fetched in its own cache. All time spent waiting is bounded [SY-17].
 */
#ifndef PP_BINARY_DEBUG_SERVER_H
#define PP_BINARY_DEBUG_SERVER_H

#include <stddef.h>
#include "libutil/error.h"

struct debug_server;

/* How far the file of @what is: @done of @total bytes, 0 if not known. */
typedef void (*debug_server_progress)(const char *what, size_t done, size_t total);

/*
 * -ENOENT: none is configured. -ELIBACC: the library is not there; @e says so.
 * @progress may be NULL.
 */
int debug_server_open(debug_server_progress progress, struct debug_server **ret,
		      struct op_error *e);
void debug_server_close(struct debug_server *server);		/* NULL is fine */

/*
 * The debug file of @build_id (hex digits), of @what: its path, malloc'd. -errno with @e set;
 * -ETIME: it took too long, and nothing more will be fetched.
 */
int debug_server_fetch(struct debug_server *server, const char *build_id, const char *what,
		       char **ret_path, struct op_error *e);

#endif
