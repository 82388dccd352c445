/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selection.h - which samples of a fleet a question is about, and their part of the SQL
 *
 *	host:web1,web2 service:shop version:1.2 label:zone=a event:cpu
 *
 * host, service and event are columns; any other NAME:VALUE is the label NAME.
 */
#ifndef FLEET_ASK_SELECTION_H
#define FLEET_ASK_SELECTION_H

#include "fleet/store/clickhouse.h"
#include "pp/select/time_range.h"

struct selection_word {
	char *name, *value;		/* "label" "zone=a" is "zone" "a" */
};

struct selection {
	struct time_range time;
	struct selection_word *words;	/* equal names: one of these values */
	size_t nr, room;
};

/* Add "NAME:VALUE[,VALUE...]". -EINVAL with @e. */
int selection_add(struct selection *s, const char *word, struct op_error *e);
void selection_free(struct selection *s);

/*
 * Append a subquery in parentheses that has @keys - columns of the table samples, separated by
 * commas - and n, the samples of each, and v, the nanoseconds that these stand for: a Float64,
 * because those of a fleet are more than 2^64. A group may come twice, because whole hours come
 * from another table: add up. @join: of selection_join(), whose column @keys may have, or "".
 */
void selection_sql(const struct selection *s, const struct store *store, const char *join,
		   const char *keys, struct strbuf *sql);

/*
 * What gives samples a @column more: @expression, of what @table has of their @key. Each shard
 * does it before it adds up, so that the groups are those of the answer and not of all hosts. The
 * caller frees it.
 */
char *selection_join(const struct selection *s, const struct store *store, const char *table,
		     const char *key, const char *expression, const char *column);

/* The subquery in parentheses of the leaf functions of these stacks: stack, leaf, leaf_image. */
void selection_leaves(const struct selection *s, const struct store *store, struct strbuf *sql);

/*
 * How long the slices of the selection's hosts cover from the first to the last, in seconds.
 * -ENOENT: there are none.
 */
int selection_seconds(const struct selection *s, struct store *store, double *ret,
		      struct op_error *e);

#endif
