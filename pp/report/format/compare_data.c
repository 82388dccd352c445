/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare_data.c - comparisons for programs: CSV and JSON */
#include "pp/report/format/compare.h"

#include <inttypes.h>

#include "libutil/csv_text.h"
#include "libutil/json_text.h"
#include "pp/report/format/csv.h"
#include "pp/report/format/json.h"

static double percent(const struct comparison *c, const struct compared_row *r, int which)
{
	return c->totals[which] ? 100.0 * (double)r->counts[which] / (double)c->totals[which] : 0;
}

static const char *direction(const struct compared_row *r)
{
	return r->direction > 0 ? "up" : r->direction < 0 ? "down" : "";
}

static void csv_row(const struct compare_report *report, size_t class,
		    const struct compared_row *r, FILE *out)
{
	const struct comparison *c = &report->comparisons[class];

	csv_put_text(report->arrangement->classes[class].title, out);
	for (int i = 0; i < 2; i++)
		fprintf(out, ",%" PRIu64 ",%.6g", r->counts[i], percent(c, r, i));
	fprintf(out, ",%.6g,%.6g,%.6g,%s,", r->change, r->interval.low, r->interval.high,
		direction(r));
	csv_put_text(image_shown_name(r->row->image, true), out);
	putc(',', out);
	csv_put_text(image_shown_name(r->row->app, true), out);
	if (!report->options->images) {
		putc(',', out);
		csv_put_text(r->row->shown, out);
	}
	putc('\n', out);
}

void format_compare_csv(const struct compare_report *r, FILE *out)
{
	if (!r->options->no_header)
		fprintf(out, "class,first samples,first percent,second samples,second percent,"
			"change,low,high,changed,image,app%s\n",
			r->options->images ? "" : ",symbol");
	for (size_t i = 0; i < r->arrangement->nr_classes; i++)
		for (size_t k = 0; k < r->comparisons[i].nr; k++)
			csv_row(r, i, &r->comparisons[i].rows[k], out);
}

static void json_row(struct json *j, const struct compared_row *r, bool images)
{
	json_line(j);
	json_open(j, NULL, '{');
	if (!images)
		json_text(j, "name", r->row->shown);
	if (!images && r->row->shown != r->row->name)
		json_text(j, "mangled", r->row->name);
	json_text(j, "image", image_shown_name(r->row->image, true));
	json_text(j, "app", image_shown_name(r->row->app, true));
	json_numbers(j, "samples", r->counts, 2);
	json_real(j, "change", r->change);
	json_real(j, "low", r->interval.low);
	json_real(j, "high", r->interval.high);
	json_text(j, "changed", r->direction ? direction(r) : NULL);
	json_close(j, '}');
}

static void json_class(struct json *j, const struct profile_class *class,
		       const struct comparison *c, bool images)
{
	json_line(j);
	json_open(j, NULL, '{');
	json_text(j, "title", class->title);
	json_text(j, "event", class->template.event);
	json_number(j, "count", class->template.count);
	json_signed(j, "unit_mask", class->template.unit_mask, SAMPLE_ALL);
	json_numbers(j, "samples", c->totals, 2);
	json_number(j, "rows", c->nr_rows);
	json_number(j, "changed", c->nr_changed);
	json_number(j, "too_few", c->nr_few);
	json_open(j, images ? "images" : "symbols", '[');
	for (size_t i = 0; i < c->nr; i++)
		json_row(j, &c->rows[i], images);
	json_close(j, ']');
	json_close(j, '}');
}

static void json_sessions(struct json *j, const char *name, const struct session_list *list)
{
	json_line(j);
	json_open(j, name, '[');
	for (size_t i = 0; i < list->nr; i++)
		json_session(j, &list->sessions[i]);
	json_close(j, ']');
}

void format_compare_json(const struct compare_report *r, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_line(&j);
	json_text(&j, "schema", "opdiff-1");
	json_line(&j);
	json_text(&j, "command", r->options->command_line);
	json_sessions(&j, "first", r->sessions[0]);
	json_sessions(&j, "second", r->sessions[1]);
	json_line(&j);
	json_real(&j, "confidence", r->options->confidence);
	json_line(&j);
	json_open(&j, "notices", '[');
	for (size_t i = 0; i < r->notices->nr; i++) {
		if (!notice_is_listed(r->notices, i))
			continue;
		json_line(&j);
		json_text(&j, NULL, r->notices->texts[i]);
	}
	json_close(&j, ']');
	json_line(&j);
	json_open(&j, "classes", '[');
	for (size_t i = 0; i < r->arrangement->nr_classes; i++)
		json_class(&j, &r->arrangement->classes[i], &r->comparisons[i],
			   r->options->images);
	json_close(&j, ']');
	putc('\n', out);
	json_close(&j, '}');
	putc('\n', out);
}
