/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - opfleet's command line, checked: doc/man/opfleet.1 */
#ifndef FLEET_ASK_OPTIONS_H
#define FLEET_ASK_OPTIONS_H

#include "fleet/ask/selection.h"
#include "fleet/store/schema.h"
#include "pp/cli/asked.h"

struct option_set;
struct fleet_command;

struct fleet_options {
	enum asked asked;		/* if not ASKED_WORK, nothing else is valid */
	const struct fleet_command *command;
	char *url;
	char *headers;			/* of the file --headers, or NULL */
	char *ca_file;
	char *output, *session;		/* fetch: session directory, or NULL; name */
	char *symbol;			/* spread */
	unsigned int limit;		/* rows */
	double risk;			/* compare: that any row printed did not change */
	struct schema_options schema;
	char *cluster;
	struct selection selection;
	struct selection_word sides[2];	/* compare: these two, which are not in @selection */
};

/* Commands, in the order of the manual page; the last has no name. */
struct fleet_command {
	const char *name;
	bool takes_symbol, takes_sides, takes_selection;
	int (*run)(const struct fleet_options *o, struct store *s, struct op_error *e);
};

/* -EINVAL with @e set; *ret is then empty. *ret is the caller's to free. */
int fleet_options_parse(int argc, const char **argv, const struct fleet_command *commands,
			struct fleet_options *ret, struct op_error *e);
void fleet_options_free(struct fleet_options *o);
extern const struct option_set fleet_option_set;

/* --- the commands: errors as of store_ask(); they print to standard output --- */

int fleet_top(const struct fleet_options *o, struct store *s, struct op_error *e);
int fleet_compare(const struct fleet_options *o, struct store *s, struct op_error *e);
int fleet_spread(const struct fleet_options *o, struct store *s, struct op_error *e);
/* Make a session directory of the samples. */
int fleet_fetch(const struct fleet_options *o, struct store *s, struct op_error *e);

#endif
