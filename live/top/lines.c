// SPDX-License-Identifier: GPL-2.0-or-later
/* lines.c - the screen as lines of text */
#include "live/top/lines.h"

#include <stdio.h>
#include <string.h>

#include "libutil/print_line.h"
#include "libutil/utf8.h"

#define HOT		5.0	/* percent of the recent samples: such rows stand out */
#define NARROW		60	/* columns; below, there is no room for samples */
#define DETAIL_MAX	24

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

double top_change_of(const struct top_model *m, const struct top_row *row)
{
	return percent((double)row->since, (double)m->since) -
	       percent((double)row->before, (double)m->before);
}

/* --- columns --- */

struct column {
	enum top_sort sort;
	unsigned int width;
	const char *head;
};

/* Those in front of the name. */
static size_t columns_of(const struct top_model *m, struct column ret[3])
{
	size_t nr = 0;

	ret[nr++] = (struct column){ TOP_BY_NOW, 7, "now%" };
	ret[nr++] = (struct column){ TOP_BY_SAMPLES, 7, m->has_mark ? "mark%" : "all%" };
	if (m->has_mark)
		ret[nr++] = (struct column){ TOP_BY_CHANGE, 8, "change" };
	else if (m->width >= NARROW)
		ret[nr++] = (struct column){ TOP_BY_SAMPLES, 10, "samples" };
	return nr;
}

bool top_column_at(const struct top_model *m, unsigned int x, enum top_sort *ret)
{
	struct column columns[3];
	size_t nr = columns_of(m, columns);

	for (size_t i = 0; i < nr; i++) {
		if (x < columns[i].width) {
			*ret = columns[i].sort;
			return true;
		}
		x -= columns[i].width;
	}
	*ret = TOP_BY_NAME;
	return x < m->width;
}

/* --- text --- */

/* Append @text, cut or filled to @width characters; '>' is where it was cut. */
static void add_cell(struct strbuf *to, const char *text, unsigned int width)
{
	unsigned int nr = 0;

	while (*text && nr < width) {
		size_t n = utf8_length(text);

		if (nr + 1 == width && text[n ? n : 1]) {
			strbuf_add_char(to, '>');
			return;
		}
		if (n)
			strbuf_add_bytes(to, text, n);
		else
			strbuf_add_char(to, '?');
		text += n ? n : 1;
		nr++;
	}
	for (; nr < width; nr++)
		strbuf_add_char(to, ' ');
}

static unsigned int nr_characters(const char *text)
{
	unsigned int nr = 0;

	for (; *text; nr++) {
		size_t n = utf8_length(text);

		text += n ? n : 1;
	}
	return nr;
}

/* A line: @look, then @text over the whole width. @text is reset. */
static void add_line(const struct top_model *m, char look, struct strbuf *text, struct strbuf *to)
{
	plain_line(text);
	strbuf_add_char(to, look);
	add_cell(to, text->text, m->width);
	strbuf_add_char(to, '\n');
	strbuf_reset(text);
}

/* --- title --- */

static const char *const view_names[] = {
	[TOP_IMAGES] = "images", [TOP_SYMBOLS] = "symbols", [TOP_PROCESSES] = "processes",
	[TOP_CGROUPS] = "control groups", [TOP_STACKS] = "stacks", [TOP_CALLERS] = "callers",
	[TOP_FRAMES] = "frames", [TOP_SOURCE] = "source",
};

static void add_title(const struct top_model *m, struct strbuf *text)
{
	const struct top_level *l = top_level(m);

	if (m->is_frozen)
		strbuf_add(text, "FROZEN ");
	strbuf_add(text, view_names[l->view]);
	if (l->title)
		strbuf_addf(text, " of %.*s", m->width < NARROW ? 20 : 40, l->title);
	strbuf_addf(text, "  %llu samples", (unsigned long long)m->since);
	if (m->has_mark && m->width < NARROW)
		strbuf_add(text, " since the mark");
	else if (m->has_mark)
		strbuf_addf(text, " since the mark %.0f s ago", m->seconds);
	else
		strbuf_addf(text, " in %.0f s", m->seconds);
	strbuf_addf(text, ", %.0f/s", m->rate);
	if (m->lost)
		strbuf_addf(text, ", %llu lost", (unsigned long long)m->lost);
	if (*m->event)
		strbuf_addf(text, "  %s", m->event);
}

/* --- rows --- */

