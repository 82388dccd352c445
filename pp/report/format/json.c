/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - members may be added to the schema, but not removed or changed in meaning [JS-1] */
#include "pp/report/format/json.h"

#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "libutil/json_text.h"
#include "pp/select/event_scale.h"

/* Events whose counts are scaled [ME-1]. */
static void put_multiplexed(struct json *j, const struct event_times *times)
{
	json_open(j, "multiplexed", '[');
	for (size_t i = 0; i < times->nr; i++) {
		const struct event_time *t = &times->event[i];

		if (!event_is_multiplexed(t))
			continue;
		json_open(j, NULL, '{');
		json_text(j, "event", t->name);
		json_number(j, "count", t->count);
		json_number(j, "unit_mask", t->unit_mask);
		json_number(j, "enabled_ns", t->enabled_ns);
		json_number(j, "running_ns", t->running_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void json_session(struct json *j, const struct report_session *s)
{
	const struct session_info *info = &s->info;

	json_line(j);
	json_open(j, NULL, '{');
	json_text(j, "name", s->name);
	json_text(j, "samples", s->samples);
	if (s->has_info) {
		json_number(j, "start_time", info->start_time);
		json_signed(j, "end_time", info->end_time, 0);
		json_text(j, "host", info->host);
		json_text(j, "machine", info->machine);
		json_text(j, "kernel", info->kernel);
		json_text(j, "collector", info->collector);
		json_text(j, "model", info->model);
		if (*info->profiled)
			json_text(j, "profiled", info->profiled);
		json_text(j, "events", info->events);
		json_signed(j, "period_ns", info->period_ns, 0);
	}
	if (s->has_counts) {
		json_number(j, "received", s->counts.received);
		json_number(j, "recorded", s->counts.recorded);
		json_open(j, "lost", '{');
		for (int i = 0; i < NR_LOSS_REASONS; i++)
			if (s->counts.lost[i])
				json_number(j, loss_name(i), s->counts.lost[i]);
		json_close(j, '}');
		json_number(j, "throttled", s->counts.throttled);
	}
	if (s->times.nr)
		put_multiplexed(j, &s->times);
	json_close(j, '}');
}

static void put_classes(struct json *j, const struct arrangement *a, const uint64_t *totals)
{
	json_line(j);
	json_open(j, "classes", '[');
	for (size_t c = 0; c < a->nr_classes; c++) {
		const struct profile_template *t = &a->classes[c].template;

		json_line(j);
		json_open(j, NULL, '{');
		json_text(j, "title", a->classes[c].title);
		json_text(j, "event", t->event);
		json_number(j, "count", t->count);
		json_signed(j, "unit_mask", t->unit_mask, SAMPLE_ALL);
		json_signed(j, "tgid", t->tgid, SAMPLE_ALL);
		json_signed(j, "tid", t->tid, SAMPLE_ALL);
		json_signed(j, "cpu", t->cpu, SAMPLE_ALL);
		if (*t->cgroup)
			json_text(j, "cgroup", t->cgroup);
		json_number(j, "samples", totals[c]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_ratio_titles(struct json *j, const struct ratio_list *ratios)
{
	if (!ratios->nr)
		return;
	json_line(j);
	json_open(j, "ratios", '[');
	for (size_t i = 0; i < ratios->nr; i++)
		json_text(j, NULL, ratios->ratios[i].title);
	json_close(j, ']');
}

static void put_ratios(struct json *j, const struct ratio_list *ratios, const uint64_t *counts)
{
	if (!ratios->nr)
		return;
	json_open(j, "ratios", '[');
	for (size_t i = 0; i < ratios->nr; i++)
		json_real(j, NULL, ratio_value(&ratios->ratios[i], counts));
	json_close(j, ']');
}

static void put_head(struct json *j, const struct json_report *r)
{
	const struct sample_header *header = &r->arrangement->classes[0].header;
	const struct cpu_type *type = cpu_type_by_number(header->cpu_type, header->version);

	json_open(j, NULL, '{');
	json_line(j);
	json_text(j, "schema", "opreport-1");
	json_line(j);
	json_text(j, "command", r->command);
	json_line(j);
	json_open(j, "sessions", '[');
	for (size_t i = 0; i < r->nr_sessions; i++)
		for (size_t k = 0; k < r->sessions[i]->nr; k++)
			json_session(j, &r->sessions[i]->sessions[k]);
	json_close(j, ']');
	json_line(j);
	json_text(j, "cpu_type", type ? type->name : NULL);
	json_real(j, "mhz", header->cpu_mhz);
	put_classes(j, r->arrangement, r->summary ? r->summary->totals : r->rows->totals);
	put_ratio_titles(j, r->ratios);
	json_line(j);
	json_open(j, "notices", '[');
	for (size_t i = 0; i < r->notices->nr; i++) {
		if (!notice_is_listed(r->notices, i))
			continue;
		json_line(j);
		json_text(j, NULL, r->notices->texts[i]);
	}
	json_close(j, ']');
}

static void put_summary(struct json *j, const struct json_report *r)
{
	const struct summary *s = r->summary;

	json_line(j);
	json_open(j, "images", '[');
	for (size_t i = 0; i < s->nr; i++) {
		const struct summary_row *row = &s->rows[i];

		json_line(j);
		json_open(j, NULL, '{');
		json_text(j, "name", row->image->name);
		json_numbers(j, "samples", row->counts, s->nr_classes);
		put_ratios(j, r->ratios, row->counts);
		json_open(j, "parts", '[');
		for (size_t k = 0; k < row->nr_parts; k++) {
			json_line(j);
			json_open(j, NULL, '{');
			json_text(j, "name", row->parts[k].image->name);
			json_numbers(j, "samples", row->parts[k].counts, s->nr_classes);
			put_ratios(j, r->ratios, row->parts[k].counts);
			json_close(j, '}');
		}
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_arcs(struct json *j, const char *name, const struct graph_arc *arcs, size_t nr,
		     size_t nr_classes)
{
	json_open(j, name, '[');
	for (size_t i = 0; i < nr; i++) {
		if (arcs[i].is_self)
			continue;
		json_line(j);
		json_open(j, NULL, '{');
		json_number(j, "id", arcs[i].row->serial);
		json_text(j, "name", arcs[i].row->shown);
		json_numbers(j, "samples", arcs[i].counts, nr_classes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_details(struct json *j, const struct row_list *rows, const struct symbol_row *row)
{
	json_open(j, "details", '[');
	for (size_t i = 0; i < row->nr_details; i++) {
		json_line(j);
		json_open(j, NULL, '{');
		json_address(j, "address", row->details[i].vma);
		if (row->details[i].line)
			json_text(j, "line", row->details[i].line);
		json_numbers(j, "samples", row_detail_counts(rows, row, i), rows->nr_classes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_diff(struct json *j, const struct row_diff *diff, size_t nr_classes)
{
	json_bool(j, "in_first", diff->in_first);
	json_bool(j, "in_second", diff->in_second);
	json_open(j, "change", '[');
	for (size_t c = 0; c < nr_classes; c++)
		json_real(j, NULL, diff->change[c]);
	json_close(j, ']');
}

static void put_row(struct json *j, const struct json_report *r, const struct symbol_row *row)
{
	const struct row_list *rows = r->rows;

	json_line(j);
	json_open(j, NULL, '{');
	json_number(j, "id", row->serial);
	json_text(j, "name", row->shown);
	if (row->shown != row->name)
		json_text(j, "mangled", row->name);
	json_text(j, "image", image_shown_name(row->image, true));
	json_text(j, "app", image_shown_name(row->app, true));
	json_address(j, "address", row->vma);
	if (row->line)
		json_text(j, "line", row->line);
	json_numbers(j, "samples", row->counts, rows->nr_classes);
	put_ratios(j, r->ratios, row->counts);
	if (row->diff)
		put_diff(j, row->diff, rows->nr_classes);
	if (row->nr_details)
		put_details(j, rows, row);
	if (row->node) {
		put_arcs(j, "callers", row->node->callers, row->node->nr_callers,
			 rows->nr_classes);
		put_arcs(j, "callees", row->node->callees, row->node->nr_callees,
			 rows->nr_classes);
	}
	json_close(j, '}');
}

static void put_quality(struct json *j, const struct stack_quality *q)
{
	json_line(j);
	json_open(j, "chains", '{');
	json_number(j, "samples", q->samples);
	json_open(j, "ends", '{');
	for (unsigned int i = 0; i < NR_STACK_ENDS; i++)
		json_number(j, stack_end_name(i), q->ends[i]);
	json_close(j, '}');
	json_number(j, "guessed", q->guessed);
	json_number(j, "lost", q->lost);
	json_close(j, '}');
}

/* A list with depths: nested objects would exceed the depth limit of many parsers. */
static void put_stacks(struct json *j, const struct stack_report *r)
{
	put_quality(j, &r->quality);
	json_line(j);
	json_text(j, "order", r->order == STACKS_CALLEES ? "callees" : "callers");
	json_line(j);
	json_open(j, "stacks", '[');
	for (size_t i = 0; i < r->nr_lines; i++) {
		const struct stack_line *line = &r->lines[i];
		const struct stack_symbol *symbol = &r->symbols[line->symbol];
		const uint64_t *counts = r->counts + line->counts;

		json_line(j);
		json_open(j, NULL, '{');
		json_number(j, "depth", line->depth);
		json_text(j, "name", symbol->name);
		json_text(j, "image", symbol->image ? image_shown_name(symbol->image, true)
						    : NULL);
		json_numbers(j, "samples", counts, r->nr_classes);
		if (r->order != STACKS_CALLEES)
			json_numbers(j, "self", counts + r->nr_classes, r->nr_classes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void format_json(const struct json_report *r, FILE *out)
{
	struct json j = { .out = out };

	put_head(&j, r);
	if (r->stacks) {
		put_stacks(&j, r->stacks);
	} else if (r->summary) {
		put_summary(&j, r);
	} else {
		json_line(&j);
		json_open(&j, "symbols", '[');
		for (size_t i = 0; r->graph && i < r->graph->nr; i++)
			put_row(&j, r, r->graph->nodes[i].row);
		for (size_t i = 0; !r->graph && i < r->rows->nr; i++)
			put_row(&j, r, r->rows->rows[i]);
		json_close(&j, ']');
	}
	putc('\n', out);
	json_close(&j, '}');
	putc('\n', out);
}
