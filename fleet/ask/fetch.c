// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch.c - opfleet fetch: make a session directory of the selected samples, for every other tool
 *
 *	sums by labels, event and stack -> the stacks and events of these -> a profile
 *
 * The engine adds up, so what comes is as long as the report's stacks, not as its time or hosts.
 * Sums come first: machines go on sending, and what they send later is not looked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/ask/options.h"
#include "fleet/store/frames.h"
#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/message.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/cli/output.h"
#include "pp/exchange/import/session.h"

#define LABELS_MAX	64

/* Indices of something in the profile, by number or name. */
struct known {
	struct key {
		const char *text;
		uint32_t index;
	} *list;
	size_t nr, room;
	struct hash_table by_text;
};

static bool is_key(const void *list, uint32_t id, const void *text)
{
	return !strcmp(((const struct key *)list)[id].text, text);
}

static void known_add(struct known *k, const char *text, uint32_t index)
{
	if (hash_table_intern(&k->by_text, hash_string(text), is_key, k->list, text) != k->nr)
		return;
	xgrow(k->list, k->nr, k->room);
	k->list[k->nr++] = (struct key){ text, index };
}

static uint32_t known_find(const struct known *k, const char *text)
{
	uint32_t id = hash_table_find(&k->by_text, hash_string(text), is_key, k->list, text);

	return id == HASH_NONE ? PROFILE_NONE : k->list[id].index;
}

static void known_free(struct known *k)
{
	hash_table_free(&k->by_text);
	free(k->list);
}

struct fetch {
	const struct selection *selection;
	struct store *store;
	struct profile *p;
	struct known stacks, labels, events;
	struct store_rows stack_rows, event_rows, sum_rows;
	uint64_t unknown;		/* samples whose stack the store does not have */
};

/* Each row of TABLE once, which hosts may send each day, of the selection's keys. */
static int ask_of(struct fetch *f, const char *columns, const char *table, const char *key,
		  size_t nr_columns, struct store_rows *ret, struct op_error *e)
{
	struct strbuf sql = STRBUF_INIT;
	char name[64];
	int err;

	strbuf_addf(&sql, "SELECT %s FROM %s WHERE %s GLOBAL IN (SELECT %s FROM ", columns,
		    store_table(f->store, table, name), key, key);
	selection_sql(f->selection, f->store, "", key, &sql);
	strbuf_addf(&sql, " AS w) LIMIT 1 BY %s", key);
	err = store_ask(f->store, sql.text, nr_columns, ret, e);
	strbuf_free(&sql);
	return err;
}

static int read_events(struct fetch *f, struct op_error *e)
{
	int err = ask_of(f, "event, name, unit, period, unit_mask", "events", "event", 5,
			 &f->event_rows, e);

	for (size_t i = 0; i < f->event_rows.nr && !err; i++) {
		const struct store_rows *r = &f->event_rows;
		const struct profile_event event = {
			.name = profile_string(f->p, store_cell(r, i, 1)),
			.unit = profile_string(f->p, store_cell(r, i, 2)),
			.period = store_number(r, i, 3), .unit_mask = store_number(r, i, 4),
		};

		if (known_find(&f->events, store_cell(r, i, 0)) == PROFILE_NONE)
			known_add(&f->events, store_cell(r, i, 0),
				  profile_add_event(f->p, &event));
	}
	return err;
}

static int read_stacks(struct fetch *f, struct op_error *e)
{
	int err = ask_of(f, "toString(stack), arrayStringConcat(functions, '\\n'), "
			 "arrayStringConcat(images, '\\n'), "
			 "arrayStringConcat(arrayMap(x -> toString(x), offsets), ' ')", "stacks",
			 "stack", 4, &f->stack_rows, e);
	struct store_rows *r = &f->stack_rows;

	for (size_t i = 0; i < r->nr && !err; i++) {
		char **cells = &r->cells[i * r->nr_columns];
		uint32_t node;

		if (known_find(&f->stacks, cells[0]) != PROFILE_NONE)
			continue;
		node = store_frames_add(f->p, cells[1], cells[2], cells[3]);
		if (node != PROFILE_NONE)
			known_add(&f->stacks, cells[0], node);
	}
	return err;
}