static void add_head(const struct top_model *m, struct strbuf *text)
{
	static const char *const heads[] = {
		[TOP_IMAGES] = "image", [TOP_SYMBOLS] = "symbol", [TOP_PROCESSES] = "process",
		[TOP_CGROUPS] = "control group", [TOP_STACKS] = "stack, innermost function first",
		[TOP_CALLERS] = "called from", [TOP_FRAMES] = "innermost function first",
		[TOP_SOURCE] = "line",
	};
	const enum top_view view = top_level(m)->view;
	struct column columns[3];
	size_t nr = columns_of(m, columns);
	bool is_marked = false;		/* samples have two columns */

	for (size_t i = 0; i < nr; i++) {
		bool is_order = columns[i].sort == m->sort && view < TOP_FRAMES && !is_marked;
		char head[16];

		is_marked |= is_order;
		snprintf(head, sizeof(head), "%s%s", is_order ? "*" : "", columns[i].head);
		strbuf_addf(text, "%*s", (int)columns[i].width - 1, head);
		strbuf_add_char(text, ' ');
	}
	strbuf_addf(text, " %s%s", m->sort == TOP_BY_NAME && view < TOP_FRAMES ? "*" : "",
		    heads[view]);
	if (*m->filter)
		strbuf_addf(text, " with '%s'", m->filter);
}

static void add_numbers(const struct top_model *m, const struct top_row *r, struct strbuf *text)
{
	strbuf_addf(text, "%6.2f ", percent(r->now, m->now));
	strbuf_addf(text, "%6.2f ", percent((double)r->since, (double)m->since));
	if (m->has_mark)
		strbuf_addf(text, "%+7.2f ", top_change_of(m, r));
	else if (m->width >= NARROW)
		strbuf_addf(text, "%9llu ", (unsigned long long)r->since);
}

static void add_row(const struct top_model *m, const struct top_row *r, struct strbuf *text)
{
	struct column columns[3];
	size_t nr = columns_of(m, columns);
	unsigned int used = 1, detail = 0, left;

	for (size_t i = 0; i < nr; i++)
		used += columns[i].width;
	if (r->now > 0 || r->since || r->before)
		add_numbers(m, r, text);
	else
		strbuf_addf(text, "%*s", (int)used - 1, "");
	strbuf_add_char(text, ' ');
	left = m->width > used ? m->width - used : 0;
	if (r->detail && m->width >= NARROW && strcmp(r->detail, r->name) != 0) {
		detail = nr_characters(r->detail);
		if (detail > DETAIL_MAX)
			detail = DETAIL_MAX;
		if (detail > left / 3)
			detail = left / 3;
	}
	add_cell(text, r->name, left - detail - (detail ? 1 : 0));
	if (detail) {
		strbuf_add_char(text, ' ');
		add_cell(text, r->detail, detail);
	}
}

/* --- keys --- */

static const char *const help[] = {
	"1 images     2 symbols   3 processes",
	"4 control groups         5 stacks",
	"arrows, PgUp, PgDn, Home, End: select",
	"Enter zoom in   a source   Esc back",
	"/     filter by name; Esc removes it",
	"s r   next order; reverse it",
	"m M   set a mark, to see what changes",
	"      from now; remove it",
	"f e q freeze; next event; quit",
};
#define HELP_LINES	(sizeof(help) / sizeof(*help))

static void add_keys(const struct top_model *m, struct strbuf *text)
{
	if (m->is_typing)
		strbuf_addf(text, "filter: %s_", m->filter);
	else if (*m->message)
		strbuf_add(text, m->message);
	else
		strbuf_add(text, m->width < NARROW
			   ? "?help 1-5view Enter zoom /filter q quit"
			   : "? help  1-5 view  Enter zoom  Esc back  / filter  s sort  "
			     "m mark  q quit");
}

static char look_of(const struct top_model *m, size_t i)
{
	if (i == top_level(m)->index)
		return 's';
	return percent(m->rows[i].now, m->now) >= HOT ? 'b' : ' ';
}

static void add_body(const struct top_model *m, unsigned int line, struct strbuf *text,
		     struct strbuf *to)
{
	size_t i = top_level(m)->first + line;
	char look = ' ';

	if (m->is_help) {
		if (line < HELP_LINES)
			strbuf_add(text, help[line]);
	} else if (i < m->nr_shown) {
		look = look_of(m, i);
		add_row(m, &m->rows[i], text);
	} else if (!line) {
		strbuf_add(text, *m->filter ? "  nothing matches the filter" : "  no samples yet");
	}
	add_line(m, look, text, to);
}

void top_print(const struct top_model *m, struct strbuf *to)
{
	struct strbuf text = STRBUF_INIT;

	add_title(m, &text);
	add_line(m, 't', &text, to);
	if (m->height > 1) {
		add_head(m, &text);
		add_line(m, 'h', &text, to);
	}
	for (unsigned int i = 0; i + TOP_LINES_AROUND < m->height; i++)
		add_body(m, i, &text, to);
	if (m->height > 2) {
		add_keys(m, &text);
		add_line(m, 'k', &text, to);
	}
	strbuf_free(&text);
}
