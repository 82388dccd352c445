// SPDX-License-Identifier: GPL-2.0-or-later
/* compare.c - opfleet compare: functions whose share differs between two groups of hosts */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/ask/options.h"
#include "fleet/ask/replicates.h"
#include "libutil/hash.h"
#include "libutil/print_line.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/cli/terminal.h"
#include "pp/report/share_interval.h"

#define FUNCTIONS_MAX	20000	/* of a side: those with most samples */

struct function {
	const char *name, *image;
	struct replicates of[2];
	double shares[2];
	struct interval interval;
	int direction;			/* -1, 1: it changed; 0: that may be chance */
};

struct fleet_comparison {
	struct function *list;
	size_t nr, room;
	struct hash_table by_name;
	struct store_rows rows[2];	/* have the names */
	struct replicates totals[2];	/* n is not used */
	double wider[2];
};

static bool is_function(const void *list, uint32_t id, const void *key)
{
	const struct function *a = &((const struct function *)list)[id], *b = key;

	return !strcmp(a->name, b->name) && !strcmp(a->image, b->image);
}

/* "KIND BUILD-ID PATH" without the build: another version has another one. */
static const char *image_path(const char *image)
{
	const char *path = strchr(image, ' ');

	path = path ? strchr(path + 1, ' ') : NULL;
	return path ? path + 1 : image;
}

static struct function *find_function(struct fleet_comparison *c, const char *name,
				      const char *image)
{
	const struct function key = { .name = name, .image = image_path(image) };
	uint32_t id = hash_table_intern(&c->by_name, hash_mix(hash_string(name),
							      hash_string(key.image)),
					is_function, c->list, &key);

	if (id == c->nr) {
		xgrow(c->list, c->nr, c->room);
		c->list[c->nr++] = key;
	}
	return &c->list[id];
}

/*
 * For each function the sums over hosts, which the engine makes, so that the answer has no hosts.
 * The first row has all samples of each host instead: how many hosts, and the sums.
 */
static int ask_functions(const struct selection *side, struct store *s, struct store_rows *ret,
			 struct op_error *e)
{
	char *join = selection_join(side, s, "stacks", "stack", "cityHash64(leaf, leaf_image)",
				    "function");
	struct strbuf sql = STRBUF_INIT;
	int err;

	/* a stack that the store does not have is of function 0 */
	strbuf_add(&sql, "SELECT leaf, leaf_image, hosts, n, nn, nt FROM (SELECT function, count() "
		   "AS hosts, sum(f) AS n, sum(f * f) AS nn, sum(f * t) AS nt FROM (SELECT host, "
		   "arrayPushFront(groupArray(function), toUInt64(1)) AS functions, "
		   "arrayPushFront(groupArray(f), sum(f)) AS fs, sum(f) AS t FROM (SELECT host, "
		   "function, toFloat64(sum(n)) AS f FROM ");
	selection_sql(side, s, join, "host, function", &sql);
	strbuf_addf(&sql, " AS w GROUP BY host, function) AS x GROUP BY host) AS y ARRAY JOIN "
		    "functions AS function, fs AS f GROUP BY function ORDER BY function = 1 DESC, "
		    "n DESC LIMIT %d) AS z ANY LEFT JOIN (SELECT cityHash64(leaf, leaf_image) AS "
		    "function, leaf, leaf_image FROM ", FUNCTIONS_MAX + 1);
	selection_leaves(side, s, &sql);
	strbuf_add(&sql, " AS l) AS m USING function ORDER BY function = 1 DESC, n DESC");
	err = store_ask(s, sql.text, 6, ret, e);
	strbuf_free(&sql);
	free(join);
	return err;
}

static void add_functions(struct fleet_comparison *c, int side)
{
	const struct store_rows *rows = &c->rows[side];

	c->totals[side] = (struct replicates){
		.hosts = store_double(rows, 0, 2), .t = store_double(rows, 0, 3),
		.tt = store_double(rows, 0, 4) };
	for (size_t i = 1; i < rows->nr; i++) {
		struct replicates *r = &find_function(c, store_cell(rows, i, 0),
						      store_cell(rows, i, 1))->of[side];

		/* builds of one path on different hosts have rows of their own */
		r->n += store_double(rows, i, 3);
		r->nn += store_double(rows, i, 4);
		r->nt += store_double(rows, i, 5);
	}
}

