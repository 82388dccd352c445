// SPDX-License-Identifier: GPL-2.0-or-later
/* findings.c - collect and print them */
#include "control/opdoctor/findings.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/json_text.h"
#include "libutil/plain_text.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define INDENT	25	/* "  ok    kernel symbols    " */

static const char *const verdict_names[] = {
	[VERDICT_OK] = "ok", [VERDICT_NOTE] = "note", [VERDICT_POOR] = "poor", [VERDICT_NO] = "no",
};

void findings_begin(struct findings *f, const char *area)
{
	f->area = area;
}

/* Paths and names come from files of other users. */
static char *format_text(const char *format, va_list args)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_vaddf(&text, format, args);
	plain_text(text.text, text.len);
	return strbuf_steal(&text);
}

static struct finding *add(struct findings *f, enum verdict verdict, const char *name,
			   const char *format, va_list args)
{
	xgrow(f->all, f->nr, f->room);
	f->all[f->nr] = (struct finding){
		.area = f->area, .name = name, .verdict = verdict,
		.text = format_text(format, args),
	};
	return &f->all[f->nr++];
}

void finding_add(struct findings *f, enum verdict verdict, const char *name, const char *format,
		 ...)
{
	va_list args;

	va_start(args, format);
	add(f, verdict, name, format, args);
	va_end(args);
}

void finding_add_with_remedy(struct findings *f, enum verdict verdict, const char *name,
			     const char *format, ...)
{
	struct finding *one;
	va_list args;
	char *remedy;

	va_start(args, format);
	one = add(f, verdict, name, format, args);
	va_end(args);
	remedy = strstr(one->text, "; ");
	if (!remedy)
		return;
	*remedy = '\0';
	one->advice = xstrdup(remedy + 2);
}

void finding_advise(struct findings *f, const char *format, ...)
{
	struct finding *last = &f->all[f->nr - 1];
	va_list args;

	va_start(args, format);
	free(last->advice);
	last->advice = format_text(format, args);
	va_end(args);
}

const struct finding *finding_find(const struct findings *f, const char *area, const char *name)
{
	for (size_t i = 0; i < f->nr; i++)
		if (!strcmp(f->all[i].area, area) && !strcmp(f->all[i].name, name))
			return &f->all[i];
	return NULL;
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		free(f->all[i].text);
		free(f->all[i].advice);
	}
	free(f->all);
	*f = (struct findings){ 0 };
}

/* Words that are longer than a line, such as paths, stay whole: they are to be copied. */
static void put_wrapped(const char *text, unsigned int column, unsigned int width, FILE *out)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (!first && column + 1 + len > width) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		} else if (!first) {
			putc(' ', out);
			column++;
		}
		fwrite(text, 1, len, out);
		column += len;
		text += len + strspn(text + len, " ");
		first = false;
	}
	putc('\n', out);
}

void findings_print(const struct findings *f, unsigned int width, FILE *out)
{
	const char *area = "";

	for (size_t i = 0; i < f->nr; i++) {
		const struct finding *one = &f->all[i];

		if (strcmp(one->area, area))
			fprintf(out, "\n%c%s\n", toupper((unsigned char)*one->area), one->area + 1);
		area = one->area;
		fprintf(out, "  %-4s  %-16s ", verdict_names[one->verdict], one->name);
		put_wrapped(one->text, INDENT, width, out);
		if (!one->advice)
			continue;
		fprintf(out, "%*s", INDENT, "-> ");
		put_wrapped(one->advice, INDENT, width, out);
	}
}

void findings_print_json(const struct findings *f, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < f->nr; i++) {
		const struct finding *one = &f->all[i];

		json_line(&j);
		json_open(&j, NULL, '{');
		json_text(&j, "area", one->area);
		json_text(&j, "name", one->name);
		json_text(&j, "verdict", verdict_names[one->verdict]);
		json_text(&j, "text", one->text);
		json_text(&j, "advice", one->advice);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	putc('\n', out);
}
