// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c - opfleet top and spread: functions by the cores they use, and one function by hosts */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/ask/options.h"
#include "libutil/print_line.h"
#include "libutil/xalloc.h"
#include "pp/cli/terminal.h"

#define NS	1e9

/* "KIND BUILD-ID PATH" -> the last part of the path */
static const char *image_name(const char *image)
{
	const char *slash = strrchr(image, '/'), *blank = strrchr(image, ' ');

	return slash ? slash + 1 : blank ? blank + 1 : image;
}

static int no_samples(const struct store *s, struct op_error *e)
{
	return op_error_set(e, -ENOENT, "%s: no samples of an event of time are selected; see "
			    "--since, and 'opfleet top' without a selection", s->url);
}

static int ask_total(const struct fleet_options *o, struct store *s, double *ret,
		     struct op_error *e)
{
	struct strbuf sql = STRBUF_INIT;
	struct store_rows rows;
	int err;

	strbuf_add(&sql, "SELECT sum(v) FROM ");
	selection_sql(&o->selection, s, "", "event", &sql);
	strbuf_add(&sql, " AS s");
	err = store_ask(s, sql.text, 1, &rows, e);
	strbuf_free(&sql);
	if (err)
		return err;
	*ret = store_double(&rows, 0, 0);
	store_rows_free(&rows);
	return *ret > 0 ? 0 : no_samples(s, e);
}

int fleet_top(const struct fleet_options *o, struct store *s, struct op_error *e)
{
	struct strbuf sql = STRBUF_INIT, line = STRBUF_INIT;
	double seconds = 0, total = 0;
	struct store_rows rows;
	int err = selection_seconds(&o->selection, s, &seconds, e);

	if (!err)
		err = ask_total(o, s, &total, e);
	if (err)
		return err;
	strbuf_add(&sql, "SELECT sum(v) AS t, leaf, leaf_image FROM (SELECT v, leaf, leaf_image "
		   "FROM (SELECT stack, sum(v) AS v FROM ");
	selection_sql(&o->selection, s, "", "stack", &sql);
	strbuf_add(&sql, " AS w GROUP BY stack) AS a ANY LEFT JOIN ");
	selection_leaves(&o->selection, s, &sql);
	strbuf_addf(&sql, " AS b USING stack) AS j GROUP BY leaf, leaf_image ORDER BY t DESC, "
		    "leaf, leaf_image LIMIT %u", o->limit);
	err = store_ask(s, sql.text, 3, &rows, e);
	strbuf_free(&sql);
	if (err)
		return err;
	progress_end();
	printf("%.3f cores in %.0f s\ncores     %%        image name               symbol name\n",
	       total / NS / seconds, seconds);
	for (size_t i = 0; i < rows.nr; i++) {
		double v = store_double(&rows, i, 0);

		strbuf_addf(&line, "%-8.3f  %-7.4f  %-24s %s", v / NS / seconds, 100 * v / total,
			    image_name(store_cell(&rows, i, 2)), store_cell(&rows, i, 1));
		print_line(&line, stdout);
	}
	strbuf_free(&line);
	store_rows_free(&rows);
	return 0;
}

/* --- spread --- */

#define OUTLIER		3.5	/* deviations */
#define MAD_TO_SIGMA	1.4826	/* of the normal distribution */

struct host {
	const char *name;
	double cores, share;		/* of the function, in cores and of all of the host */
	double samples;			/* of the host */
	bool is_outlier;
};

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts @values. */
static double median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare_numbers);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

/*
 * Those farther from the median than hosts are as a rule, and than samples are by chance. Returns
 * the median share.
 */
static double mark_outliers(struct host *hosts, size_t nr)
{
	double *values = xcalloc(nr, sizeof(*values)), middle, spread;

	for (size_t i = 0; i < nr; i++)
		values[i] = hosts[i].share;
	middle = median(values, nr);
	for (size_t i = 0; i < nr; i++)
		values[i] = fabs(hosts[i].share - middle);
	spread = MAD_TO_SIGMA * median(values, nr);
	for (size_t i = 0; i < nr; i++) {
		double chance = sqrt(fmax(middle * (1 - middle), 1 / hosts[i].samples) /
				     hosts[i].samples);

		hosts[i].is_outlier = fabs(hosts[i].share - middle) >
				      OUTLIER * fmax(spread, chance);
	}
	free(values);
	return middle;
}

static int compare_hosts(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	if (x->is_outlier != y->is_outlier)
		return x->is_outlier ? -1 : 1;
	return x->share != y->share ? (x->share < y->share ? 1 : -1) : strcmp(x->name, y->name);
}

static void print_hosts(const struct fleet_options *o, struct host *hosts, size_t nr)
{
	double middle = mark_outliers(hosts, nr);
	struct strbuf line = STRBUF_INIT;
	size_t outliers = 0;

	for (size_t i = 0; i < nr; i++)
		outliers += hosts[i].is_outlier;
	qsort(hosts, nr, sizeof(*hosts), compare_hosts);
	progress_end();
	printf("%zu host%s, median %.4f %%, outliers: %zu\ncores     %%        host\n", nr,
	       nr == 1 ? "" : "s", 100 * middle, outliers);
	for (size_t i = 0; i < nr && i < o->limit; i++) {
		strbuf_addf(&line, "%-8.3f  %-7.4f  %s%s", hosts[i].cores, 100 * hosts[i].share,
			    hosts[i].name, hosts[i].is_outlier ? "  outlier" : "");
		print_line(&line, stdout);
	}
	strbuf_free(&line);
}

int fleet_spread(const struct fleet_options *o, struct store *s, struct op_error *e)
{
	struct strbuf sql = STRBUF_INIT;
	struct store_rows rows;
	struct host *hosts;
	char *join;
	double seconds = 0;
	bool found = false;
	int err = selection_seconds(&o->selection, s, &seconds, e);

	if (err)
		return err;
	strbuf_add(&sql, "leaf = ");
	sql_quote(&sql, o->symbol);
	join = selection_join(&o->selection, s, "stacks", "stack", sql.text, "is_it");
	strbuf_reset(&sql);
	strbuf_add(&sql, "SELECT host, sum(if(is_it, v, 0)), sum(v) AS t, sum(n) FROM ");
	selection_sql(&o->selection, s, join, "host, is_it", &sql);
	strbuf_add(&sql, " AS w GROUP BY host HAVING t > 0");
	err = store_ask(s, sql.text, 4, &rows, e);
	strbuf_free(&sql);
	free(join);
	if (err)
		return err;
	hosts = xcalloc(rows.nr + 1, sizeof(*hosts));
	for (size_t i = 0; i < rows.nr; i++) {
		double v = store_double(&rows, i, 1);

		found |= v > 0;
		hosts[i] = (struct host){
			.name = store_cell(&rows, i, 0), .cores = v / NS / seconds,
			.share = v / store_double(&rows, i, 2),
			.samples = store_double(&rows, i, 3) };
	}
	if (!rows.nr)
		err = no_samples(s, e);
	else if (!found)
		err = op_error_set(e, -ENOENT, "%s: no samples in a function '%.200s'", s->url,
				   o->symbol);
	else
		print_hosts(o, hosts, rows.nr);
	free(hosts);
	store_rows_free(&rows);
	return err;
}
