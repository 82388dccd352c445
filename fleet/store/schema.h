/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schema.h - make and migrate the tables of a store: fleet/schema/
 *
 * Files are numbered. Those that a server has are in its table "schema", and the others are done in
 * their order; every statement may be done twice. A file whose first line is "-- server: A.B" waits
 * for a server of that version.
 */
#ifndef FLEET_STORE_SCHEMA_H
#define FLEET_STORE_SCHEMA_H

#include <stdbool.h>
#include "fleet/store/clickhouse.h"

struct schema_options {
	const char *cluster;	/* of shards, by its name in the configuration; NULL: none */
	bool replicated;	/* tables are; the servers have the macros shard and replica */
};

struct schema_result {
	unsigned int had, has;	/* files done, before and now */
	unsigned int waiting;	/* those that the server is too old for */
};

int schema_init(struct store *s, const struct schema_options *options, struct schema_result *ret,
		struct op_error *e);

/*
 * The next statement of *@sql, which moves on; "" at the end. Comments are left out. @options is
 * for engines and the names in braces.
 */
void schema_statement(const char **sql, const struct schema_options *options, struct strbuf *ret);

/* -ENOENT: the store has no tables, or those of another version; says what to do. */
int schema_check(struct store *s, struct op_error *e);

#endif
