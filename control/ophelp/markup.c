// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * markup.c - the list of events as XML [HLP-12] and JSON
 */
#include "control/ophelp/ophelp.h"

#include <inttypes.h>
#include "events/table/unit_mask.h"

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

static void put_json(const char *text, FILE *out)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(out, "\\u%04x", (unsigned char)*text);
		else
			putc(*text, out);
	}
	putc('"', out);
}

static void json_masks(const struct mask_set *s, FILE *out)
{
	fprintf(out, ",\n   \"unit_mask_type\": \"%s\", \"default_unit_mask\": %" PRIu32,
		mask_kind_name(s->kind), s->default_value);
	if (s->default_is_name) {
		fputs(", \"default_unit_mask_name\": ", out);
		put_json(s->default_mask->name, out);
	}
	fputs(",\n   \"unit_masks\": [", out);
	for (size_t i = 0; i < s->nr; i++) {
		const struct unit_mask *m = &s->masks[i];

		fprintf(out, "%s\n    {\"value\": %" PRIu32 ", \"extra\": %" PRIu32 ", ",
			i ? "," : "", m->value, m->extra);
		if (m->name) {
			fputs("\"name\": ", out);
			put_json(m->name, out);
			fputs(", ", out);
		}
		fputs("\"description\": ", out);
		put_json(m->desc, out);
		putc('}', out);
	}
	putc(']', out);
}

static void json_counters(uint64_t counters, FILE *out)
{
	const char *sign = "";

	fputs(", \"counters\": [", out);
	for (unsigned int c = 0; c < EVENT_COUNTERS_MAX; c++) {
		if (!(counters >> c & 1))
			continue;
		fprintf(out, "%s%u", sign, c);
		sign = ", ";
	}
	putc(']', out);
}

static void json_event(const struct event *event, FILE *out)
{
	fputs("  {\"name\": ", out);
	put_json(event->name, out);
	fputs(", \"description\": ", out);
	put_json(event->desc, out);
	fprintf(out, ", \"code\": %" PRIu64 ", \"min_count\": %" PRIu32, event->code,
		event->min_count);
	if (event->ext) {
		fputs(", \"ext\": ", out);
		put_json(event->ext, out);
	} else {
		json_counters(event->counters, out);
	}
	if (event_has_masks(event))
		json_masks(event->masks, out);
	putc('}', out);
}

static void json_cpu(const struct help_cpu *cpu, FILE *out)
{
	const struct cpu_type *type = cpu->kind.type;

	fputs(" {\"cpu_type\": ", out);
	put_json(type->name, out);
	fputs(", \"name\": ", out);
	put_json(type->pretty, out);
	fprintf(out, ", \"nr_counters\": %u, \"cpus\": ", cpu->kind.nr_counters);
	put_json(cpu->kind.cpus, out);
	fputs(", \"default_event\": ", out);
	if (type->default_event)
		put_json(type->default_event, out);
	else
		fputs("null", out);
	fputs(", \"events\": [\n", out);
	for (size_t i = 0; cpu->table && i < cpu->table->nr; i++) {
		fputs(i ? ",\n" : "", out);
		json_event(&cpu->table->events[i], out);
	}
	fputs("]}", out);
}

void help_list_json(const struct help_cpus *cpus, FILE *out)
{
	fputs("[\n", out);
	for (unsigned int i = 0; i < cpus->nr; i++) {
		fputs(i ? ",\n" : "", out);
		json_cpu(&cpus->cpu[i], out);
	}
	fputs("\n]\n", out);
}
