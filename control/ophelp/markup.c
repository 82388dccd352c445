// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * markup.c - the list of events as XML [HLP-12] and JSON
 */
#include "control/ophelp/ophelp.h"

#include <inttypes.h>
#include "events/table/unit_mask.h"
#include "libutil/json_text.h"

/* Text of an attribute in double quotes, in which an apostrophe needs no escape. */
static void put_xml(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}

static void xml_mask(const struct unit_mask *m, FILE *out)
{
	fputs("<unit_mask ", out);
	if (m->name) {
		fputs(" name=\"", out);
		put_xml(m->name, out);
		putc('"', out);
	}
	fprintf(out, " mask=\"%" PRIu32 "\" desc=\"", m->value);
	put_xml(m->desc, out);
	fputs("\"/>\n", out);
}

/* OProfile writes 0 for a default that the table gives by name. */
static void xml_masks(const struct mask_set *s, bool compat, FILE *out)
{
	fprintf(out, "<unit_masks  default=\"%" PRIu32,
		compat && s->default_is_name ? 0 : s->default_value);
	fprintf(out, "\" category=\"%s\">\n", mask_kind_name(s->kind));
	for (size_t i = 0; i < s->nr; i++)
		xml_mask(&s->masks[i], out);
	fputs("</unit_masks>\n", out);
}

static void xml_event(const struct event *event, bool compat, FILE *out)
{
	fprintf(out, "<event  event_name=\"%s\" desc=\"", event->name);
	put_xml(event->desc, out);
	fprintf(out, "\" counter_mask=\"%" PRIu64 "\"", event->counters);
	if (event->ext)
		fprintf(out, " ext=\"%s\"", event->ext);
	fprintf(out, " min_count=\"%" PRIu32 "\"", event->min_count);
	if (!event_has_masks(event)) {
		fputs("/>\n", out);
		return;
	}
	fputs(">\n", out);
	xml_masks(event->masks, compat, out);
	fputs("</event>\n", out);
}

/* A document has one kind, by OProfile's schema; hybrid machines print several. */
static void xml_cpu(const struct help_cpu *cpu, bool compat, FILE *out)
{
	fputs("<help_events  schemaversion=\"2.0\">\n"
	      "<header  title=\"oprofile: available events for CPU type &quot;",
	      out);
	put_xml(cpu->kind.type->pretty, out);
	fputs("&quot;\n\n\" doc=\"", out);
	put_xml(help_manual(cpu->kind.type), out);
	fputs("\"/>\n", out);
	for (size_t i = 0; cpu->table && i < cpu->table->nr; i++)
		xml_event(&cpu->table->events[i], compat, out);
	fputs("</help_events>\n", out);
}

void help_list_xml(const struct help_cpus *cpus, bool compat, FILE *out)
{
	if (cpus->nr > 1)
		fputs("<hybrid_cpus>\n", out);
	for (unsigned int i = 0; i < cpus->nr; i++)
		xml_cpu(&cpus->cpu[i], compat, out);
	if (cpus->nr > 1)
		fputs("</hybrid_cpus>\n", out);
}

static void json_masks(struct json *j, const struct mask_set *s)
{
	json_text(j, "unit_mask_type", mask_kind_name(s->kind));
	json_number(j, "default_unit_mask", s->default_value);
	if (s->default_is_name)
		json_text(j, "default_unit_mask_name", s->default_mask->name);
	json_open(j, "unit_masks", '[');
	for (size_t i = 0; i < s->nr; i++) {
		const struct unit_mask *m = &s->masks[i];

		json_line(j);
		json_open(j, NULL, '{');
		json_number(j, "value", m->value);
		json_number(j, "extra", m->extra);
		if (m->name)
			json_text(j, "name", m->name);
		json_text(j, "description", m->desc);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_counters(struct json *j, uint64_t counters)
{
	json_open(j, "counters", '[');
	for (unsigned int c = 0; c < EVENT_COUNTERS_MAX; c++)
		if (counters >> c & 1)
			json_number(j, NULL, c);
	json_close(j, ']');
}

static void json_event(struct json *j, const struct event *event)
{
	json_open(j, NULL, '{');
	json_text(j, "name", event->name);
	json_text(j, "description", event->desc);
	json_number(j, "code", event->code);
	json_number(j, "min_count", event->min_count);
	if (event->ext)
		json_text(j, "ext", event->ext);
	else
		json_counters(j, event->counters);
	if (event_has_masks(event))
		json_masks(j, event->masks);
	json_close(j, '}');
}

static void json_cpu(struct json *j, const struct help_cpu *cpu)
{
	const struct cpu_type *type = cpu->kind.type;

	json_open(j, NULL, '{');
	json_text(j, "cpu_type", type->name);
	json_text(j, "name", type->pretty);
	json_number(j, "nr_counters", cpu->kind.nr_counters);
	json_text(j, "cpus", cpu->kind.cpus);
	json_text(j, "default_event", type->default_event);
	json_open(j, "events", '[');
	for (size_t i = 0; cpu->table && i < cpu->table->nr; i++) {
		json_line(j);
		json_event(j, &cpu->table->events[i]);
	}
	json_close(j, ']');
	json_close(j, '}');
}

void help_list_json(const struct help_cpus *cpus, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '[');
	for (unsigned int i = 0; i < cpus->nr; i++) {
		json_line(&j);
		json_cpu(&j, &cpus->cpu[i]);
	}
	json_close(&j, ']');
	putc('\n', out);
}
