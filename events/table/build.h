/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h - a table under construction (private to events/)
 *
 * First the lines of all files are parsed (events_parse, masks_parse), then table_resolve()
 * connects events with their mask sets and checks the table as a whole.
 */
#ifndef EVENTS_TABLE_BUILD_H
#define EVENTS_TABLE_BUILD_H

#include "events/table/table.h"
#include "events/table/text.h"
#include "libutil/table.h"

/* More than any CPU has; limits the memory that a hostile file can use. */
#define TABLE_EVENTS_MAX 16384
#define TABLE_SETS_MAX 16384
#define TABLE_MASKS_MAX 1024 /* in a set */
#define TABLE_INCLUDES_MAX 16
#define TABLE_UM_MAX 16	    /* sets that one event names */
#define TABLE_TEXT_MAX 2000 /* bytes of a description */

struct raw_event {
	struct event event; /* owns its strings; masks is set last */
	char *um;	    /* names of sets, comma separated, or NULL */
	struct table_where name_at, um_at, counters_at;
};

struct raw_set {
	struct mask_set set;
	char *default_name; /* or NULL: set.default_value is valid */
	struct table_where at, default_at;
	bool is_used;
};

struct table_build {
	const struct cpu_type *type;
	unsigned int nr_counters;
	struct raw_event *events;
	size_t nr_events, events_room;
	struct raw_set **sets; /* pointers, because events refer to them */
	size_t nr_sets, sets_room;
	struct hash_table sets_by_name; /* table_resolve()'s */
	char **files; /* names that struct table_where refers to */
	size_t nr_files, files_room;
};

/* The memory behind the events of a table. */
struct event_store {
	struct raw_event *raw;
	struct raw_set **sets;
	char **files;
	size_t nr_raw, nr_sets, nr_files;
	struct coded_event *coded; /* events/coded.c: created on demand */
	bool is_this_machine;	   /* libpfm4's names are valid, too */
};

void coded_events_free(struct event_store *store);

/*
 * event_table_load() with additional lines for both files, @events and @masks, or "". Messages call
 * them "kernel's events" and "kernel's unit_masks".
 */
int event_table_load_with(const char *dir, const struct cpu_type *type, unsigned int nr_counters,
			  const char *events, const char *masks, struct event_table **ret,
			  struct op_error *e);

/* Called for an include: line, to read that type's files. */
typedef int table_include(void *context, const char *type, const struct table_where *where,
			  struct op_error *e);

int events_parse(struct table_build *b, struct table_text *t, table_include *include, void *context,
		 struct op_error *e);
int masks_parse(struct table_build *b, struct table_text *t, table_include *include, void *context,
		struct op_error *e);

/* Connect events with their unit masks, and check the table as a whole. */
int table_resolve(struct table_build *b, struct op_error *e);

void raw_event_free(struct raw_event *r);
void raw_set_free(struct raw_set *s); /* accepts NULL */

/* Letters, digits and "_-+()[]": characters that are safe in file names and between colons. */
bool table_name_ok(const char *name);

/* Handle "include:TYPE" by @include. Returns 1, 0 for another kind of line, or -errno. */
int table_include_line(const struct table_text *t, char *line, table_include *include,
		       void *context, struct op_error *e);

#endif