/* Samples that are as sure as if they were independent. */
static uint64_t effective(double n, double effect)
{
	return (uint64_t)llrint(n / effect);
}

static void judge(struct fleet_comparison *c, struct function *f, double risk)
{
	uint64_t n[2], t[2];

	for (int side = 0; side < 2; side++) {
		struct replicates *r = &f->of[side];
		double effect;

		r->hosts = c->totals[side].hosts;
		r->t = c->totals[side].t;
		r->tt = c->totals[side].tt;
		f->shares[side] = r->n / r->t;
		effect = replicates_effect(r, c->wider[side]);
		n[side] = effective(r->n, effect);
		t[side] = effective(r->t, effect);
	}
	f->interval = share_change_interval(n[0], t[0], n[1], t[1], risk);
	if (t[0] && t[1] && share_change_chance(n[0], t[0], n[1], t[1]) <= risk)
		f->direction = f->interval.low > 0 ? 1 : f->interval.high < 0 ? -1 : 0;
}

/* By how much the share changed at least; larger changes first. */
static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	double by_x = x->direction > 0 ? x->interval.low : -x->interval.high;
	double by_y = y->direction > 0 ? y->interval.low : -y->interval.high;

	if (by_x != by_y)
		return by_x < by_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void print(const struct fleet_options *o, struct fleet_comparison *c)
{
	struct strbuf line = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++)
		if (c->list[i].direction)
			c->list[nr++] = c->list[i];
	qsort(c->list, nr, sizeof(*c->list), compare_functions);
	progress_end();
	printf("%zu of %zu functions changed by more than chance and hosts' differences\n"
	       "%.0f and %.0f hosts, %.0f and %.0f samples\n"
	       "first %%   second %%  change     at least   image path               symbol name\n",
	       nr, c->nr, c->totals[0].hosts, c->totals[1].hosts, c->totals[0].t, c->totals[1].t);
	for (size_t i = 0; i < nr && i < o->limit; i++) {
		const struct function *f = &c->list[i];

		strbuf_addf(&line, "%-8.4f  %-8.4f  %+-9.4f  %+-9.4f  %-24s %s", 100 * f->shares[0],
			    100 * f->shares[1], 100 * (f->shares[1] - f->shares[0]),
			    100 * (f->direction > 0 ? f->interval.low : f->interval.high), f->image,
			    f->name);
		print_line(&line, stdout);
	}
	strbuf_free(&line);
}

int fleet_compare(const struct fleet_options *o, struct store *s, struct op_error *e)
{
	struct fleet_comparison c = { .nr = 0 };
	int err = 0;

	for (int side = 0; side < 2 && !err; side++) {
		struct selection with = o->selection;

		/* one more word, for these questions only */
		with.words = xcalloc(with.nr + 1, sizeof(*with.words));
		for (size_t i = 0; i < with.nr; i++)
			with.words[i] = o->selection.words[i];
		with.words[with.nr++] = o->sides[side];
		err = ask_functions(&with, s, &c.rows[side], e);
		if (!err)
			add_functions(&c, side);
		if (!err && !(c.totals[side].t > 0))
			err = op_error_set(e, -ENOENT, "%s: no samples of %s:%.200s are selected",
					   s->url, o->sides[side].name, o->sides[side].value);
		if (!err && c.totals[side].hosts < 2)
			err = op_error_set(e, -EINVAL, "%s:%.200s has samples of one host only: "
					   "how hosts differ is unknown; select more",
					   o->sides[side].name, o->sides[side].value);
		free(with.words);
	}
	for (int side = 0; side < 2 && !err; side++)
		c.wider[side] = replicates_wider(c.totals[side].hosts, o->risk / (double)c.nr);
	for (size_t i = 0; i < c.nr && !err; i++)
		judge(&c, &c.list[i], o->risk / (double)c.nr);
	if (!err)
		print(o, &c);
	for (int side = 0; side < 2; side++)
		store_rows_free(&c.rows[side]);
	hash_table_free(&c.by_name);
	free(c.list);
	return err;
}
