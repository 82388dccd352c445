// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events_parse.c - lines of an "events" file: key:value words, then " : description" [EV-5]
 */
#include "events/table/build.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/counter_alloc.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

enum {
	HAS_EVENT = 1,
	HAS_COUNTERS = 2,
	HAS_UM = 4,
	HAS_MINIMUM = 8,
	HAS_NAME = 16,
	HAS_EXT = 32,
	HAS_FILTER = 64,
};

/* Parse the value of a key. @where: the value's position. */
typedef int parse_value(const struct table_build *b, char *value, const struct table_where *where,
			struct raw_event *r, struct op_error *e);

bool table_name_ok(const char *name)
{
	size_t len = strlen(name);

	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-+()[]", *p))
			return false;
	return len && len <= EVENT_NAME_MAX_LEN;
}

static int parse_code(const struct table_build *b, char *value, const struct table_where *where,
		      struct raw_event *r, struct op_error *e)
{
	(void)b;
	if (strncmp(value, "0x", 2) || number_parse_u64(value, &r->event.code))
		return table_error(where, e,
				   "invalid event code '%.40s': expected hex, such as 0x3c", value);
	return 0;
}

static int parse_counters(const struct table_build *b, char *value, const struct table_where *where,
			  struct raw_event *r, struct op_error *e)
{
	unsigned int limit = b->type->nr_counters ? b->type->nr_counters : EVENT_COUNTERS_MAX;
	char *save = NULL;
	uint64_t n;

	r->counters_at = *where;
	if (!strcmp(value, "cpuid")) {
		r->event.counters = counters_below(b->nr_counters);
		return 0;
	}
	for (char *w = strtok_r(value, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		if (number_parse_range(w, 0, limit - 1, &n))
			return table_error(where, e,
					   "invalid counter '%.40s': expected 'cpuid' or numbers "
					   "from 0 to %u",
					   w, limit - 1);
		r->event.counters |= (uint64_t)1 << n;
	}
	if (!r->event.counters)
		return table_error(where, e, "missing counter: expected 'cpuid' or a list such as "
				   "0,1");
	return 0;
}

static int parse_um(const struct table_build *b, char *value, const struct table_where *where,
		    struct raw_event *r, struct op_error *e)
{
	(void)b;
	if (!*value)
		return table_error(where, e, "missing name of unit masks after um:");
	r->um = xstrdup(value);
	r->um_at = *where;
	return 0;
}

static int parse_minimum(const struct table_build *b, char *value, const struct table_where *where,
			 struct raw_event *r, struct op_error *e)
{
	uint64_t n;

	(void)b;
	if (!isdigit((unsigned char)*value) || number_parse_range(value, 1, INT32_MAX, &n))
		return table_error(where, e, "invalid count '%.40s': expected 1 to %d", value,
				   INT32_MAX);
	r->event.min_count = (uint32_t)n;
	return 0;
}

static int parse_name(const struct table_build *b, char *value, const struct table_where *where,
		      struct raw_event *r, struct op_error *e)
{
	(void)b;
	if (!table_name_ok(value))
		return table_error(where, e,
				   "invalid event name '%.80s': expected up to %d letters, "
				   "digits and '_'",
				   value, EVENT_NAME_MAX_LEN);
	r->event.name = xstrdup(value);
	r->name_at = *where;
	return 0;
}

static int parse_ext(const struct table_build *b, char *value, const struct table_where *where,
		     struct raw_event *r, struct op_error *e)
{
	(void)b;
	if (!table_name_ok(value))
		return table_error(where, e,
				   "invalid feature '%.80s': expected a name such as ibs_op",
				   value);
	r->event.ext = xstrdup(value);
	return 0;
}

static int parse_filter(const struct table_build *b, char *value, const struct table_where *where,
			struct raw_event *r, struct op_error *e)
{
	uint64_t n;

