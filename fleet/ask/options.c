// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c - parse opfleet's options with libpopt */
#include "fleet/ask/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/http.h"
#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"

#define LIMIT_DEFAULT	"20"
#define LIMIT_MAX	100000
#define CONFIDENCE	95.0	/* as opdiff's */

static struct raw {
	char *url, *headers, *ca_file, *cluster, *output, *session, *limit, *confidence;
	int replicated;
} raw;

static const struct poptOption table[] = {
	{ "url", 0, POPT_ARG_STRING, &raw.url, 0,
	  "the ClickHouse server (default $OPROFILE_FLEET)", "http[s]://host:port" },
	{ "headers", 0, POPT_ARG_STRING, &raw.headers, 0,
	  "file with 'Name: value' lines to send, such as credentials (default "
	  "$OPROFILE_FLEET_HEADERS)", "file" },
	{ "ca-file", 0, POPT_ARG_STRING, &raw.ca_file, 0,
	  "trust these certificates instead of the system's", "file" },
	COMMON_OPTIONS_TIME,
	{ "limit", 0, POPT_ARG_STRING, &raw.limit, 0,
	  "print so many rows (default " LIMIT_DEFAULT ")", "number" },
	{ "confidence", 0, POPT_ARG_STRING, &raw.confidence, 0,
	  "compare: that all reported rows changed, in percent (default 95)", "percent" },
	{ "output", 'o', POPT_ARG_STRING, &raw.output, 0,
	  "fetch: make this session directory", "path" },
	{ "session", 0, POPT_ARG_STRING, &raw.session, 0,
	  "fetch: name of the session there (default " SESSION_CURRENT ")", "name" },
	{ "cluster", 0, POPT_ARG_STRING, &raw.cluster, 0,
	  "init: this server is a shard of the cluster of that name", "name" },
	{ "replicated", 0, POPT_ARG_NONE, &raw.replicated, 0,
	  "init: make replicated tables", NULL },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set fleet_option_set = {
	"opfleet", table, "COMMAND [OPTION...] [NAME:VALUE,...]..."
};

static int parse_numbers(struct fleet_options *o, struct op_error *e)
{
	double confidence = CONFIDENCE;
	uint64_t limit;

	if (number_parse_range(raw.limit ? raw.limit : LIMIT_DEFAULT, 1, LIMIT_MAX, &limit))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --limit: expected 1 to %d",
				    raw.limit, LIMIT_MAX);
	if (raw.confidence && (number_parse_percent(raw.confidence, &confidence) ||
			       confidence < 50 || confidence > 99.99995))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --confidence: expected a "
				    "percentage from 50 to 99.9999", raw.confidence);
	o->limit = (unsigned int)limit;
	o->risk = 1 - confidence / 100;
	return 0;
}

static int choose_command(const char *name, const struct fleet_command *commands,
			  struct fleet_options *o, struct op_error *e)
{
	for (o->command = commands; o->command->name; o->command++)
		if (name && !strcmp(name, o->command->name))
			return 0;
	if (name)
		return op_error_set(e, -EINVAL, "unknown command '%s': expected init, top, "
				    "compare, spread or fetch", name);
	return op_error_set(e, -EINVAL, "no command; expected init, top, compare, spread or fetch "
			    "(see --help)");
}

/* Take the only name that was given twice out of the selection. */
static int take_sides(struct fleet_options *o, struct op_error *e)
{
	struct selection *s = &o->selection;
	size_t nr = 0, kept = 0;
	const char *name = NULL;

	for (size_t i = 0; i < s->nr; i++)
		for (size_t k = i + 1; k < s->nr; k++)
			if (!strcmp(s->words[i].name, s->words[k].name)) {
				nr++;
				name = s->words[i].name;
			}
	if (nr != 1)
		return op_error_set(e, -EINVAL, "expected one name with two values to compare, "
				    "as in 'service:web version:1.2 version:1.3'");
	nr = 0;
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->words[i].name, name))
			o->sides[nr++] = s->words[i];
		else
			s->words[kept++] = s->words[i];
	s->nr = kept;
	return 0;
}

static int parse_arguments(const struct command_line *line, const struct fleet_command *commands,
			   struct fleet_options *o, struct op_error *e)
{
	const char *time = "time:-1h..";
	int err = choose_command(line->nr_args ? line->args[0] : NULL, commands, o, e);

	for (size_t i = 1; i < line->nr_args && !err; i++) {
		const char *word = line->args[i];

		if (!strncmp(word, "time:", 5))
			time = word;
		else if (o->command->takes_symbol && !o->symbol)
			o->symbol = xstrdup(word);
		else if (o->command->takes_selection)
			err = selection_add(&o->selection, word, e);
		else
			err = op_error_set(e, -EINVAL, "unexpected argument '%s'", word);
	}
	if (!err)
		err = time_range_parse(time + 5, (int64_t)clock_ns(CLOCK_REALTIME),
				       &o->selection.time, e);
	if (!err && o->command->takes_symbol && !o->symbol)
		err = op_error_set(e, -EINVAL, "no symbol; name a function as 'opfleet top' does");
	if (!err && o->command->takes_sides)
		err = take_sides(o, e);
	return err;
}

static int parse(const struct command_line *line, const struct fleet_command *commands,
		 struct fleet_options *o, struct op_error *e)
{
	const char *url = raw.url ? raw.url : getenv("OPROFILE_FLEET");
	const char *headers = raw.headers ? raw.headers : getenv("OPROFILE_FLEET_HEADERS");
	int err = parse_arguments(line, commands, o, e);

	if (err)
		return err;
	if (!url || !*url)
		return op_error_set(e, -EINVAL, "no server; name one with --url=http://HOST:PORT "
				    "or OPROFILE_FLEET in the environment");
	o->url = xstrdup(url);
	o->ca_file = raw.ca_file;
	o->output = raw.output;
	o->cluster = raw.cluster;
	o->session = raw.session ? raw.session : xstrdup(SESSION_CURRENT);
	raw.ca_file = raw.output = raw.cluster = raw.session = NULL;
	o->schema = (struct schema_options){ o->cluster, raw.replicated };
	err = parse_numbers(o, e);
	return err || !headers ? err : http_read_headers(headers, &o->headers, e);
}

int fleet_options_parse(int argc, const char **argv, const struct fleet_command *commands,
			struct fleet_options *ret, struct op_error *e)
{
	struct fleet_options o = { 0 };
	struct command_line line;
	int err = command_line_read(&fleet_option_set, argc, argv, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK)
		err = parse(&line, commands, &o, e);
	command_line_end(&fleet_option_set, &line);
	if (err)
		fleet_options_free(&o);
	*ret = o;
	return err;
}

void fleet_options_free(struct fleet_options *o)
{
	for (size_t i = 0; i < 2; i++) {
		free(o->sides[i].name);
		free(o->sides[i].value);
	}
	selection_free(&o->selection);
	if (o->headers)
		explicit_bzero(o->headers, strlen(o->headers));
	free(o->headers);
	free(o->url);
	free(o->ca_file);
	free(o->output);
	free(o->session);
	free(o->cluster);
	free(o->symbol);
	*o = (struct fleet_options){ 0 };
}
