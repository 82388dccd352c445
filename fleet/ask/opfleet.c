// SPDX-License-Identifier: GPL-2.0-or-later
/* opfleet.c - make the store of a fleet's profiles, and ask it */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fleet/ask/options.h"
#include "libutil/message.h"
#include "pp/cli/common_options.h"
#include "pp/cli/terminal.h"

static int init(const struct fleet_options *o, struct store *s, struct op_error *e)
{
	struct schema_result r;
	int err = schema_init(s, &o->schema, &r, e);

	if (err)
		return err;
	if (r.waiting)
		report_note("%s: ClickHouse %u.%u has no codecs and no expiry: drop old partitions "
			    "yourself, and run this again when the server is newer", s->url,
			    s->version / 1000, s->version % 1000);
	printf("%s: version %u of the tables, %s\n", s->url, r.has,
	       r.has == r.had ? "as before" : r.had ? "migrated" : "new");
	return 0;
}

static const struct fleet_command commands[] = {
	{ "init", false, false, false, init },
	{ "top", false, false, true, fleet_top },
	{ "compare", false, true, true, fleet_compare },
	{ "spread", true, false, true, fleet_spread },
	{ "fetch", false, false, true, fleet_fetch },
	{ NULL, false, false, false, NULL }
};

static int run(const struct fleet_options *o)
{
	struct store *s = NULL;
	struct op_error e = { "" };
	int err;

	progress_begin();
	err = store_open(o->url, o->headers, o->ca_file, &s, &e);
	if (!err && o->command->takes_selection)
		err = schema_check(s, &e);
	if (!err)
		err = o->command->run(o, s, &e);
	progress_end();
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	store_close(s);
	return err ? 1 : 0;
}

int main(int argc, const char **argv)
{
	struct fleet_options options;
	struct op_error e = { "" };
	int status = 0;

	if (fleet_options_parse(argc, argv, commands, &options, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (options.asked != ASKED_WORK)
		option_set_print(&fleet_option_set, options.asked);
	else
		status = run(&options);
	fleet_options_free(&options);
	return finish_output(status);
}