	(void)b;
	if (number_parse_range(value, 0, 31, &n))
		return table_error(where, e, "invalid bit '%.40s' of CPUID 0xA: expected 0 to 31",
				   value);
	r->event.filter = (int)n;
	return 0;
}

static const struct {
	const char *key;
	unsigned int flag;
	parse_value *parse;
} keys[] = {
	{ "event", HAS_EVENT, parse_code },
	{ "counters", HAS_COUNTERS, parse_counters },
	{ "um", HAS_UM, parse_um },
	{ "minimum", HAS_MINIMUM, parse_minimum },
	{ "name", HAS_NAME, parse_name },
	{ "ext", HAS_EXT, parse_ext },
	{ "filter", HAS_FILTER, parse_filter },
};
#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

static int parse_word(const struct table_build *b, const struct table_text *t, char *word,
		      unsigned int *has, struct raw_event *r, struct op_error *e)
{
	struct table_where where = table_text_where(t, word);
	char *colon = strchr(word, ':');

	if (colon)
		*colon = '\0';
	for (size_t i = 0; colon && i < NR_KEYS; i++) {
		if (strcmp(word, keys[i].key))
			continue;
		if (*has & keys[i].flag)
			return table_error(&where, e, "duplicate '%s:'", word);
		*has |= keys[i].flag;
		where = table_text_where(t, colon + 1);
		return keys[i].parse(b, colon + 1, &where, r, e);
	}
	return table_error(&where, e,
			   "unknown key '%.40s': expected event:, counters:, um:, minimum:, name:, "
			   "ext: or filter:",
			   word);
}

static int check_line(const struct table_text *t, unsigned int has, const struct raw_event *r,
		      struct op_error *e)
{
	struct table_where where = table_text_where(t, t->line);
	const char *missing = !(has & HAS_EVENT)		  ? "event:"
			      : !(has & HAS_NAME)		  ? "name:"
			      : !(has & HAS_MINIMUM)		  ? "minimum:"
			      : !(has & (HAS_COUNTERS | HAS_EXT)) ? "counters:"
								  : NULL;

	if (missing)
		return table_error(&where, e, "missing '%s'", missing);
	if ((has & HAS_COUNTERS) && (has & HAS_EXT))
		return table_error(&r->counters_at, e, "counters: and ext: cannot be combined");
	return 0;
}

/* The words of a line up to a lone ":", and the description after it. */
static int parse_line(const struct table_build *b, const struct table_text *t, char *line,
		      struct raw_event *r, struct op_error *e)
{
	struct table_where where;
	unsigned int has = 0;
	char *rest = line, *word;
	int err;

	while ((word = table_text_word(&rest)) && strcmp(word, ":")) {
		err = parse_word(b, t, word, &has, r, e);
		if (err)
			return err;
	}
	rest += strspn(rest, " \t");
	where = table_text_where(t, word ? rest : t->line);
	if (!word || !*rest)
		return table_error(&where, e,
				   "missing description: expected ' : TEXT' at the end of a line");
	if (strlen(rest) > TABLE_TEXT_MAX)
		return table_error(&where, e, "description longer than %d bytes", TABLE_TEXT_MAX);
	r->event.desc = xstrdup(rest);
	return check_line(t, has, r, e);
}

int table_include_line(const struct table_text *t, char *line, table_include *include,
		       void *context, struct op_error *e)
{
	struct table_where where;
	char *rest = line + strlen("include:"), *type;
	int err;

	if (strncmp(line, "include:", strlen("include:")))
		return 0;
	type = table_text_word(&rest);
	where = table_text_where(t, type ? type : line);
	if (!type || rest[strspn(rest, " \t\r")])
		return table_error(&where, e,
				   "expected one CPU type, as in include:i386/arch_perfmon");
	err = include(context, type, &where, e);
	return err ? err : 1;
}

void raw_event_free(struct raw_event *r)
{
	free(r->event.name);
	free(r->event.desc);
	free(r->event.ext);
	free(r->um);
}

int events_parse(struct table_build *b, struct table_text *t, table_include *include, void *context,
		 struct op_error *e)
{
	char *line;

	while ((line = table_text_line(t))) {
		struct raw_event r = { .event = { .filter = -1 } };
		int err = table_include_line(t, line, include, context, e);

		if (err < 0)
			return err;
		if (err)
			continue;
		err = parse_line(b, t, line, &r, e);
		if (!err && b->nr_events == TABLE_EVENTS_MAX) {
			struct table_where where = table_text_where(t, line);

			err = table_error(&where, e, "more than %d events", TABLE_EVENTS_MAX);
		}
		if (err) {
			raw_event_free(&r);
			return err;
		}
		xgrow(b->events, b->nr_events, b->events_room);
		b->events[b->nr_events++] = r;
	}
	return 0;
}
