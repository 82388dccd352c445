// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - the list of events as text [HLP-10]
 */
#include "control/ophelp/ophelp.h"

#include <inttypes.h>
#include <string.h>
#include "events/table/unit_mask.h"

#define TAB 8
#define MASK_INDENT 14 /* behind a tab and "0x00: " */

/*
 * Print @text, starting a new line of @indent blanks before each word that would exceed @width.
 * As in OProfile, the blank before such a word remains, and a call counts one column more than it
 * prints. Updates @column.
 */
static void wrap(const char *text, unsigned int indent, unsigned int width, unsigned int *column,
		 FILE *out)
{
	while (*text) {
		size_t word = strcspn(text, " "), blanks;

		if (*column + word > width && *column > indent) {
			fprintf(out, "\n%*s", (int)indent, "");
			*column = indent;
		}
		fwrite(text, 1, word, out);
		text += word;
		blanks = strspn(text, " ");
		if (blanks)
			putc(' ', out);
		text += blanks;
		*column += (unsigned int)word + 1;
	}
}

static void put_counters(const struct help_cpu *cpu, const struct event *event, bool compat,
			 FILE *out)
{
	const char *sign = "";

	if (event->ext) {
		fprintf(out, "(ext: %s)\n", event->ext);
		return;
	}
	fputs("(counter: ", out);
	/* OProfile takes the number of Intel's counters from the machine it runs on: never "all" */
	if (event_fits_all(cpu->table, event) &&
	    !(compat && !strncmp(cpu->kind.type->name, "i386/", 5))) {
		fputs("all)\n", out);
		return;
	}
	for (unsigned int c = 0; c < EVENT_COUNTERS_MAX; c++) {
		if (!(event->counters >> c & 1))
			continue;
		fprintf(out, "%s%u", sign, c);
		sign = ", ";
	}
	fputs(")\n", out);
}

static void put_mask(const struct unit_mask *m, unsigned int width, FILE *out)
{
	unsigned int column = MASK_INDENT;

	fprintf(out, "\t0x%02" PRIx32 ": ", m->value);
	if (m->name) {
		wrap("(name=", MASK_INDENT, width, &column, out);
		wrap(m->name, MASK_INDENT, width, &column, out);
		wrap(") ", MASK_INDENT, width, &column, out);
	}
	wrap(m->desc, MASK_INDENT, width, &column, out);
	putc('\n', out);
}

static void put_masks(const struct event *event, unsigned int width, FILE *out)
{
	const struct mask_set *s = event->masks;

	if (!event_has_masks(event))
		return;
	if (s->default_is_name)
		fprintf(out, "\tUnit masks (default %s)\n", s->default_mask->name);
	else
		fprintf(out, "\tUnit masks (default 0x%" PRIx32 ")\n", s->default_value);
	fputs("\t----------\n", out);
	for (size_t i = 0; i < s->nr; i++)
		put_mask(&s->masks[i], width, out);
}

static void put_event(const struct help_cpu *cpu, const struct event *event, unsigned int width,
		      bool compat, FILE *out)
{
	unsigned int column = TAB;
	char least[40];

	fprintf(out, "%s: ", event->name);
	put_counters(cpu, event, compat, out);
	putc('\t', out);
	wrap(event->desc, TAB, width, &column, out);
	snprintf(least, sizeof(least), " (min count: %" PRIu32 ")", event->min_count);
	wrap(least, TAB, width, &column, out);
	putc('\n', out);
	put_masks(event, width, out);
}

const char *help_manual(const struct cpu_type *type)
{
	static const struct {
		const char *prefix, *text;
	} manuals[] = {
		{ "i386/", "See Intel Architecture Developer's Manual Volume 3B, Appendix A and\n"
			   "Intel Architecture Optimization Reference Manual\n\n" },
		{ "x86-64/family10", "See BIOS and Kernel Developer's Guide for AMD Family 10h "
				     "Processors\n(31116.pdf), Section 3.14\n\n" },
		{ "x86-64/family", "See BIOS and Kernel Developer's Guide for the AMD family\n\n" },
		{ "x86-64/", "See Processor Programming Reference for the AMD family\n\n" },
		{ "arm/armv8-ca57", "See Cortex-A57 MPCore Technical Reference Manual\n"
				    "Cortex A57 DDI (ARM DDI 0488D, revision r1p1)\n" },
		{ "arm/", "See Technical Reference Manual of the core, and Arm Architecture\n"
			  "Reference Manual, Performance Monitors Extension\n\n" },
	};

	for (size_t i = 0; i < sizeof(manuals) / sizeof(manuals[0]); i++)
		if (!strncmp(type->name, manuals[i].prefix, strlen(manuals[i].prefix)))
			return manuals[i].text;
	return "";
}

void help_list_text(const struct help_cpu *cpu, unsigned int width, bool compat, FILE *out)
{
	fprintf(out, "oprofile: available events for CPU type \"%s\"\n\n%s", cpu->kind.type->pretty,
		help_manual(cpu->kind.type));
	if (!compat && *cpu->kind.cpus)
		fprintf(out, "CPUs: %s\n\n", cpu->kind.cpus);
	fputs("For architectures using unit masks, you may be able to specify\n"
	      "unit masks by name.",
	      out);
	fputs(compat ? "  See 'operf' or 'ocount' man page for more details.\n\n"
		     : " Events are written NAME:count:unitmask:kernel:user.\n\n",
	      out);
	for (size_t i = 0; i < cpu->table->nr; i++)
		put_event(cpu, &cpu->table->events[i], width, compat, out);
}