/* Labels that sessions have: what reports can select and separate by. Lines of "NAME=VALUE". */
static const char session_labels[] =
	"arrayStringConcat(arrayFilter(x -> x LIKE 'app=%' OR x LIKE 'comm=%' OR "
	"x LIKE 'cgroup=%', labels), '\\n')";

/* The set of the profile with the labels of @text, which stays the rows'. */
static uint32_t find_labels(struct fetch *f, const char *text)
{
	struct profile_label list[LABELS_MAX];
	uint32_t nr = 0, set = known_find(&f->labels, text);

	if (set != PROFILE_NONE)
		return set;
	for (const char *at = text; *at && nr < LABELS_MAX; at += *at == '\n') {
		size_t n = strcspn(at, "=\n"), len = strcspn(at, "\n");

		if (at[n] == '=')
			list[nr++] = (struct profile_label){
				.key = profile_string_n(f->p, at, n),
				.text = profile_string_n(f->p, at + n + 1, len - n - 1) };
		at += len;
	}
	set = profile_label_set(f->p, list, nr);
	known_add(&f->labels, text, set);
	return set;
}

static int ask_sums(struct fetch *f, struct op_error *e)
{
	char *join = selection_join(f->selection, f->store, "sources", "source", session_labels,
				    "of_session");
	struct strbuf sql = STRBUF_INIT;
	int err;

	strbuf_add(&sql, "SELECT of_session, event, toString(stack) AS k, sum(n) FROM ");
	selection_sql(f->selection, f->store, join, "of_session, event, stack", &sql);
	strbuf_add(&sql, " AS w GROUP BY of_session, event, stack ORDER BY of_session, event, k");
	err = store_ask(f->store, sql.text, 4, &f->sum_rows, e);
	strbuf_free(&sql);
	free(join);
	return err;
}

static void add_samples(struct fetch *f)
{
	const struct store_rows *r = &f->sum_rows;

	for (size_t i = 0; i < r->nr; i++) {
		uint32_t event = known_find(&f->events, store_cell(r, i, 1));
		uint32_t node = known_find(&f->stacks, store_cell(r, i, 2));
		uint64_t n = store_number(r, i, 3);

		if (event == PROFILE_NONE || node == PROFILE_NONE) {
			f->unknown += n;
			continue;
		}
		profile_add_sample(f->p, node, find_labels(f, store_cell(r, i, 0)))[event] =
			(int64_t)n;
	}
}

static int make_profile(struct fetch *f, struct op_error *e)
{
	int err = ask_sums(f, e);

	if (!err)
		err = read_events(f, e);
	if (!err && !f->p->nr_events)
		err = op_error_set(e, -ENOENT, "%s: no samples are selected; see --since",
				   f->store->url);
	if (!err)
		err = read_stacks(f, e);
	if (!err)
		add_samples(f);
	if (!err && f->unknown)
		report_warning("%s: %" PRIu64 " samples left out: the store does not have their "
			       "stacks", f->store->url, f->unknown);
	profile_merge_samples(f->p);
	f->p->start_ns = f->selection->time.from_ns;
	f->p->duration_ns = f->selection->time.to_ns - f->selection->time.from_ns;
	return err;
}

static int make_session(const struct fleet_options *o, const struct profile *p,
			struct op_error *e)
{
	const struct import_session_options how = {
		.session_dir = o->output, .name = o->session, .origin = "fleet",
		.file = o->url,
	};
	struct import_session_sums sums;
	struct notices notices = { 0 };
	int err = import_session(p, &how, &sums, &notices, e);

	report_notices(&notices);
	notices_free(&notices);
	return err;
}

int fleet_fetch(const struct fleet_options *o, struct store *s, struct op_error *e)
{
	struct fetch f = { .selection = &o->selection, .store = s, .p = profile_new() };
	int err = o->output ? make_profile(&f, e)
		: op_error_set(e, -EINVAL, "no session directory; name a new one with --output "
			       "(-o)");

	if (!err)
		err = make_session(o, f.p, e);
	known_free(&f.stacks);
	known_free(&f.labels);
	known_free(&f.events);
	store_rows_free(&f.stack_rows);
	store_rows_free(&f.event_rows);
	store_rows_free(&f.sum_rows);
	profile_free(f.p);
	return err;
}
